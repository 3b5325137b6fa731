"""The same comparison has one p, whichever command makes it; a curve is tested as a whole first."""

import numpy as np
import pandas as pd
import pytest

from ohr.analysis.comparison.differences import run_differences
from ohr.analysis.comparison.families import LEVELS, TRENDS, Planned, conclude, trends
from ohr.analysis.comparison.ties import cells_with_letters
from ohr.statistics import Clusters, Paired
from ohr.study.results import StudyRun
from tests.experiments.test_differences import read_by


@pytest.fixture(scope="module")
def run(formatting_run) -> StudyRun:
    return read_by(formatting_run, tesseract=0.9)


def plan_documents(effects: list[list[float]], *, documents: int = 8) -> list[Planned]:
    """Levels of one curve with these differences in each document, and its trend."""
    rng = np.random.default_rng(0)
    owners = np.repeat(np.arange(documents), 6)
    clusters = Clusters(owners, documents, "document")
    levels = [np.array(each)[owners] + rng.normal(0, 0.001, len(owners)) for each in effects]
    planned = [
        Planned((LEVELS, "all"), Paired(level, clusters), {"level": n}, curve=("c",))
        for n, level in enumerate(levels)
    ]
    x = np.arange(len(levels) + 1.0)
    weights = (x - x.mean()) / ((x - x.mean()) ** 2).sum()
    slope = np.stack([0 * levels[0], *levels]).T @ weights
    return [*planned, Planned((TRENDS, "all"), Paired(slope, clusters), curve=("c",))]


def test_a_level_is_significant_only_if_the_trend_is():
    dip = [[-0.3] * 8, [0.3, -0.3] * 4, [0.2, -0.1] * 4]  # only the first level differs
    planned = plan_documents(dip)
    conclude(planned, 0)
    first, trend = planned[0].result, planned[-1].result
    assert not trend.is_shown
    assert first.p < 0.05
    assert first.p_adjusted == pytest.approx(trend.p_adjusted)
    assert first.interval.low < first.interval.high == 0
    assert all(each.result.p_adjusted >= trend.p_adjusted for each in planned[:-1])


def test_a_falling_curve_is_shown_with_eight_documents():
    falling = [[-0.02 * n * (1 + d % 3) for d in range(8)] for n in (1, 2, 3)]
    planned = plan_documents(falling)
    conclude(planned, 0)
    assert planned[-1].result.is_shown
    assert planned[-1].result.interval.high < 0
    assert all(each.result.is_shown for each in planned)


def test_the_trend_is_the_slope_over_the_intensities():
    units = pd.DataFrame({"qid": list("abcdef"), "doc_id": list("uvwxyz"), "page_no": 0})
    clean = units.assign(value=1.0, intensity=0.0)
    levels = [units.assign(value=1 - 0.4 * x, intensity=x) for x in (0.25, 0.5, 1.0)]
    slopes = trends(clean, levels, lambda group: group == "all")["all"]
    assert slopes.differences == pytest.approx([-0.4] * 6)
    assert trends(clean, levels[:1], lambda group: True) == {}


@pytest.mark.slow
def test_a_comparison_of_clean_pages_has_the_same_p_with_and_without_noise(run):
    clean = StudyRun(run.path, run.manifest, run.cells[run.cells["noise"] == "none"]).cache_values(
        drawn=run.drawn[run.drawn["noise"] == "none"]
    )
    keys = ["other", "stage", "metric", "reader"]
    with_noise = run_differences(run).query("part == 'engine on clean pages'").set_index(keys)
    without = run_differences(clean).set_index(keys)
    assert len(without)
    columns = ["p_adjusted", "ci_low", "ci_high", "family_size"]
    pd.testing.assert_frame_equal(without[columns], with_noise.loc[without.index, columns])


@pytest.mark.slow
def test_letters_are_those_of_the_differences(run):
    cells = cells_with_letters(run)
    clean = cells[(cells["noise"] == "none") & (cells["group"] == "all")]
    rows = run_differences(run).query("part == 'engine on clean pages'")
    compared = 0
    for row in rows.itertuples():
        of = clean[(clean["stage"] == row.stage) & (clean["metric"] == row.metric)]
        letters = of[of["reader"].isin([row.reader, ""])].set_index("engine")["letters"]
        if not letters["gt"]:  # a part of a loss has no column of its own
            continue
        share = set(letters["gt"]) & set(letters[row.other.partition(",")[0]])
        assert bool(share) == (row.p_adjusted > 0.05)
        compared += 1
    assert compared
