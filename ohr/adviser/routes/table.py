"""The route of each page by predicted errors, and what a threshold costs and brings.

**The rule.** A page with a usable text layer takes the layer, which is free. Any other page is read
by the faster engine. If the error that its output alone predicts is above the threshold, or cannot
be predicted, the slower engine reads the page too; of both, the one with the lower predicted error
is taken, now with their disagreement as a signal. But the slower engine's output is not taken if it
has less than :data:`LEAST_LENGTH` of the other's characters: engines may lose lines of a distorted
page and be confident of the others, which no prediction shows. If even the prediction of the output
that is taken is above :data:`PERSON_ABOVE`, or there is none, the page is for a person.

A prediction needs the output of the faster engine first, so its seconds count on every page that is
read. The error is the edit distance without mark-up.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ohr.adviser.quality.table import DECIDES, is_assessed
from ohr.ocr.routes import COLUMNS, LAYER, PERSON
from ohr.statistics.numbers import percent
from ohr.types import PageRef

PERSON_ABOVE = 0.2
"""A page with a larger predicted error is badly read, as in ``quality check``."""
LEAST_LENGTH = 0.9
"""Least part of the faster engine's characters that the slower engine's output must have."""
GAIN = 0.95
"""Share of the slower engine's gain that a threshold should keep."""
THRESHOLDS = 50
"""Most thresholds of a curve."""
ROUTED = "routed"
KEY = ["doc_id", "page_no"]


@dataclass(frozen=True)
class Pair:
    """Two engines, and their seconds per page; NaN if not known."""

    fast: str
    slow: str
    fast_s: float = math.nan
    slow_s: float = math.nan


def choose_pair(
    table: pd.DataFrame,
    seconds: Mapping[str, float],
    of_layer: Collection[str] = (),
    faster_by: Mapping[str, float] | None = None,
) -> Pair | None:
    """The fastest engine, and of the others the one with the lowest mean predicted error.

    ``seconds`` are the price of a page, ``faster_by`` those by which one engine is faster than
    another, by default the same. ``table`` has one row per page and engine, with predictions.
    Engines of ``of_layer``, which read text layers, and engines without any assessed page do not
    count. If ``faster_by`` lacks one, the first engine in the table counts as the fastest. None
    with fewer than two engines.
    """
    means = {
        str(engine): float(rows[f"{DECIDES}_mean"].mean())
        for engine, rows in table.groupby("engine", sort=False)
        if engine not in of_layer and is_assessed(rows)
    }
    if len(means) < 2:
        return None
    order = seconds if faster_by is None else faster_by
    known_values = {engine: order.get(engine, math.nan) for engine in means}
    ordered = list(means)
    if not any(map(math.isnan, known_values.values())):
        ordered.sort(key=lambda engine: known_values[engine])
    fast, *rest = ordered
    slow = min(rest, key=lambda engine: means[engine])
    return Pair(fast, slow, seconds.get(fast, math.nan), seconds.get(slow, math.nan))


def page_predictions(
    alone: pd.DataFrame, table: pd.DataFrame, layers: Mapping[PageRef, str | None], pair: Pair
) -> pd.DataFrame:
    """One row per page, with the predicted error of each output.

    ``alone`` has the predictions of the faster engine by its own output, ``table`` those by the
    outputs of all engines, and true errors where they are known. The columns are ``doc_id``,
    ``page_no``, ``layer`` (whether it is usable), and for ``alone``, ``fast`` and ``slow`` the mean
    prediction with ``_low`` and ``_high``, and the characters (``_length``); ``fast_true`` and
    ``slow_true``. Unknown values are NaN.
    """
    parts = {"alone": alone[alone["engine"] == pair.fast]}
    parts |= {name: table[table["engine"] == label] for name, label in _named(pair)}
    pages = table[KEY].drop_duplicates().reset_index(drop=True)
    for name, rows in parts.items():
        columns = {DECIDES + end: name + to for end, to in _ENDS.items() if DECIDES + end in rows}
        if f"true_{DECIDES}" in rows and name != "alone":
            columns[f"true_{DECIDES}"] = f"{name}_true"
        own = rows[[*KEY, *columns]].rename(columns=columns)
        own[f"{name}_length"] = 10 ** rows["length"].astype(float) - 1
        pages = pages.merge(own, on=KEY, how="left", validate="one_to_one")
    for name in ("fast_true", "slow_true"):
        pages[name] = pages[name].astype(float) if name in pages else math.nan
    refs = zip(pages["doc_id"], pages["page_no"], strict=True)
    pages["layer"] = [layers.get(PageRef(str(doc), int(no))) is not None for doc, no in refs]
    return pages


_ENDS = {"_mean": "", "_low": "_low", "_high": "_high", "_spread": "_spread"}


def _named(pair: Pair) -> tuple[tuple[str, str], tuple[str, str]]:
    return ("fast", pair.fast), ("slow", pair.slow)


def is_reread(pages: pd.DataFrame, threshold: float) -> pd.Series:
    """Whether the slower engine reads a page too: its prediction is above, or there is none."""
    invents = pages.get("fast_invents", False)
    return ~pages["layer"] & (~(pages["alone"] <= threshold) | invents)


def takes_slow(pages: pd.DataFrame, threshold: float) -> pd.Series:
    """Whether the slower engine's output is taken: it was made, is predicted to be better, and is
    not cut short.

    An output that is not assessed is never taken in place of one that is.
    """
    complete = ~(pages["slow_length"] < LEAST_LENGTH * pages["fast_length"])
    better = (pages["slow"] < pages["fast"]) | (pages["fast"].isna() & pages["slow"].notna())
    taken = is_reread(pages, threshold) & better & complete
    if "slow_invents" not in pages:
        return taken
    # Whatever is predicted: a page is never taken of an engine that invents on it.
    other = is_reread(pages, threshold) & pages["fast_invents"]
    return (taken | other) & ~pages["slow_invents"]


def page_routes(
    pages: pd.DataFrame, pair: Pair, threshold: float, person_above: float = PERSON_ABOVE
) -> pd.DataFrame:
    """The table of ``routes.csv``, in the order of the pages of :func:`page_predictions`."""
    again, slow = is_reread(pages, threshold), takes_slow(pages, threshold)
    rows = []
    for place, page in enumerate(pages.to_dict("records")):
        row: dict[str, Any] = {"document": page["doc_id"], "page": int(page["page_no"]) + 1}
        if page["layer"]:
            row |= {"route": LAYER, "reason": "its text layer is usable", "seconds": 0.0}
            rows.append(row)
            continue
        reread = bool(again.iloc[place])
        source = "slow" if slow.iloc[place] else "fast" if reread else "alone"
        error = float(page[source])
        row |= {
            "route": pair.slow if source == "slow" else pair.fast,
            "reason": _reason(page, pair, threshold, source),
            "predicted_error": error,
            "low": page[f"{source}_low"],
            "high": page[f"{source}_high"],
            "seconds": pair.fast_s + (pair.slow_s if reread else 0.0),
        }
        if page.get(f"{'slow' if source == 'slow' else 'fast'}_invents"):
            both = "both engines invent" if page["slow_invents"] else f"{pair.fast} invents"
            row |= {"route": PERSON, "reason": f"{both} text on it"}
        elif math.isnan(error):
            row |= {"route": PERSON, "reason": "no output of the page can be assessed"}
        elif error > person_above:
            row |= {
                "route": PERSON,
                "reason": f"{row['route']} is the best, but above {person_above:.2f}",
            }
        rows.append(row)
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _reason(page: Mapping[Any, Any], pair: Pair, threshold: float, source: str) -> str:
    alone = float(page["alone"])
    first = (
        f"{pair.fast} cannot be assessed by its own output"
        if math.isnan(alone)
        else f"{pair.fast} alone predicts {alone:.3f}, threshold {threshold:.3f}"
    )
    if source == "alone":
        return first
    by_both = " and ".join(f"{label} {float(page[name]):.3f}" for name, label in _named(pair))
    by_both = by_both.replace("nan", "not assessed")
    part = page["slow_length"] / page["fast_length"] if page["fast_length"] else 1.0
    cut = f"; {pair.slow} has only {percent(part)} of its characters" if part < LEAST_LENGTH else ""
    inventor = [label for name, label in _named(pair) if page.get(f"{name}_invents")]
    made_up = f"; {' and '.join(inventor)} invents text on it" if inventor else ""
    return f"{first}; both read it: {by_both}{cut}{made_up}"


def curve(pages: pd.DataFrame, pair: Pair, thresholds: Collection[float] = ()) -> pd.DataFrame:
    """What each threshold brings, on the pages without a usable layer.

    One row per threshold with the ``rule`` *routed*, in descending order, then one for each engine
    on every page. ``reread`` is the share of pages that both engines read, ``seconds`` are a mean
    per page, ``predicted_error`` is over the ``n_predicted`` pages on which both are assessed,
    ``true_error`` over the ``n_true`` pages with a truth. Pages for a person keep their best
    output's error. By default the thresholds are quantiles of the predictions.
    """
    ocr = pages[~pages["layer"]].reset_index(drop=True)
    if ocr.empty:
        return pd.DataFrame()
    values = ocr["alone"].dropna().to_numpy(float)
    if not len(thresholds):
        values = np.unique([0.0, 1.0, *values])
        places = np.linspace(0, 1, min(THRESHOLDS, len(values)))
        thresholds = np.quantile(values, places, method="nearest")
    rows = []
    for threshold in sorted(map(float, thresholds), reverse=True):
        share = float(is_reread(ocr, threshold).mean())
        row = {"rule": ROUTED, "threshold": threshold, "reread": share}
        row["seconds"] = pair.fast_s + (share * pair.slow_s if share else 0.0)
        rows.append(row | _errors(ocr, takes_slow(ocr, threshold)))
    for name, label in _named(pair):
        taken = pd.Series(name == "slow", index=ocr.index)
        seconds = pair.slow_s if name == "slow" else pair.fast_s
        row = {"rule": label, "threshold": math.nan, "reread": math.nan, "seconds": seconds}
        rows.append(row | _errors(ocr, taken))
    return pd.DataFrame(rows)


def _errors(ocr: pd.DataFrame, slow: pd.Series) -> dict[str, float]:
    """Mean predicted and true error if the slower engine's output is taken where ``slow``."""
    predicted = ocr["slow"].where(slow, ocr["fast"])[ocr["fast"].notna() & ocr["slow"].notna()]
    is_known = ocr["fast_true"].notna() & ocr["slow_true"].notna()
    true = ocr["slow_true"].where(slow, ocr["fast_true"])[is_known]
    return {
        "predicted_error": float(predicted.mean()),
        "n_predicted": len(predicted),
        "true_error": float(true.mean()),
        "n_true": len(true),
    }


def choose_threshold(
    table: pd.DataFrame, pair: Pair, error: str = "predicted_error", share: float = GAIN
) -> float:
    """The largest threshold of a curve that keeps a share of the gain.

    The gain is the faster engine's mean ``error`` less the slower one's or, if that is less or the
    slower one has none, less that of re-reading every page. Without any gain the threshold is 1,
    which re-reads only pages that cannot be assessed.
    """
    of_rule = table.set_index("rule")[error]
    routed = table[table["rule"] == ROUTED]
    gains = (of_rule[pair.fast] - routed[error]).to_numpy(float)
    of_slow = float(of_rule[pair.fast] - of_rule[pair.slow])
    gain = min(gains[-1], of_slow) if of_slow > 0 else gains[-1]
    if not gain > 0:
        return 1.0
    return float(routed["threshold"][gains >= share * gain - 1e-12].max())


def affordable_threshold(
    table: pd.DataFrame, pair: Pair, most: float, without_layer: float = 1.0
) -> float:
    """The lowest threshold of a curve with which routes take at most a share of the seconds.

    ``most`` is a share of the seconds that the slower engine takes to read every page, of which
    ``without_layer`` have no usable layer. If the faster engine alone takes more, or the seconds
    are not known, the threshold is 1, which re-reads only pages that cannot be assessed.
    """
    routed = table[table["rule"] == ROUTED]
    fits = routed["seconds"] * without_layer <= most * pair.slow_s
    return float(routed["threshold"][fits].min()) if fits.any() else 1.0
