"""What a check of predictions says of good ones and of none."""

import math

import pandas as pd
import pytest

from ohr.adviser.quality.check import check
from ohr.quality.predictor import shipped
from ohr.quality.signals import SIGNALS
from ohr.quality.truth import TARGETS


def pages_with_truth(errors: dict[str, list[float]], layer: bool) -> pd.DataFrame:
    """Readings by engine: errors of pages, which a text layer tells exactly or not at all."""
    return pd.DataFrame(
        [
            dict.fromkeys(SIGNALS, math.nan)
            | {"garbage": 0.02, "loops": 0.0, "length": 3.3, "numbers": 0.1, "markup": 0.0}
            | {f"true_{target}": error for target in TARGETS}
            | {
                "engine": engine,
                "status": "ok",
                "noise": "clean",
                "draw": 0,
                "group": "all",
                "doc_id": f"d{index % 9}",
                "page_no": index,
            }
            | {"layer": error if layer else math.nan}
            for engine, of in errors.items()
            for index, error in enumerate(of)
        ]
    )


def test_a_check_knows_good_predictions_from_none():
    errors = {
        "good": [0.02 + 0.001 * position for position in range(60)],
        "bad": [0.3 + 0.002 * position for position in range(60)],
    }
    with_layer = pages_with_truth(errors, layer=True)
    checks = check(with_layer, {"all": shipped()}).set_index(["kind", "error"])
    told = checks.loc[("layer", "edit_distance")]
    assert told["spearman"] > 0.95
    assert told["auroc"] > 0.95
    assert told["wrong"] == 0
    assert told["cannot_tell"] < 0.2
    blind = checks.loc[("text", "edit_distance")]
    assert blind["cannot_tell"] == 1
    assert told["n"] == told["draws"] + 20 == 120
    assert ("scan", "edit_distance") not in checks.index  # no engine said anything


def test_every_domain_counts_the_same_and_the_worst_is_named():
    """60 pages of a domain whose layers tell the error, and 30 of one whose layers mislead."""
    errors = [0.02 + 0.005 * position for position in range(60)]
    good = pages_with_truth({"a": errors}, layer=True)
    bad = pages_with_truth({"a": errors[:30]}, layer=True).assign(group="other")
    bad["layer"] = bad["layer"].to_numpy()[::-1]
    table = pd.concat([good, bad], ignore_index=True)
    checks = check(table, dict.fromkeys(("all", "other"), shipped()))
    told = checks.set_index(["kind", "error"]).loc[("layer", "edit_distance")]
    assert told["domains"] == 2
    assert told["spearman_lowest"] == pytest.approx(-1)
    assert told["spearman"] == pytest.approx(0)
    assert told["coverage_lowest"] <= told["coverage"]
