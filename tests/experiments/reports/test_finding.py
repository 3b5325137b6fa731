"""The sentence that says what was found."""

import pandas as pd
import pytest

from experiments.reports.noise_curve import finding

LEVELS = {"mild": 0.25, "moderate": 0.5, "severe": 1.0}


def cells(damage: dict[str, float], lcs: dict[str, float]) -> pd.DataFrame:
    """Cells of one engine, clean (the level without a name) and warped."""
    rows = []
    for level, r_noise in damage.items():
        condition = {
            "engine": "rapidocr",
            "noise": "semantic" if level else "none",
            "perturbation": "warping" if level else "none",
            "level": level,
            "intensity": LEVELS.get(level, 0.0),
            "group": "all",
            "r_noise": r_noise,
        }
        rows.append(condition | {"stage": "ocr", "metric": "r_noise", "mean": r_noise})
        if level in lcs:
            rows.append(condition | {"stage": "retrieval", "metric": "lcs", "mean": lcs[level]})
    return pd.DataFrame(rows)


def test_it_names_the_most_damaging_level_whichever_that_is():
    said = finding(cells({"": 0.1, "moderate": 0.6, "severe": 0.4}, {"": 0.9, "moderate": 0.7}))
    assert said == (
        "found: as the r_noise of rapidocr's reading goes from 0.100 (clean) to 0.600 (warping "
        "moderate), Retrieval LCS from 0.900 to 0.700"
    )


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ({"": 0.1}, "found: nothing, since no noise was measured on r_noise"),
        ({"": 0.1, "mild": 0.1}, "found: no noise raised the r_noise above 0.100 (clean)"),
        ({"": 0.2, "mild": 0.1}, "found: no noise raised the r_noise above 0.200 (clean)"),
        ({"": float("nan"), "mild": float("nan")}, "found: nothing, since no noise"),
    ],
)
def test_without_damage_it_says_so(damage, said):
    assert finding(cells(damage, {})).startswith(said)


def test_where_only_noise_was_measured_there_is_nothing_else():
    said = finding(cells({"": 0.1, "mild": 0.3}, {}))
    assert said.endswith("0.300 (warping mild), nothing else was measured")
