"""Writes a table in each format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ohr.markup.line_starts import escape_line_starts
from ohr.markup.tables.content import Inner, Node, Text
from ohr.markup.tables.model import Cell, Table, TableFormat
from ohr.markup.tables.read_content import read_content
from ohr.markup.tables.write_content import (
    write_html_content,
    write_latex_content,
    write_markdown_content,
)

_WRITERS = {
    "latex": write_latex_content,
    "html": write_html_content,
    "markdown": write_markdown_content,
}


DEEPEST_TABLES = 3
"""Most levels of tables in tables; deeper ones are written as text."""


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that a table loses when it is converted to another format."""

    kind: str
    """Such as ``merged cells``, ``caption``, ``command``."""
    detail: str = ""


def write_table(table: Table, source: TableFormat, target: TableFormat) -> tuple[str, list[Loss]]:
    """Write a table with contents in the source format in the target format; also the losses."""
    return _write(table, source, target, depth=0)


def _write(
    table: Table, source: TableFormat, target: TableFormat, depth: int
) -> tuple[str, list[Loss]]:
    writer = _Writer(source, target, depth)
    written = {"latex": writer.latex, "html": writer.html, "markdown": writer.markdown}[target](
        table
    )
    losses = dict.fromkeys(writer.losses)
    for name in sorted(writer.lost):
        losses[Loss("command" if name.startswith("\\") else "content", name)] = None
    return written, list(losses)


class _Writer:
    def __init__(self, source: TableFormat, target: TableFormat, depth: int) -> None:
        self.source = source
        self.target = target
        self.depth = depth
        self.losses: list[Loss] = []
        self.lost: set[str] = set()

    def content(self, content: str) -> str:
        """A cell's content in the target format."""
        if not content:
            return ""
        nodes: Sequence[Node] = read_content(content, self.source, self.lost)
        return _WRITERS[self.target](nodes, self.lost, self.inner)

    def inner(self, node: Inner) -> str:
        """A table in a cell. In Markdown, which has none, only its cells, one after the other."""
        parsed = node.parsed
        if self.depth == DEEPEST_TABLES or parsed.table.is_too_large:
            why = "too large" if parsed.table.is_too_large else "too deep"
            self.losses.append(Loss("inner table", f"{why}: its source is written as text"))
            return _WRITERS[self.target]((Text(node.source),), self.lost, self.inner)
        if self.target == "markdown":
            self.losses.append(Loss("inner table", "its cells are written one after the other"))
            nested = _Writer(parsed.format, self.target, self.depth + 1)
            cells = [nested.content(cell.content) for cell in parsed.cells]
            self.lost |= nested.lost
            self.losses += nested.losses
            return " ".join(text for text in cells if text)
        written, losses = _write(parsed.table, parsed.format, self.target, self.depth + 1)
        self.losses += losses
        return written.replace("\n", " ")

    def latex(self, table: Table) -> str:
        """A ``tabular``, in a ``table`` if it has a caption."""
        if any(cell.header for cell in table.cells):
            self.losses.append(Loss("header cells", "written as ordinary cells"))
        columns = [letter or "c" for letter in table.alignments] or ["c"] * table.n_columns
        lines = [r"\begin{tabular}{|" + "|".join(columns) + "|}"]
        for row in _filled(table, covered=True):
            lines.append("  " + " & ".join(map(self._latex_cell, row)) + r" \\")
        lines.append(r"\end{tabular}")
        if table.caption:
            caption = self.content(table.caption)
            lines = [r"\begin{table}", rf"\caption{{{caption}}}", *lines, r"\end{table}"]
        return "\n".join(lines)

    def _latex_cell(self, cell: Cell) -> str:
        content = self.content(cell.content)
        if cell.rowspan > 1:
            content = rf"\multirow{{{cell.rowspan}}}{{*}}{{{content}}}"
        if cell.colspan > 1:
            content = rf"\multicolumn{{{cell.colspan}}}{{|c|}}{{{content}}}"
        return content

    def html(self, table: Table) -> str:
        """A ``table``, one row per line."""
        lines = ["<table>"]
        if table.caption:
            lines.append(f"<caption>{self.content(table.caption)}</caption>")
        for row in _filled(table, covered=False):
            lines.append("<tr>" + "".join(map(self._html_cell, row)) + "</tr>")
        return "\n".join([*lines, "</table>"])

    def _html_cell(self, cell: Cell) -> str:
        tag = "th" if cell.header else "td"
        spans = f' rowspan="{cell.rowspan}"' if cell.rowspan > 1 else ""
        spans += f' colspan="{cell.colspan}"' if cell.colspan > 1 else ""
        return f"<{tag}{spans}>{self.content(cell.content)}</{tag}>"

    def markdown(self, table: Table) -> str:
        """A pipe table; the first row becomes the header, since it needs one."""
        if any(cell.rowspan * cell.colspan > 1 for cell in table.cells):
            detail = "content in the first place of each, the other places are empty"
            self.losses.append(Loss("merged cells", detail))
        if any(cell.header and cell.row > 0 for cell in table.cells):
            self.losses.append(Loss("header cells", "written as ordinary cells"))
        grid = [[""] * table.n_columns for _ in range(table.n_rows)]
        for cell in table.cells:
            grid[cell.row][cell.column] = self.content(cell.content)
        dashes = {"l": ":---", "c": ":---:", "r": "---:"}
        rule = [dashes.get(letter, "---") for letter in table.alignments]
        rows = [grid[0], rule or ["---"] * table.n_columns, *grid[1:]]
        lines = ["| " + " | ".join(row) + " |" for row in rows]
        if table.caption:
            self.losses.append(Loss("caption", "written as a paragraph above the table"))
            # A caption that began a fence would take in the table.
            lines = [escape_line_starts(self.content(table.caption)), "", *lines]
        return "\n".join(lines)


def _filled(table: Table, covered: bool) -> list[list[Cell]]:
    """Cells by row, with empty cells in the gaps.

    With ``covered``, a cell that spans rows has an empty cell of its width in each further row.
    """
    rows: list[list[Cell]] = [[] for _ in range(table.n_rows)]
    occupied: list[set[int]] = [set() for _ in range(table.n_rows)]
    for cell in table.cells:
        rows[cell.row].append(cell)
        for number in range(cell.row, cell.row + cell.rowspan):
            occupied[number].update(range(cell.column, cell.column + cell.colspan))
            if covered and number > cell.row:
                rows[number].append(replace(cell, row=number, content="", rowspan=1))
    for number, row in enumerate(rows):
        gaps = set(range(table.n_columns)) - occupied[number]
        row += [Cell(number, column) for column in gaps]
        row.sort(key=lambda cell: cell.column)
    return rows
