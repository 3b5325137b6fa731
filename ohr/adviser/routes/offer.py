"""Whether routes are offered: only if they do better than one engine for all pages.

The threshold of half of the documents is applied to the other half, and the other way round, so
that no page is judged by a threshold that it was chosen for. Routes are compared with the best
single engine that costs no more than they do, by the test with which engines are compared: with
the doubt that predictions deserve, or corrected by transcribed pages. Routes take the better of two
predictions of a page, so without that doubt they would always look better.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from ohr.adviser.quality.table import DECIDES, is_assessed
from ohr.adviser.recommend.limits import too_few_pages
from ohr.adviser.routes.table import (
    KEY,
    PERSON_ABOVE,
    Pair,
    curve,
    is_reread,
    takes_slow,
)
from ohr.ocr.routes import COLUMNS, LAYER, PERSON
from ohr.quality.inference import FEWEST_LABELLED, compare
from ohr.quality.predictor import shipped

__all__ = ["Offer", "judge_routes", "offer_line", "single_routes"]

Chooser = Callable[[pd.DataFrame], float]
"""The threshold for a curve of routes."""
_AS_CHEAP = 1e-9


@dataclass(frozen=True)
class Offer:
    """Routes beside the best single engine at their price, on pages without a usable layer.

    ``engine`` is the one for all pages where routes are not offered. ``error`` says which errors
    the means are of: ``true`` or ``predicted``. ``reason`` is empty if routes are offered.
    """

    engine: str
    reason: str
    error: str = "predicted"
    routes_error: float = math.nan
    engine_error: float = math.nan
    routes_s: float = math.nan
    engine_s: float = math.nan
    pages: int = 0
    documents: int = 0
    compared_with: str = ""

    @property
    def is_made(self) -> bool:
        """Whether routes are offered."""
        return not self.reason


def judge_routes(
    pages: pd.DataFrame,
    table: pd.DataFrame,
    pair: Pair,
    seconds: Mapping[str, float],
    choose: Chooser,
    never: Collection[str] = (),
) -> Offer:
    """Compare routes with single engines on documents whose predictions chose no threshold.

    ``pages`` are those of :func:`ohr.adviser.routes.table.page_predictions`, ``table`` has the
    predictions of all engines, ``choose`` gives the threshold for a curve. Engines of ``never`` are
    no choice. With one document, its pages are halved.
    """
    ocr = pages[~pages["layer"]].reset_index(drop=True)
    errors = _single_errors(table, ocr, never)
    if not errors:
        return Offer("", "no engine is assessed")
    both = ocr["fast"].notna() & ocr["slow"].notna()
    best = _best({name: of[both] if both.any() else of for name, of in errors.items()})
    if reason := too_few_pages(int(both.sum())):
        return Offer(best, reason)
    slow, reread = _held_out(ocr, pair, choose)
    routed = ocr["slow"].where(slow, ocr["fast"])[both].to_numpy(float)
    routes_s = pair.fast_s + (float(reread.mean()) * pair.slow_s if reread.any() else 0.0)
    affordable = {
        name: of[both].to_numpy(float)
        for name, of in errors.items()
        if not seconds.get(name, math.nan) > routes_s + _AS_CHEAP
    }
    rival = _best(affordable)
    documents = ocr["doc_id"][both].tolist()
    truths = _truths(ocr[both], table, slow[both], rival)
    doubt = _doubt(ocr[both], rival != pair.slow, slow[both])
    verdict = compare(affordable[rival], routed, documents, doubt, truths)
    are_true = int((~np.isnan(truths[0] - truths[1])).sum()) >= FEWEST_LABELLED
    shown = truths if are_true else (affordable[rival], routed)
    offer = Offer(
        best,
        "",
        "true" if are_true else "predicted",
        float(np.nanmean(shown[1])),
        float(np.nanmean(shown[0])),
        routes_s,
        seconds.get(rival, math.nan),
        len(routed),
        len(set(documents)),
        rival,
    )
    if verdict.winner == 1:
        return offer
    worse = offer.routes_error >= offer.engine_error
    return replace(
        offer, reason="routes do worse" if worse else "routes are not shown to do better"
    )


def _single_errors(
    table: pd.DataFrame, ocr: pd.DataFrame, never: Collection[str]
) -> dict[str, pd.Series]:
    """The predicted errors of each engine on the pages, in their order."""
    errors = {}
    for engine, rows in table.groupby("engine", sort=False):
        if engine not in never and is_assessed(rows):
            own = rows[[*KEY, f"{DECIDES}_mean"]]
            merged = ocr[KEY].merge(own, on=KEY, how="left", validate="one_to_one")
            errors[str(engine)] = merged[f"{DECIDES}_mean"]
    return errors


def _best(errors: Mapping[str, pd.Series | np.ndarray]) -> str:
    """The engine with the lowest mean; one with more pages before one with fewer."""
    return min(
        errors,
        key=lambda name: (
            int(np.isnan(np.asarray(errors[name], float)).sum()),
            float(np.nanmean(np.append(np.asarray(errors[name], float), 1.0))),
        ),
    )


def _held_out(ocr: pd.DataFrame, pair: Pair, choose: Chooser) -> tuple[pd.Series, pd.Series]:
    """Where the slower engine is taken, and where it reads, by the other half's threshold."""
    documents = list(dict.fromkeys(ocr["doc_id"]))
    places = {doc: place for place, doc in enumerate(documents)}
    units = ocr["doc_id"].map(places) if len(documents) > 1 else pd.Series(ocr.index)
    first = (units % 2 == 0).set_axis(ocr.index)
    slow = pd.Series(False, index=ocr.index)
    reread = pd.Series(False, index=ocr.index)
    for chosen_for in (first, ~first):
        threshold = choose(curve(ocr[~chosen_for], pair))
        slow[chosen_for] = takes_slow(ocr[chosen_for], threshold)
        reread[chosen_for] = is_reread(ocr[chosen_for], threshold)
    return slow, reread


def _truths(
    ocr: pd.DataFrame, table: pd.DataFrame, slow: pd.Series, rival: str
) -> tuple[np.ndarray, np.ndarray]:
    """The true errors of the single engine and of routes, NaN where no page was transcribed."""
    routed = ocr["slow_true"].where(slow, ocr["fast_true"]).to_numpy(float)
    name = f"true_{DECIDES}"
    if name not in table:
        return np.full(len(ocr), math.nan), routed
    own = table[table["engine"] == rival][[*KEY, name]]
    single = ocr[KEY].merge(own, on=KEY, how="left", validate="one_to_one")[name]
    return single.to_numpy(float), routed


def _doubt(ocr: pd.DataFrame, rival_is_fast: bool, slow: pd.Series) -> float:
    """The deviation of the difference of means: of pages on which routes take another output."""
    differs = slow if rival_is_fast else ~slow
    spreads = [ocr[f"{name}_spread"] for name in ("fast", "slow") if f"{name}_spread" in ocr]
    if not spreads or not differs.any():
        return 0.0
    mean = sum(each[differs].mean() for each in spreads) / len(spreads)
    return float(shipped().doubt["scan"][DECIDES] * mean * differs.mean())


def single_routes(
    pages: pd.DataFrame,
    table: pd.DataFrame,
    offer: Offer,
    seconds: Mapping[str, float],
    invents: Callable[[str, int], bool] = lambda doc_id, page_no: False,
    person_above: float = PERSON_ABOVE,
) -> pd.DataFrame:
    """The table of ``routes.csv`` with one engine for all pages without a usable layer."""
    engine = offer.engine
    own = table[table["engine"] == engine].set_index(KEY)
    rows = []
    for doc_id, page_no, has_layer in pages[[*KEY, "layer"]].itertuples(index=False):
        row = {"document": doc_id, "page": int(page_no) + 1}
        if has_layer:
            row |= {"route": LAYER, "reason": "its text layer is usable", "seconds": 0.0}
        else:
            of = own.loc[(doc_id, page_no)] if (doc_id, page_no) in own.index else None
            error = math.nan if of is None else float(of[f"{DECIDES}_mean"])
            row |= {
                "route": engine,
                "reason": f"one engine for all pages: {offer.reason}",
                "predicted_error": error,
                "low": math.nan if of is None else of[f"{DECIDES}_low"],
                "high": math.nan if of is None else of[f"{DECIDES}_high"],
                "seconds": seconds.get(engine, math.nan),
            }
            if invents(str(doc_id), int(page_no)):
                row |= {"route": PERSON, "reason": f"{engine} invents text on it"}
            elif math.isnan(error):
                row |= {"route": PERSON, "reason": "no output of the page can be assessed"}
            elif error > person_above:
                reason = f"{engine} is the engine for all pages, but above {person_above:.2f}"
                row |= {"route": PERSON, "reason": reason}
        rows.append(row)
    return pd.DataFrame(rows, columns=list(COLUMNS))


def offer_line(offer: Offer) -> str:
    """Why routes are offered, or which engine is to read all pages, with both figures."""
    if not offer.pages:
        return f"one engine for all pages: {offer.engine} ({offer.reason})"
    unit = f"{offer.documents} documents" if offer.documents > 1 else "halves of one document"
    figures = (
        f"{offer.error} error {offer.routes_error:.3f} by routes{_price(offer.routes_s)}, "
        f"{offer.engine_error:.3f} by {offer.compared_with}{_price(offer.engine_s)}, on "
        f"{offer.pages} pages of {unit}, each half by the threshold of the other"
    )
    if offer.is_made:
        return f"routes do better than one engine at their price: {figures}"
    return f"one engine for all pages: {offer.engine}, since {offer.reason}: {figures}"


def _price(seconds: float) -> str:
    return "" if math.isnan(seconds) else f" at {seconds:.2f} s a page"
