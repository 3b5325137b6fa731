"""Properties of the routes of pages, and of the curve of their threshold."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.adviser.quality.table import DECIDES
from ohr.adviser.routes.figure import routes_figure
from ohr.adviser.routes.report import route_lines, seconds_lines
from ohr.adviser.routes.table import (
    ROUTED,
    Pair,
    affordable_threshold,
    choose_pair,
    choose_threshold,
    curve,
    is_reread,
    page_predictions,
    page_routes,
)
from ohr.ocr.routes import COLUMNS, LAYER, PERSON
from ohr.types import PageRef

PAIR = Pair("quick", "careful", 1.0, 4.0)
errors = st.one_of(st.just(math.nan), st.floats(0, 1))
a_page = st.fixed_dictionaries(
    {
        "layer": st.booleans(),
        **dict.fromkeys(("alone", "fast", "slow"), errors),
        **dict.fromkeys(("fast_true", "slow_true"), errors),
    }
)
some_pages = st.lists(a_page, min_size=1, max_size=12).map(lambda rows: frame(rows))
thresholds = st.floats(0, 1)


def frame(rows: list[dict]) -> pd.DataFrame:
    """Pages with intervals that are only their predictions."""
    table = pd.DataFrame(rows)
    for name in ("alone", "fast", "slow"):
        for end in ("_low", "_high"):
            table[name + end] = table[name]
    for name in ("alone_length", "fast_length", "slow_length"):
        table[name] = table.get(name, 100.0)
    return table.assign(doc_id="documents/a", page_no=range(len(table)))


def page(alone: float, fast: float, slow: float, *, layer: bool = False) -> pd.DataFrame:
    row = {"layer": layer, "alone": alone, "fast": fast, "slow": slow}
    return frame([row | {"fast_true": math.nan, "slow_true": math.nan}])


@given(some_pages, thresholds, thresholds)
def test_a_lower_threshold_rereads_the_same_pages_and_more(pages, first, second):
    low, high = sorted((first, second))
    assert not (is_reread(pages, high) & ~is_reread(pages, low)).any()
    assert not (is_reread(pages, low) & pages["layer"]).any()


@given(some_pages, thresholds)
def test_the_seconds_of_routes_are_those_of_the_curve(pages, threshold):
    routes = page_routes(pages, PAIR, threshold)
    assert list(routes) == list(COLUMNS)
    assert routes[["document", "page"]].duplicated().sum() == 0
    assert (routes["route"] == LAYER).tolist() == pages["layer"].tolist()
    ocr = routes[~pages["layer"]]
    if ocr.empty:
        assert curve(pages, PAIR).empty
    else:
        row = curve(pages, PAIR, [threshold]).iloc[0]
        assert ocr["seconds"].mean() == pytest.approx(row["seconds"])


@given(some_pages, thresholds)
def test_a_page_without_a_good_prediction_is_for_a_person(pages, threshold):
    routes = page_routes(pages, PAIR, threshold, person_above=0.5)
    engines = routes[~routes["route"].isin([LAYER, PERSON])]
    assert (engines["predicted_error"] <= 0.5).all()
    persons = routes[routes["route"] == PERSON]
    assert not (persons["predicted_error"] <= 0.5).any()


@given(some_pages)
def test_rereading_everything_is_predicted_no_worse_than_either_engine(pages):
    table = curve(pages, PAIR)
    if len(table):
        of_rule = table[table["rule"] == ROUTED]
        assert of_rule["threshold"].is_monotonic_decreasing
        assert of_rule["reread"].is_monotonic_increasing
        every = table.set_index("rule")["predicted_error"]
        alone_known = pages[~pages["layer"]]["alone"].fillna(1) > 0
        if alone_known.all() and every.notna().all():
            assert (
                of_rule["predicted_error"].iloc[-1] <= min(every["quick"], every["careful"]) + 1e-9
            )


@given(some_pages, st.floats(0, 1))
def test_the_threshold_keeps_the_share_of_the_gain_if_any_does(pages, share):
    table = curve(pages, PAIR)
    if len(table):
        threshold = choose_threshold(table, PAIR, share=share)
        of_rule = table[table["rule"] == ROUTED].set_index("threshold")["predicted_error"]
        every = table.set_index("rule")["predicted_error"]
        gains = every["quick"] - of_rule
        of_slow = every["quick"] - every["careful"]
        if gains[0.0] > 0:
            target = min(gains[0.0], of_slow) if of_slow > 0 else gains[0.0]
            assert gains[threshold] >= share * target - 1e-9
            assert not (gains[gains.index > threshold] >= share * target + 1e-9).any()
        else:
            assert threshold == 1.0


@pytest.mark.parametrize(
    ("alone", "fast", "slow", "route", "seconds"),
    [
        (0.02, 0.09, 0.01, "quick", 1.0),
        (0.08, 0.09, 0.01, "careful", 5.0),
        (0.08, 0.06, 0.07, "quick", 5.0),
        (math.nan, 0.06, 0.01, "careful", 5.0),
        (0.08, math.nan, 0.01, "careful", 5.0),
        (0.08, 0.06, math.nan, "quick", 5.0),
        (0.9, 0.8, 0.7, PERSON, 5.0),
        (math.nan, math.nan, math.nan, PERSON, 5.0),
    ],
)
def test_the_rule_page_by_page(alone, fast, slow, route, seconds):
    (row,) = page_routes(page(alone, fast, slow), PAIR, 0.05).to_dict("records")
    assert (row["route"], row["seconds"]) == (route, seconds)
    (row,) = page_routes(page(alone, fast, slow, layer=True), PAIR, 0.05).to_dict("records")
    assert (row["route"], row["seconds"]) == (LAYER, 0.0)
    assert math.isnan(row["predicted_error"])


def test_an_output_that_is_cut_short_is_not_taken():
    pages = page(0.08, 0.09, 0.01).assign(slow_length=80.0)
    (row,) = page_routes(pages, PAIR, 0.05).to_dict("records")
    assert row["route"] == "quick"
    assert row["reason"].endswith("careful has only 80 % of its characters")


def predicted(engine: str, values: list[float]) -> pd.DataFrame:
    """Predictions of the pages of one document."""
    columns = {DECIDES + end: values for end in ("", "_mean", "_low", "_high")}
    return pd.DataFrame(columns).assign(
        engine=engine,
        doc_id="d/a",
        page_no=range(len(values)),
        status="ok",
        assessed=True,
        length=2.0,
    )


def test_the_cheapest_engine_is_paired_with_the_best_of_the_others():
    means = {"slow": 0.1, "best": 0.05, "quick": 0.3, "layer": 0.0}
    table = pd.concat([predicted(name, [error]) for name, error in means.items()])
    seconds = {"slow": 3.0, "best": 9.0, "quick": 1.0, "layer": 0.1}
    assert choose_pair(table, seconds, {"layer"}) == Pair("quick", "best", 1.0, 9.0)
    unknown = choose_pair(table, {"quick": 1.0}, {"layer"})
    assert unknown is not None
    assert (unknown.fast, unknown.slow) == ("slow", "best")
    assert choose_pair(table[table["engine"] == "best"], seconds) is None


def test_true_errors_are_in_the_curve_and_its_lines(tmp_path):
    true = f"true_{DECIDES}"
    quick = predicted("quick", [0.1, 0.4]).assign(**{true: [0.1, 0.5]})
    careful = predicted("careful", [0.05, 0.1]).assign(**{true: [0.1, 0.2]})
    refs = {PageRef("d/a", 0): None, PageRef("d/a", 1): None}
    pages = page_predictions(quick, pd.concat([quick, careful]), refs, PAIR)
    table = curve(pages, PAIR)
    threshold = choose_threshold(table, PAIR, share=0.8)
    assert threshold == pytest.approx(0.1)  # the second page alone brings 6/7 of the gain
    chosen = table[table["threshold"] == threshold].iloc[0]
    assert (chosen["reread"], chosen["seconds"]) == (0.5, 3.0)
    assert chosen["true_error"] == pytest.approx(0.15)
    lines = route_lines(page_routes(pages, PAIR, threshold), table, PAIR, threshold)
    assert "routes of 2 pages: 1 by quick, 1 by careful" in lines[0]
    assert any(line.startswith("true error: 0.150 by routes, 0.300 by quick") for line in lines)
    paths = routes_figure(table, PAIR, threshold, tmp_path)
    assert [path.suffix for path in paths] == [".png", ".svg", ".txt"]
    assert "quick reads every page first" in paths[-1].read_text()


def test_with_layers_on_all_pages_there_is_no_curve():
    pages = page(0.1, 0.1, 0.1, layer=True)
    assert curve(pages, PAIR).empty
    lines = route_lines(page_routes(pages, PAIR, 1.0), curve(pages, PAIR), PAIR, 1.0)
    assert lines == ["routes of 1 pages: 1 by the text layer"]


def test_seconds_that_are_not_known_stay_empty():
    pair = Pair("quick", "careful")
    pages = page(0.1, 0.1, 0.05)
    assert np.isnan(page_routes(pages, pair, 0.05)["seconds"]).all()
    table = curve(pages, pair)
    assert table["seconds"].isna().all()
    assert not any("seconds" in line for line in route_lines(
        page_routes(pages, pair, 0.05), table, pair, 0.05))  # fmt: skip


@given(some_pages, st.floats(0.1, 2))
def test_the_affordable_threshold_is_the_lowest_that_fits(pages, most):
    of_rule = curve(pages, PAIR)
    if of_rule.empty:
        return
    routed = of_rule[of_rule["rule"] == ROUTED]
    threshold = affordable_threshold(of_rule, PAIR, most)
    fits = routed[routed["seconds"] <= most * PAIR.slow_s]
    if fits.empty:
        assert threshold == 1.0
    else:
        assert threshold == fits["threshold"].min()
        assert affordable_threshold(of_rule, PAIR, most, 0.5) <= threshold


def test_the_seconds_of_routes_are_a_share_of_the_slower_engine_on_every_page():
    routes = pd.DataFrame({"seconds": [0.0, 1.0, 5.0]})
    assert seconds_lines(routes, PAIR, 0.5) == [
        "seconds: 0.50 of what careful takes to read every page"
    ]
    [line] = seconds_lines(routes, PAIR, 0.4)
    assert line.startswith("seconds: 0.50 of what careful takes to read every page, more than 0.4")
    [line] = seconds_lines(routes, Pair("quick", "careful"), 0.4)
    assert line.startswith("seconds: not known")
