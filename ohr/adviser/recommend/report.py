"""The recommendation in sentences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set

import pandas as pd

from ohr.adviser.quality.report import NOT_ASSESSED
from ohr.adviser.quality.table import (
    DECIDES,
    engine_estimate,
    engine_verdict,
    of_documents,
)
from ohr.adviser.recommend.table import METRIC, Choice, choose
from ohr.analysis.comparison.best import comparison_text, family_line
from ohr.display.labels import interval_units
from ohr.display.wording import excluded, rounded_up, short
from ohr.quality.inference import Estimate
from ohr.study.results import Run

CLOSE = 0.02
"""Largest loss of retrieval LCS, or of right characters, for a faster engine."""
_FOR_POWER = 1 + 0.84 / 1.96
ALONE = "Only one engine of page images was given, so nothing was compared."


def not_ranked(engine: str, layers: int) -> str:
    """Why an engine of the text layer is not ranked."""
    return (
        f"{engine} is not ranked: it reads the text layer, which the other engines and the "
        f"questions are compared with; {layers} pages have a usable one"
    )


def _means(run: Run) -> pd.DataFrame:
    """Mean retrieval LCS by noise, engine and retriever."""
    cells = run.cells
    every = cells[
        (cells["group"] == "all") & (cells["stage"] == "retrieval") & (cells["metric"] == METRIC)
    ]
    return every.assign(noise=every["level"].fillna("").astype(str).replace("", "clean"))


def retrieval_lines(run: Run) -> list[str]:
    """A line per noise: the retrieval LCS of each combination, the best first."""
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
    table: pd.DataFrame,
    seconds: Mapping[str, float],
    of_layer: Set[str],
    run: Run | None,
    levels: Sequence[str] = (),
) -> list[str]:
    """Three sentences: what to take, how sure that is, and what it costs.

    ``table`` has the predictions of each page and engine, ``seconds`` the time per page of each
    engine, NaN if not known. Engines ``of_layer`` are not ranked. With a ``run`` of retrieval, the
    engine is chosen under the noise ``levels``.
    """
    engines = [name for name in dict.fromkeys(table["engine"]) if name not in of_layer]
    if not engines:
        return ["Nothing can be recommended: no engine that reads page images was given."]
    ranked = table[table["engine"].isin(engines)]
    estimates = {name: engine_estimate(table[table["engine"] == name], DECIDES) for name in engines}
    if run is None:
        if all(estimate is None for estimate in estimates.values()):
            named = ", ".join(engines)
            return [f"Nothing can be recommended: the pages of {named} are {NOT_ASSESSED}."]
        engine, basis = _choose_by_errors(ranked, estimates, seconds)
        retriever = ", no retriever assessed"
        if levels:
            basis += f" Noise ({', '.join(levels)}) was not assessed: there are no questions."
    else:
        choice = choose(run, engines)
        engine, retriever = _choose_by_retrieval(choice, seconds)
        retriever = f" with {retriever}"
        basis = _basis(choice, engine)
    return [
        f"Take {engine}{retriever}: {_wrong(estimates[engine], of_documents(ranked))}.",
        basis,
        _cost(engine, seconds),
    ]


def _wrong(estimate: Estimate | None, where: str) -> str:
    """The share of wrong characters, if it is assessed."""
    if estimate is None:
        return (
            "how many characters of a page are wrong is not assessed without a text layer, a "
            "second engine, confidences or transcribed pages"
        )
    return (
        f"about {estimate.mean:.0%} of the characters of a page{where} are wrong, mark-up aside "
        f"[{max(0.0, estimate.low):.0%}, {min(1.0, estimate.high):.0%}]"
    )


def cheapest(engines: Sequence[str], seconds: Mapping[str, float]) -> str:
    """The fastest of some engines; the first if not all were timed."""
    known = {name: seconds.get(name, math.nan) for name in engines}
    if any(math.isnan(value) for value in known.values()):
        return engines[0]
    return min(engines, key=known.__getitem__)


def _choose_by_errors(
    table: pd.DataFrame, estimates: Mapping[str, Estimate | None], seconds: Mapping[str, float]
) -> tuple[str, str]:
    """The engine with the fewest predicted errors, or a faster one, and how sure that is."""
    errors = {name: item.mean for name, item in estimates.items() if item is not None}
    best = min(errors, key=errors.__getitem__)
    others = [name for name in estimates if name != best]
    if not others:
        return best, ALONE
    pairs = math.comb(len(estimates), 2)
    verdicts = {name: engine_verdict(table, best, name, DECIDES, pairs) for name in others}
    compared = {name: item for name, item in verdicts.items() if item is not None}
    worse = [name for name, item in compared.items() if item.winner == 0]
    unsure = {name: item.difference for name, item in compared.items() if name not in worse}
    close = [name for name in unsure if errors[name] - errors[best] <= CLOSE]
    engine = cheapest([best, *close], seconds)
    basis = f"{len(table) // len(estimates)} pages{of_documents(table)}"
    texts = [f"By predicted wrong characters on {basis} {best} is best."]
    texts += [f"Shown to be worse: {', '.join(worse)}."] if worse else []
    if unsure:
        bounds = (f"{name} ({excluded(gap.low, gap.high)})" for name, gap in unsure.items())
        texts.append(f"No significant difference from {best}: {', '.join(bounds)}.")
    if without := [name for name in others if name not in compared]:
        texts.append(f"Not assessed, so not compared: {', '.join(without)}.")
    if engine != best:
        texts.append(f"{engine} is faster.")
    if pairs > 1:
        texts.append(f"Intervals hold at 95 % for all {pairs} comparisons of two engines together.")
    return engine, " ".join(texts)


def _choose_by_retrieval(choice: Choice, seconds: Mapping[str, float]) -> tuple[str, str]:
    """The engine and retriever to take: the best, or a faster engine that may be as good."""
    close = [
        engine
        for engine, candidate in choice.engines.items()
        if candidate == choice.compared.first
        or (
            not choice.compared.standings[candidate].is_worse
            and choice.behind_first(candidate) <= CLOSE
        )
    ]
    return choice.settings[choice.engines[cheapest(close, seconds)]]


def _basis(choice: Choice, engine: str) -> str:
    """The reasons: the best mean, significantly worse engines, and what is not excluded."""
    compared, names = choice.compared, choice.names
    first = compared.first
    where = f"under {' and '.join(choice.levels)} noise" if choice.levels else "on clean pages"
    mean = short(compared.standings[first].mean)
    texts = [f"{names[first]} has the best retrieval LCS {where}: {mean} on {compared.n} questions"]
    texts[0] += f" ({short(choice.clean[first])} on clean pages)." if choice.levels else "."
    if len(names) == 1 and not choice.not_distorted:
        texts.append(ALONE)
    elif len(names) > 1:
        texts.append(comparison_text(names, compared))
        if further := _further_units(choice):
            units = interval_units([compared.unit])
            texts.append(
                f"About {rounded_up(further)} more {units} like these would show differences as "
                "large as measured, four times in five."
            )
        if engine != choice.settings[first][0]:
            texts.append(f"{engine} is faster.")
        of = "engines" if len({r for _, r in choice.settings}) == 1 else "engines with retrievers"
        texts.append(f"{family_line([compared], of).capitalize()}.")
    if choice.not_distorted:
        left_out = ", ".join(choice.not_distorted)
        texts.append(f"Not compared under noise, which only page images have: {left_out}.")
    return " ".join(texts)


def _further_units(choice: Choice) -> int:
    """The number of further documents that would show the measured differences; 0: none.

    Half an interval shrinks with the square root of the number of documents. For a chance of .8 to
    show a difference, it must exceed half the interval, which is at least 1.96 standard errors, by
    .84 standard errors.
    """
    further = 0
    for candidate, standing in enumerate(choice.compared.standings):
        behind, ends = choice.behind_first(candidate), standing.from_first
        if not standing.is_worse and behind > 0 and ends.bound < choice.compared.largest:
            needed = choice.compared.size * (_FOR_POWER * (ends.high - ends.low) / 2 / behind) ** 2
            further = max(further, math.ceil(needed) - choice.compared.size)
    return further


def _cost(best: str, seconds: Mapping[str, float]) -> str:
    timed = {name: value for name, value in seconds.items() if not math.isnan(value)}
    if not timed:
        return "The cost was not assessed: every page had been read before, without its time."
    named = ", ".join(f"{name} {value:.1f}" for name, value in timed.items())
    return f"Seconds per page and core: {named}."
