"""What ``ohr recommend`` prints: the verdict in at most 15 lines. The rest is in a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.table import Table
from rich.text import Text

from ohr.adviser.page_looks import undetected_clause, unwritable_clause
from ohr.adviser.recommend.advice import Recommendation
from ohr.adviser.recommend.report import verdict_value
from ohr.adviser.recommend.verdicts import TITLES, MeasureVerdict
from ohr.display.terminal import empty_table
from ohr.display.wording import counted
from ohr.files.safe_text import plain
from ohr.ocr.sources import kind_counts
from ohr.report.recommendation import AS_TEXT
from ohr.study.run import PROBLEMS

MOST_LINES = 15
"""Largest number of lines, those of the table too."""
MOST_ENGINES = 5
"""Largest number of engines in the table."""
NAMED = 3
"""Number of engines that are named if the lines are too few for a sentence about each."""
WORSE = "*"
_UNKNOWN = "not known"


def console_lines(result: Recommendation, out: Path) -> list[str | Table]:
    """What is printed: what to take, the engines, the next command, and where the details are."""
    engines = _ranked(result, _assessed(result))
    closing = [*closing_lines(result), *_next_lines(result), _details(result, out)]
    left = MOST_LINES - 1 - len(basis_lines(result)) - len(closing)
    around = 2 if engines else 0  # an empty line, and the table's header
    vetoes = veto_lines(result, left - around - min(MOST_ENGINES, len(engines)))
    rows = min(MOST_ENGINES, len(engines), left - around - len(vetoes))
    table: list[str | Table] = ["", verdict_table(result, rows)] if engines else []
    return [result.sentences[0], *vetoes, *table, *basis_lines(result, rows), *closing]


def veto_lines(result: Recommendation, most: int) -> list[str]:
    """Which engines are never taken: a line for each or, of more than ``most``, for all."""
    vetoes = result.reading.inventions.vetoes
    if len(vetoes) <= max(1, most):
        return [veto.sentence for veto in vetoes.values()]
    names = list(vetoes)
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return [
        f"{len(names)} engines write what is not on the pages, so they are never taken: "
        f"{', '.join(names[:NAMED])}{more} ({AS_TEXT} says what)."
    ]


def _next_lines(result: Recommendation) -> list[str]:
    if result.following is None:
        return []
    return ["", f"next: {result.following.command}", f"      {result.following.price}"]


def _details(result: Recommendation, out: Path) -> str:
    files = [AS_TEXT, "quality.csv"]
    if count := len(result.sample.problems()):
        files.append(f"{PROBLEMS} ({counted(count, 'problem')} with files and pages)")
    return f"details in {out}: {', '.join(files)}"


def _assessed(result: Recommendation) -> list[MeasureVerdict]:
    """The measures of the table: an error of too few pages only if no other is of more."""
    assessed = [verdict for verdict in result.verdicts if verdict.candidates]
    enough = any(verdict.is_error and not verdict.too_few for verdict in assessed)
    return [each for each in assessed if not (enough and each.is_error and each.too_few)]


def verdict_table(result: Recommendation, rows: int) -> Table:
    """A row for each of the first engines that were compared: errors, retrieval and speed."""
    assessed = _assessed(result)
    names = _ranked(result, assessed)
    costs = {cost.engine: cost for cost in result.costs}
    titles = [TITLES[verdict.measure] for verdict in assessed]
    table = empty_table(["engine"], [*titles, "pages an hour"])
    for name in names[:rows]:
        cost = costs.get(name)
        speed = _UNKNOWN if cost is None else cost.speed or _UNKNOWN
        cells = [_cell(verdict, name) for verdict in assessed]
        table.add_row(Text(plain(name)), *cells, speed)
    return table


def basis_lines(result: Recommendation, rows: int = MOST_ENGINES) -> list[str]:
    """What the table of ``rows`` engines rests on, why no more pages were read, and what was not
    assessed."""
    lines = list(result.reading.sentences)
    assessed = _assessed(result)
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
        unlisted = len(_ranked(result, assessed)) - rows
        more = f"; {counted(unlisted, 'more engine')} in {AS_TEXT}" if unlisted > 0 else ""
        lines.append(f"{'; '.join(on)} ({mark}in brackets: 95 % intervals){more}")
    missing = []
    for verdict in result.verdicts:
        if verdict not in assessed:
            without = "; ".join(dict.fromkeys(verdict.not_assessed.values()))
            reasons = verdict.too_few if verdict.candidates else without
            missing.append(f"{TITLES[verdict.measure]} ({reasons})")
    reading = result.reading
    not_readers = [*reading.outputs.of_layer, *reading.inventions.vetoes]
    clauses = (
        unwritable_clause(result.table, not_readers),
        undetected_clause(result.table, not_readers),
        ", ".join(missing),
    )
    unassessed = [text for text in clauses if text]
    if unassessed:
        lines.append(f"not assessed: {'; '.join(unassessed)}")
    return lines


def closing_lines(result: Recommendation) -> list[str]:
    """What was not read, and how predicted errors are corrected, if any were predicted."""
    sample = result.sample
    lines = [f"{name}: {why}" for name, why in sample.left_out.items()] + sample.failure_lines()
    kind = "file or page" if sample.failures else "file"
    kinds = "files or pages" if sample.failures else "files"
    more = f", and {len(lines) - 1} more {kinds if len(lines) > 2 else kind}" * (len(lines) > 1)
    unread = [f"{line.rstrip('.')}{more}" for line in lines[:1]]
    unread += kind_counts(sample.others)
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
