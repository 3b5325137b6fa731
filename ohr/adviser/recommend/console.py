"""What ``ohr recommend`` prints: the verdict in at most 15 lines. The rest is in a file."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from ohr.adviser.recommend.advice import Recommendation
from ohr.adviser.recommend.report import verdict_value
from ohr.adviser.recommend.verdicts import TITLES, MeasureVerdict
from ohr.display.terminal import empty_table
from ohr.files.safe_text import plain

MOST_ENGINES = 5
"""Largest number of engines in the table, and of engines that are named as inventing."""
WORSE = "*"
_UNKNOWN = "not known"


def verdict_lines(result: Recommendation) -> list[str]:
    """What to take, and which engines are never taken."""
    vetoes = [veto.sentence for veto in result.reading.inventions.vetoes.values()]
    lines = [result.sentences[0], *vetoes[:MOST_ENGINES]]
    if len(vetoes) > MOST_ENGINES:
        lines.append(f"{len(vetoes) - MOST_ENGINES} more engines invent what is not on the pages.")
    return lines


def verdict_table(result: Recommendation) -> Table | None:
    """One row for each engine that was compared: its errors, its retrieval and its speed.

    None if no engine was assessed.
    """
    assessed = [verdict for verdict in result.verdicts if verdict.candidates]
    names = _ranked(result, assessed)
    if not names:
        return None
    costs = {cost.engine: cost for cost in result.costs}
    titles = [TITLES[verdict.measure] for verdict in assessed]
    table = empty_table(["engine"], [*titles, "pages an hour"])
    for name in names[:MOST_ENGINES]:
        cost = costs.get(name)
        speed = _UNKNOWN if cost is None else cost.speed or _UNKNOWN
        cells = [_cell(verdict, name) for verdict in assessed]
        table.add_row(Text(plain(name)), *cells, speed)
    return table


def basis_lines(result: Recommendation) -> list[str]:
    """What the table rests on, why no more pages were read, and what was not assessed."""
    lines = list(result.reading.sentences)
    assessed = [verdict for verdict in result.verdicts if verdict.candidates]
    rests_on: dict[str, list[str]] = {}
    for verdict in assessed:
        predicted = "predicted for " * verdict.against.startswith("predicted")
        where = predicted + verdict.rests_on
        layered = verdict.n - verdict.ocr_pages
        if verdict.is_error and verdict.ocr_pages and layered:
            where += f", {layered} of them with a usable text layer"
        rests_on.setdefault(where, []).append(TITLES[verdict.measure])
    if assessed:
        is_marked = any(verdict.shown_worse for verdict in assessed)
        mark = f"{WORSE} shown to be worse than the best; " * is_marked
        on = [f"{' and '.join(titles)}: {where}" for where, titles in rests_on.items()]
        lines.append(f"{'; '.join(on)} ({mark}in brackets: 95 % intervals)")
    more = len(_ranked(result, assessed)) - MOST_ENGINES
    if more > 0:
        lines.append(f"{more} more engines are in the details.")
    missing = []
    for verdict in result.verdicts:
        if not verdict.candidates:
            reasons = "; ".join(dict.fromkeys(verdict.not_assessed.values()))
            missing.append(f"{TITLES[verdict.measure]} ({reasons})")
    if missing:
        lines.append(f"not assessed: {', '.join(missing)}")
    return lines


def closing_lines(result: Recommendation) -> list[str]:
    """What was not read, and how predicted errors are corrected, if any were predicted."""
    sample = result.sample
    lines = [f"{name}: {why}" for name, why in sample.left_out.items()]
    more = f" and {len(lines) - 1} more files" if len(lines) > 1 else ""
    unread = [f"{line}{more}" for line in lines[:1]]
    unread += [f"{count} {suffix or 'without a suffix'}" for suffix, count in sample.others.items()]
    closing = [f"not read: {'; '.join(unread)}"] if unread else []
    if any("predict" in verdict.against for verdict in result.verdicts):
        closing += result.advice.doubts[-1:]
    return closing


def _ranked(result: Recommendation, verdicts: Sequence[MeasureVerdict]) -> list[str]:
    """The engines, the recommended one first, then by the measure that decided."""
    ordered = sorted(verdicts, key=lambda verdict: verdict.measure != result.decision.by)
    engines = [each.engine for verdict in ordered for each in verdict.candidates]
    first = [name for name in engines if name == result.decision.engine]
    return list(dict.fromkeys([*first, *engines]))


def _cell(verdict: MeasureVerdict, engine: str) -> str:
    """An engine's score with its interval by its best retriever, marked if shown to be worse."""
    for each in verdict.candidates:
        if each.engine == engine:
            return verdict_value(each, verdict) + (WORSE if each.is_worse else " ")
    return "not assessed "
