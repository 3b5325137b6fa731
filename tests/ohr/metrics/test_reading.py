from __future__ import annotations

import math
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ohr import registry
from ohr.metrics.reading import order_assessed, order_distance
from ohr.metrics.regions import extraction, regions
from ohr.metrics.scores import SCORING
from ohr.plugins.metric import PageCase
from ohr.scoring.units import ON_PAGE
from ohr.study.metrics import SETS

LETTERS = Random(0)
WORDS = ["".join(LETTERS.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(180)]
SENTENCES = [" ".join(WORDS[30 * i : 30 * i + 30]) for i in range(6)]
PROSE = "\n\n".join(SENTENCES)
TABLE = "\\begin{tabular}{lr} item & cost \\\\ apples & 12 \\\\ pears & 17 \\\\ \\end{tabular}"
FORMULA = "$$ a^2 + b^2 = c^2 $$"
PAGE = f"{PROSE}\n\n{TABLE}\n\n{FORMULA}"
PARTS = st.lists(st.sampled_from([*SENTENCES, TABLE, FORMULA, "# Title", "**x**"]), max_size=8)

READING = {spec.label: registry.create("metric", spec) for spec in SETS["reading"]}


def reading_scores(read: str, truth: str) -> dict[str, float]:
    """The value of each metric of reading; NaN where the page has nothing for it."""
    case = PageCase(read, truth, SCORING["default"])
    return {
        label: metric.measure(case) if all(ON_PAGE[n](truth) for n in metric.needs) else math.nan
        for label, metric in READING.items()
    }


@settings(deadline=None)
@given(PARTS)
def test_a_perfect_reading_has_the_best_value_of_every_metric(parts):
    page = "\n\n".join(parts)
    for name, score in reading_scores(page, page).items():
        assert math.isnan(score) or score == pytest.approx(READING[name].best), name


@settings(deadline=None)
@given(PARTS, PARTS)
def test_scores_are_bounded_and_apply_by_the_reference_alone(one, other):
    one, other = "\n\n".join(one), "\n\n".join(other)
    scores = reading_scores(one, other)
    assert all(math.isnan(score) or 0 <= score <= 1 for score in scores.values())
    missing = reading_scores("", other)
    assessed = missing.keys() - {"order_distance"}
    assert [*map(math.isnan, map(missing.get, assessed))] == [
        *map(math.isnan, map(scores.get, assessed))
    ]
    # Its order is assessed where two passages were found, and that is a measure of its own.
    assert math.isnan(scores["order_distance"]) == (scores["order_assessed"] != 1)


@settings(deadline=None)
@given(PARTS)
def test_an_empty_reading_has_the_worst_value(parts):
    page = "\n\n".join(parts)
    for name, score in reading_scores("", page).items():
        assert math.isnan(score) or score == READING[name].worst, name


def test_order_is_the_share_of_pairs_that_are_swapped():
    assert order_distance("\n\n".join(SENTENCES[::-1]), PROSE) == 1
    swapped = "\n\n".join([SENTENCES[1], SENTENCES[0], *SENTENCES[2:]])
    assert order_distance(swapped, PROSE) == pytest.approx(1 / 15)
    assert order_distance("\n\n".join(SENTENCES[::2]), PROSE) == 0, "what is missing is in order"
    repeated = "\n\n".join([SENTENCES[0], SENTENCES[1], SENTENCES[0], SENTENCES[2]])
    assert order_distance(repeated, repeated) == 0


def test_the_order_of_lost_text_is_not_assessed_and_how_much_is_lost_is_counted():
    for read in ("", "rubbish", SENTENCES[0]):
        assert math.isnan(order_distance(read, PROSE)), read
        assert order_assessed(read, PROSE) == 0
    two = "\n\n".join([SENTENCES[4], SENTENCES[1]])
    assert (order_distance(two, PROSE), order_assessed(two, PROSE)) == (1, 1)
    for read in ("", SENTENCES[0], PROSE):
        assert math.isnan(order_distance(read, SENTENCES[0])), "one passage has no order"
        assert math.isnan(order_assessed(read, SENTENCES[0]))


def test_regions_as_in_the_drc_paper():
    true = regions(PAGE)
    plain = "item cost apples 12 pears 17"
    read = regions(f"{PROSE}\n\n{plain}")
    table = extraction(read, true, "table")
    assert table is not None
    assert table.recall == 1
    assert table.precision == pytest.approx(6 / 186), "without regions all words are extracted"
    text = extraction(read, true, "text")
    assert text is not None
    assert (text.precision, text.recall) == (pytest.approx(180 / 186), 1)
    assert text.f1 == pytest.approx(2 * 180 / (186 + 180))
    marked = extraction(regions(TABLE.replace("pears", "peaches")), true, "table")
    assert marked == pytest.approx((5 / 6, 5 / 6, 5 / 6))
    assert extraction(read, regions(PROSE), "table") is None


@pytest.mark.parametrize("kind", ["text", "formula", "table"])
def test_region_f1_is_a_metric(kind):
    metric = registry.create("metric", f"region_f1:{kind}")
    assert metric.score(PAGE, PAGE) == 1
    assert metric.score("", "") == 1
    assert metric.score(PAGE, "") == metric.score("", PAGE) == 0


def test_page_metrics_are_perfect_on_equal_pages():
    for name in ("cer", "wer", "formula_distance", "order_distance", "table_similarity"):
        metric = registry.create("metric", name)
        best = 1 - metric.missing
        assert metric.score(PAGE, PAGE) == best
        assert metric.score("rubbish", PAGE) != best, name
