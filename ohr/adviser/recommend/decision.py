"""Chooses the OCR engine for the pages that need one, by the verdicts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ohr.adviser.recommend.limits import FEWEST_PAGES
from ohr.adviser.recommend.verdicts import CLOSE, TITLES, Candidate, MeasureVerdict
from ohr.display.wording import pages_of
from ohr.ocr.price import spoken
from ohr.statistics.numbers import prose
from ohr.statistics.paired import FEWEST_TO_SHOW

UNKNOWN = "which engine is better cannot be said"
DECIDING = ("retrieval", "characters")
"""The measures that can decide, the first one before the second."""


@dataclass(frozen=True)
class Decision:
    """The engine for pages without a usable text layer, and the measure that decided.

    ``engine`` is empty if no engine can be recommended; ``reason`` then says why.
    """

    engine: str
    retriever: str
    reason: str
    by: str = ""
    is_recommendation: bool = True
    """False if ``reason`` is a whole clause: too few pages were read, or none of the kind."""
    rests_on: str = ""
    """What the measure that decided was measured on: ``12 pages of 12 documents``."""
    is_shown: bool = False
    """Whether each other engine is shown to be worse than it, or to be as good within
    :data:`CLOSE`, or all others invent. If not, it is only ahead of others that may be better: on
    generated pages such an engine was the worse one in 0.93 of the draws of 64 pages
    (``docs/results/quality.md``)."""
    is_better: bool = False
    """Whether each other engine is shown to be worse."""

    @property
    def clause(self) -> str:
        """Why there is no engine."""
        if not self.is_recommendation:
            return self.reason
        return f"no OCR engine is recommended: {self.reason}"


def decide(
    verdicts: Sequence[MeasureVerdict],
    seconds: Mapping[str, float],
    page_s: float = math.nan,
    *,
    unread: float = math.inf,
    vetoed: Sequence[str] = (),
) -> Decision:
    """The best engine by retrieval or, if only they are settled, by wrong characters.

    If neither is settled (:attr:`MeasureVerdict.is_settled`), it is the best by retrieval or, if
    that decides nothing (:attr:`MeasureVerdict.decides`), by wrong characters. A faster engine is
    chosen only if it has the same score on every page or question, or the whole interval of its
    distance from the best is within :data:`CLOSE`: by every measure that compares engines. An
    engine is never chosen if it is the only one that was assessed.

    ``seconds`` are those by which one engine is faster than another, ``page_s`` the wall seconds of
    a page with all engines. ``unread`` is the number of pages that were not read. Engines of
    ``vetoed`` invent text and have no verdict. If only one engine remains, it is taken.
    """
    if vetoed:
        remaining = list(dict.fromkeys(c.engine for v in verdicts for c in v.candidates))
        if len(remaining) < 2:
            return _only_left(remaining, verdicts, vetoed)
    by_measure = {verdict.measure: verdict for verdict in verdicts}
    ranked = [by_measure[name] for name in DECIDING if name in by_measure]
    for verdict in sorted(ranked, key=lambda verdict: not verdict.is_settled):
        if verdict.decides and verdict.best is not None:
            return _chosen(verdict, verdict.best, verdicts, seconds)
    compared = [verdict for verdict in ranked if verdict.is_compared]
    if compared:
        return _undecided(compared, seconds, page_s, unread=unread)
    alone = {each.engine for verdict in verdicts for each in verdict.candidates}
    if len(alone) == 1:
        [name] = alone
        return Decision(
            "", "", f"only {name} was assessed, so nothing was compared: name another (--engines)"
        )
    return Decision("", "", "none was assessed")


def _only_left(
    remaining: Sequence[str], verdicts: Sequence[MeasureVerdict], vetoed: Sequence[str]
) -> Decision:
    """The engine that remains where all others invent."""
    names = " and ".join(vetoed)
    invent = f"{names} invent{'s' * (len(vetoed) == 1)} what is not on the pages"
    if not remaining:
        return Decision("", "", invent)
    retrievers = [c.retriever for v in verdicts if v.measure == "retrieval" for c in v.candidates]
    reason = f"the only engine that is left: {invent}"
    retriever = next(iter(retrievers), "")
    return Decision(remaining[0], retriever, reason, "invented text", is_shown=True)


def _undecided(
    compared: Sequence[MeasureVerdict],
    seconds: Mapping[str, float],
    page_s: float,
    *,
    unread: float,
) -> Decision:
    """No engine: each measure is of too few or of other pages, or at an end of its scale."""
    clause = ""
    if not any(verdict.needs_ocr for verdict in compared):
        ocr_pages = max(verdict.ocr_pages for verdict in compared)
        clause = _too_few_of_kind(ocr_pages, unread=unread)
    elif all(verdict.too_few for verdict in compared):
        clause = _too_few(compared, page_s, unread=unread)
    if clause:
        return Decision("", "", clause, is_recommendation=False)
    reason = f"{' and '.join(map(_why_not, compared))}, so nothing decides"
    engines = list(dict.fromkeys(_engines(compared[0].candidates)))
    is_timed = not any(math.isnan(seconds.get(name, math.nan)) for name in engines)
    if is_timed and all(verdict.limit == "ceiling" for verdict in compared):
        reason += f" ({cheapest(engines, seconds)} is the fastest)"
    return Decision("", "", reason)


def _too_few_of_kind(pages: int, *, unread: float) -> str:
    if not pages:
        return "which engine is better is not known: no page without a usable text layer was read"
    were = "such page was" if pages == 1 else "such pages were"
    more = "" if unread > 0 else ", and these files have no more"
    known = f"which engine is better is not known: {pages} {were} read"
    return f"{known}, {FEWEST_PAGES} are needed{more}"


def _why_not(verdict: MeasureVerdict) -> str:
    title = TITLES[verdict.measure]
    if not verdict.needs_ocr:
        return f"{title} is known of too few pages without a usable text layer"
    if verdict.too_few:
        return f"{title} is of {verdict.too_few}"
    return f"by {title} all engines are at the {verdict.limit}"


def _too_few(verdicts: Sequence[MeasureVerdict], page_s: float, *, unread: float) -> str:
    errors = [verdict for verdict in verdicts if verdict.is_error]
    if not errors:
        return f"{UNKNOWN} from {verdicts[0].too_few}; use {FEWEST_TO_SHOW} or more"
    pages = errors[0].n
    more = FEWEST_PAGES - pages
    text = f"{UNKNOWN} from {pages_of(pages)}: {FEWEST_PAGES} are needed"
    if unread < more:
        return f"{text}, and these files have {unread or 'no'} more"
    time = f", {spoken(more * page_s)}" if page_s > 0 else ""  # NaN if it is not known
    return f"{text}, {more} more{time}"


def _chosen(
    verdict: MeasureVerdict,
    best: Candidate,
    verdicts: Sequence[MeasureVerdict],
    seconds: Mapping[str, float],
) -> Decision:
    rest = [
        other
        for other in verdicts
        if other is not verdict and other.is_compared and not other.limit
    ]
    ties = [best, *(each for each in verdict.candidates if each.is_same)]
    first = min(ties, key=lambda each: [_place(other, each.engine) for other in rest])
    taken = {first.engine: first}
    for each in verdict.candidates:
        if _is_equivalent(each, verdict) and all(_is_equal_by(o, each.engine) for o in rest):
            taken.setdefault(each.engine, each)
    engine = cheapest(list(taken), seconds)
    if engine in _engines(ties):
        reason = _best_reason(engine, ties, verdict, seconds)
    else:
        *most, last = (TITLES[each.measure] for each in (verdict, *rest))
        by = f"{', '.join(most)} and {last}" if most else last
        reason = f"faster than {first.name}, and at most {prose(CLOSE)} from the best by {by}"
    reason += _other_measures(engine, verdict, verdicts)
    is_shown = all(each.is_close or each.is_same for each in verdict.unsure)
    is_better = engine in _engines(ties) and verdict.is_settled and not verdict.unsure
    return Decision(
        engine,
        taken[engine].retriever,
        reason,
        verdict.measure,
        rests_on=verdict.rests_on,
        is_shown=is_shown,
        is_better=is_better,
    )


def _best_reason(
    engine: str,
    ties: Sequence[Candidate],
    verdict: MeasureVerdict,
    seconds: Mapping[str, float],
) -> str:
    """Why an engine with the best mean, or with the same scores as the best, is taken."""
    title = TITLES[verdict.measure]
    reason = f"best by {title}"
    if verdict.shown_worse and not verdict.unsure:
        reason = f"shown to be {reason}"
    if same := [each for each in ties if each.engine != engine]:
        unit = "question" if verdict.measure == "retrieval" else "page"
        reason = f"by {title} the same as {_names(same)} on every {unit}"
        reason += ", and faster" if _is_faster(engine, same, seconds) else ""
    unsure = [each for each in verdict.unsure if each not in ties]
    if unsure and all(each.is_close for each in unsure):
        near = f"as good as {_names(unsure)} within {prose(CLOSE)}"
        reason = f"{reason}, and {near}" if same else f"{near} by {title}"
        if not same and _is_faster(engine, unsure, seconds):
            reason += ", and faster"
    elif unsure:
        ahead = reason if same else f"best mean of {title}"
        reason = f"{ahead}; {_names(unsure)} may be better"
    return reason


def _is_faster(engine: str, others: Sequence[Candidate], seconds: Mapping[str, float]) -> bool:
    timed = [seconds.get(name, math.nan) for name in (engine, *_engines(others))]
    return timed[0] < min(timed[1:])


def _is_equivalent(candidate: Candidate, verdict: MeasureVerdict) -> bool:
    """Whether a candidate is the best, or is shown to be as good within :data:`CLOSE`."""
    if candidate is verdict.best or candidate.is_same:
        return True
    return candidate.is_close and not candidate.is_worse


def _is_equal_by(verdict: MeasureVerdict, engine: str) -> bool:
    """Whether another measure shows an engine to be as good as its best; not if it has none."""
    of_engine = [each for each in verdict.candidates if each.engine == engine]
    return any(_is_equivalent(each, verdict) for each in of_engine)


def _place(verdict: MeasureVerdict, engine: str) -> int:
    engines = _engines(verdict.candidates)
    return engines.index(engine) if engine in engines else len(engines)


def _engines(candidates: Sequence[Candidate]) -> list[str]:
    return [each.engine for each in candidates]


def _other_measures(
    engine: str, decided: MeasureVerdict, verdicts: Sequence[MeasureVerdict]
) -> str:
    """Measures by which the chosen engine is shown to be worse."""
    texts = [
        f"by {TITLES[verdict.measure]} {verdict.best.name} is better"
        for verdict in verdicts
        if verdict is not decided and verdict.best is not None and not verdict.limit
        for each in verdict.shown_worse
        if each.engine == engine and each.name == engine
    ]
    return f"; but {' and '.join(texts)}" if texts else ""


def _names(candidates: Sequence[Candidate]) -> str:
    return ", ".join(each.name for each in candidates)


def cheapest(engines: Sequence[str], seconds: Mapping[str, float]) -> str:
    """The fastest of some engines; the first if not all were timed."""
    known_values = {name: seconds.get(name, math.nan) for name in engines}
    if any(math.isnan(value) for value in known_values.values()):
        return engines[0]
    return min(engines, key=known_values.__getitem__)
