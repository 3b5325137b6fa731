"""Converts the tables of a page between LaTeX, HTML and Markdown."""

from __future__ import annotations

from dataclasses import dataclass

from ohr.markup.tables.model import MOST_PLACES, ParsedTable, TableFormat
from ohr.markup.tables.parse import parse_tables
from ohr.markup.tables.write import Loss, write_table

_EXTRAS = {
    "lines": Loss("lines", "horizontal lines are left out"),
    "label": Loss("label", "left out"),
    "colours": Loss("colours", "left out"),
    "attributes": Loss("attributes", "left out"),
}
_TOO_LARGE = Loss("size", f"left unchanged: more than {MOST_PLACES:,} places")


@dataclass(frozen=True, slots=True)
class TableLoss:
    """A loss, and the index (0-based) of its table on the page."""

    table: int
    loss: Loss


def convert_tables(text: str, target: TableFormat) -> tuple[str, list[TableLoss]]:
    """The page with every table in the target format, and the losses.

    Tables that have the format already stay the same, to the byte, and so does everything outside
    tables, except for the blank lines around a Markdown table.
    """
    pieces: list[str] = []
    losses: list[TableLoss] = []
    done = 0
    for number, parsed in enumerate(parse_tables(text)):
        if parsed.format == target:
            continue
        if parsed.table.is_too_large:
            losses.append(TableLoss(number, _TOO_LARGE))
            continue
        written, lost = write_table(parsed.table, parsed.format, target)
        lost += [_EXTRAS[name] for name in parsed.extras]
        if parsed.format != "html" and parsed.table.alignments and target == "html":
            lost.append(Loss("alignment", "left out"))
        losses += [TableLoss(number, loss) for loss in lost]
        pieces += [text[done : parsed.span[0]], _apart(text, parsed, written, target)]
        done = parsed.span[1]
    return "".join([*pieces, text[done:]]), losses


def _apart(text: str, parsed: ParsedTable, written: str, target: TableFormat) -> str:
    """A Markdown table with a blank line on each side; other formats unchanged."""
    if target != "markdown":
        return written
    start, end = parsed.span
    line = text.rfind("\n", 0, start) + 1
    if text[line:start].strip():
        written = "\n\n" + written
    elif text[text.rfind("\n", 0, max(line - 1, 0)) + 1 : line].strip():
        written = "\n" + written
    rest = _line_end(text, end)
    if text[end:rest].strip():
        written += "\n\n"
    elif text[rest : _line_end(text, rest + 1)].strip():
        written += "\n"
    return written


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return end if end >= 0 else len(text)
