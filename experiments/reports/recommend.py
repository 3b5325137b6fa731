"""What is recommended for one's own PDFs, in sentences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set

import pandas as pd

from experiments.analysis.quality import (
    DECIDES,
    engine_estimate,
    engine_verdict,
    of_documents,
)
from experiments.reports.quality import NOT_ASSESSED
from ohr.quality.inference import Estimate
from ohr.study.results import Run

METRIC = "lcs"
CLOSE = 0.02
"""What a cheaper engine may lose of retrieval LCS, or add of wrong characters."""


def not_ranked(engine: str, layers: int) -> str:
    """Why an engine of the text layer is not ranked."""
    return (
        f"{engine} is not ranked: it reads the text layer, which the other engines and the "
        f"questions are held against; {layers} pages have one that can stand for the page"
    )


def _means(run: Run) -> pd.DataFrame:
    """Mean retrieval LCS by noise, engine and retriever."""
    cells = run.cells
    every = cells[
        (cells["group"] == "all") & (cells["stage"] == "retrieval") & (cells["metric"] == METRIC)
    ]
    return every.assign(noise=every["level"].fillna("").astype(str).replace("", "clean"))


def retrieval_lines(run: Run) -> list[str]:
    """Each combination's retrieval, best first within each noise."""
    means = _means(run)
    lines = []
    for noise, part in means.groupby("noise", sort=False):
        ranked = part.sort_values("mean", ascending=False, kind="stable")
        named = [
            f"{row['engine']} + {row['retriever']} {row['mean']:.3f}"
            for row in ranked.to_dict("records")
        ]
        lines.append(f"retrieval LCS, {noise}: {', '.join(named)}")
    return lines


def three_sentences(
    table: pd.DataFrame, seconds: Mapping[str, float], of_layer: Set[str], run: Run | None
) -> list[str]:
    """What to take, how sure that is, and what it costs.

    ``table`` has the predictions of each page and engine, ``seconds`` a page of each engine, NaN
    where they are not known. Engines ``of_layer`` are not ranked.
    """
    engines = [name for name in dict.fromkeys(table["engine"]) if name not in of_layer]
    if not engines:
        return ["Nothing can be recommended: no engine that reads page images was asked for."]
    estimates = {name: engine_estimate(table[table["engine"] == name], DECIDES) for name in engines}
    ranked = table[table["engine"].isin(engines)]
    if run is None and all(one is None for one in estimates.values()):
        return [
            f"Nothing can be recommended: the pages of {', '.join(engines)} are {NOT_ASSESSED}."
        ]
    best, retriever, close, sure = (
        _by_reading(ranked, engines) if run is None else _by_retrieval(run, engines)
    )
    cheaper = cheapest([best, *close], seconds)
    if cheaper != best:
        best, sure = cheaper, f"{sure[:-1]}; {cheaper} is the cheaper."
    with_retriever = f" with {retriever}" if retriever else ", no retriever assessed"
    return [
        f"Take {best}{with_retriever}: {_wrong(estimates[best], of_documents(ranked))}.",
        sure,
        _cost(best, seconds),
    ]


def _wrong(one: Estimate | None, where: str) -> str:
    """How many characters are wrong, if that is assessed."""
    if one is None:
        return (
            "how many characters of a page are wrong is not assessed without a text layer, a "
            "second engine, confidences or transcribed pages"
        )
    return (
        f"about {one.mean:.0%} of the characters of a page{where} are wrong, mark-up aside "
        f"[{max(0.0, one.low):.0%}, {min(1.0, one.high):.0%}]"
    )


def cheapest(engines: Sequence[str], seconds: Mapping[str, float]) -> str:
    """The fastest of engines that do as well; the first where not all were timed."""
    known = {name: seconds.get(name, math.nan) for name in engines}
    if any(math.isnan(value) for value in known.values()):
        return engines[0]
    return min(engines, key=known.__getitem__)


def _by_reading(table: pd.DataFrame, engines: Sequence[str]) -> tuple[str, str, Sequence[str], str]:
    """The best of the engines that are assessed, those that do as well for all that is seen."""
    errors = {
        name: one.mean
        for name in engines
        if (one := engine_estimate(table[table["engine"] == name], DECIDES)) is not None
    }
    best = min(errors, key=errors.__getitem__)
    others = [name for name in engines if name != best]
    verdicts = {name: engine_verdict(table, best, name, DECIDES) for name in others}
    unsure = [name for name, one in verdicts.items() if one is None or one.winner != 0]
    basis = f"{len(table) // len(engines)} pages{of_documents(table)}"
    close = [name for name in unsure if name in errors and errors[name] - errors[best] <= CLOSE]
    return best, "", close, _sure(best, others, unsure, basis, None)


def _by_retrieval(run: Run, engines: Sequence[str]) -> tuple[str, str, Sequence[str], str]:
    """The best engine, its retriever, those that do as well for all that is seen, a sentence."""
    means = _means(run)
    means = means[(means["noise"] == "clean") & means["engine"].isin(engines)]
    clean = means.sort_values("mean", ascending=False, kind="stable")
    best, retriever = str(clean.iloc[0]["engine"]), str(clean.iloc[0]["retriever"])
    others = [name for name in dict.fromkeys(clean["engine"]) if name != best]
    if not others:
        return best, retriever, [], _sure(best, [], [], "", None)
    compared = run.compare(by="engine", metrics=[f"retrieval:{METRIC}"], baseline=best)
    compared = compared[
        (compared["retriever"] == retriever)
        & (compared["level"].fillna("").astype(str) == "")
        & (compared["group"] == "all")
    ]
    unsure, close, needed = [], [], 0
    for row in compared.to_dict("records"):
        if row["ci_high"] < 0 or row["other"] not in others:
            continue
        unsure.append(str(row["other"]))
        if row["difference"] >= -CLOSE:
            close.append(unsure[-1])
        # Towards zero: the interval may end at the worst difference there is, on its other side.
        reach = row["ci_high"] - row["difference"]
        if row["difference"] and math.isfinite(reach):
            needed = max(needed, math.ceil(row["n"] * (reach / row["difference"]) ** 2))
    n = int(clean.iloc[0]["n"])
    sure = _sure(best, others, unsure, f"{n} questions", needed or None)
    return best, retriever, close, sure


def _sure(
    best: str, others: Sequence[str], unsure: Sequence[str], basis: str, needed: int | None
) -> str:
    if not others:
        return "No other engine of page images was asked for, so nothing was compared."
    if not unsure:
        return f"On {basis} it is better than {', '.join(others)}, and chance does not explain it."
    more = f"; about {needed:,} questions would" if needed else ""
    return f"Cannot tell {best} and {', '.join(unsure)} apart on {basis}{more}."


def _cost(best: str, seconds: Mapping[str, float]) -> str:
    timed = {name: value for name, value in seconds.items() if not math.isnan(value)}
    if not timed:
        return "What it costs was not assessed: every page had been read before, untimed."
    named = ", ".join(f"{name} {value:.1f}" for name, value in timed.items())
    return f"Seconds a page and core: {named}."
