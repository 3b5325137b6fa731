"""Chooses the OCR engine for the pages that need one, by the verdicts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ohr.adviser.recommend.verdicts import CLOSE, TITLES, Candidate, MeasureVerdict


@dataclass(frozen=True)
class Decision:
    """The engine for pages without a usable text layer, and the measure that decided.

    ``engine`` is empty if no engine can be recommended; ``reason`` then says why.
    """

    engine: str
    retriever: str
    reason: str
    by: str = ""


def decide(verdicts: Sequence[MeasureVerdict], seconds: Mapping[str, float]) -> Decision:
    """The best engine by retrieval or, if only they are settled, by wrong characters.

    If neither is settled (:attr:`MeasureVerdict.is_settled`), it is the best by retrieval or, if
    that compares none, by wrong characters. A faster engine is chosen if it is not shown to be
    worse and loses at most :data:`CLOSE`. An engine is never chosen if it is the only one that was
    assessed.
    """
    by_measure = {verdict.measure: verdict for verdict in verdicts}
    deciding = [by_measure[name] for name in ("retrieval", "characters") if name in by_measure]
    for verdict in sorted(deciding, key=lambda verdict: not verdict.is_settled):
        if verdict.best is not None:
            return _chosen(verdict, verdict.best, verdicts, seconds)
    alone = {each.engine for verdict in verdicts for each in verdict.candidates}
    if len(alone) == 1:
        [name] = alone
        return Decision(
            "", "", f"only {name} was assessed, so nothing was compared: name another (--engines)"
        )
    return Decision("", "", "none was assessed")


def _chosen(
    verdict: MeasureVerdict,
    best: Candidate,
    verdicts: Sequence[MeasureVerdict],
    seconds: Mapping[str, float],
) -> Decision:
    close: dict[str, Candidate] = {}
    for each in verdict.candidates:
        if each is best or (not each.is_worse and abs(each.mean - best.mean) <= CLOSE):
            close.setdefault(each.engine, each)
    engine = cheapest(list(close), seconds)
    title = TITLES[verdict.measure]
    equal = [each for each in close.values() if each.mean == best.mean and each.engine != engine]
    if close[engine].mean == best.mean and equal:
        reason = f"by {title} the same as {_names(equal)}"
        timed = [seconds.get(name, math.nan) for name in (engine, *(each.engine for each in equal))]
        reason += ", and faster" if timed[0] < min(timed[1:]) else ""
    elif engine == best.engine:
        reason = f"best by {title}"
        if verdict.unsure:
            reason += ", though not shown to be better than " + _names(verdict.unsure)
    else:
        reason = f"faster than {best.name} and not shown to be worse by {title}"
    reason += _other_measures(engine, verdict, verdicts)
    return Decision(engine, close[engine].retriever, reason, verdict.measure)


def _other_measures(
    engine: str, decided: MeasureVerdict, verdicts: Sequence[MeasureVerdict]
) -> str:
    """Measures by which the chosen engine is shown to be worse."""
    texts = [
        f"by {TITLES[verdict.measure]} {verdict.best.name} is better"
        for verdict in verdicts
        if verdict is not decided and verdict.best is not None
        for each in verdict.shown_worse
        if each.engine == engine and each.name == engine
    ]
    return f"; but {' and '.join(texts)}" if texts else ""


def _names(candidates: Sequence[Candidate]) -> str:
    return ", ".join(each.name for each in candidates)


def cheapest(engines: Sequence[str], seconds: Mapping[str, float]) -> str:
    """The fastest of some engines; the first if not all were timed."""
    known = {name: seconds.get(name, math.nan) for name in engines}
    if any(math.isnan(value) for value in known.values()):
        return engines[0]
    return min(engines, key=known.__getitem__)
