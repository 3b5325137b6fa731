"""Routes are offered only where they beat one engine at their price on documents held out."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from ohr.adviser.quality.table import DECIDES
from ohr.adviser.routes.offer import judge_routes, offer_line, single_routes
from ohr.adviser.routes.table import Pair, choose_threshold, page_predictions
from ohr.ocr.routes import COLUMNS, LAYER, PERSON
from ohr.types import PageRef

PAIR = Pair("quick", "careful", 1.0, 6.0)
SECONDS = {"quick": 1.0, "careful": 6.0}
DOCUMENTS, PAGES = 10, 6


def engine_rows(engine: str, errors: np.ndarray, truths: np.ndarray | None = None) -> pd.DataFrame:
    """Predictions, certain of themselves, of the pages of ten documents."""
    columns = {DECIDES + end: errors for end in ("", "_mean", "_low", "_high")}
    table = pd.DataFrame(columns).assign(
        engine=engine,
        doc_id=[f"d/{place // PAGES}" for place in range(len(errors))],
        page_no=[place % PAGES for place in range(len(errors))],
        status="ok",
        assessed=True,
        length=2.0,
    )
    table[f"{DECIDES}_spread"] = 0.02
    table[f"true_{DECIDES}"] = math.nan if truths is None else truths
    return table


def judged(quick: np.ndarray, careful: np.ndarray, truths=(None, None), seconds=SECONDS):
    tables = [
        engine_rows("quick", quick, truths[0]),
        engine_rows("careful", careful, truths[1]),
    ]
    table = pd.concat(tables, ignore_index=True)
    refs = {PageRef(f"d/{doc}", no): None for doc in range(DOCUMENTS) for no in range(PAGES)}
    pages = page_predictions(tables[0], table, refs, PAIR)
    offer = judge_routes(pages, table, PAIR, seconds, lambda rule: choose_threshold(rule, PAIR))
    return offer, pages, table


def hard_pages() -> np.ndarray:
    """Every third page is hard."""
    return np.arange(DOCUMENTS * PAGES) % 3 == 0


def test_routes_that_read_only_hard_pages_again_beat_the_quick_engine_at_their_price():
    quick, careful = np.where(hard_pages(), 0.5, 0.02), np.full(60, 0.03)
    offer, _, _ = judged(quick, careful)
    assert offer.is_made
    assert offer.compared_with == "quick"  # the careful one costs more than the routes
    assert offer.routes_s == pytest.approx(3.0)
    assert offer.routes_error < offer.engine_error
    assert "routes do better than one engine at their price" in offer_line(offer)


def test_routes_that_cost_more_than_a_better_engine_are_not_offered():
    """Reading nearly all pages twice costs more than the careful engine, which is as good."""
    quick, careful = np.full(60, 0.4), np.full(60, 0.1)
    offer, pages, table = judged(quick, careful)
    assert not offer.is_made
    assert (offer.engine, offer.compared_with) == ("careful", "careful")
    line = offer_line(offer)
    assert line.startswith("one engine for all pages: careful")
    assert "by routes at 7.00 s a page" in line
    assert "by careful at 6.00 s a page" in line
    routes = single_routes(pages, table, offer, SECONDS)
    assert list(routes) == list(COLUMNS)
    assert set(routes["route"]) == {"careful"}
    assert set(routes["seconds"]) == {6.0}


def test_true_errors_overrule_predictions():
    """Predicted to help, but the transcribed pages say that the careful engine is no better."""
    quick, careful = np.where(hard_pages(), 0.5, 0.02), np.full(60, 0.03)
    truth = np.full(60, 0.1)
    offer, _, _ = judged(quick, careful, (truth, truth + 0.05 * hard_pages()))
    assert offer.error == "true"
    assert not offer.is_made
    assert offer.reason == "routes do worse"


def test_few_pages_show_nothing():
    tables = [engine_rows("quick", np.full(4, 0.5)), engine_rows("careful", np.full(4, 0.1))]
    table = pd.concat(tables, ignore_index=True)
    pages = page_predictions(tables[0], table, {}, PAIR)
    offer = judge_routes(pages, table, PAIR, SECONDS, lambda rule: choose_threshold(rule, PAIR))
    assert offer.engine == "careful"
    assert "too few" in offer_line(offer)


def test_pages_of_one_engine_keep_their_layer_and_persons():
    quick, careful = np.full(60, 0.4), np.full(60, 0.1)
    offer, pages, table = judged(quick, careful)
    pages.loc[0, "layer"] = True
    place = table[(table["engine"] == "careful")].index
    table.loc[place[1], f"{DECIDES}_mean"] = 0.9
    table.loc[place[2], f"{DECIDES}_mean"] = math.nan
    routes = single_routes(pages, table, offer, SECONDS, lambda doc, no: (doc, no) == ("d/0", 3))
    assert routes["route"].tolist()[:5] == [LAYER, PERSON, PERSON, PERSON, "careful"]
