r"""Parses LaTeX tables: ``tabular`` and similar environments, with or without a ``table``.

OCR output is not always valid LaTeX, so two rules differ from TeX's. A ``%`` starts a comment only
on a separate line without ``&`` and ``\\``; elsewhere it is a percent sign that an engine did not
escape. ``\\`` takes a star or a length only from the same line: the next line is a cell.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from ohr.markup.tables.latex_lexer import EDGE, closed_environments, group_at, kept_cuts, rows
from ohr.markup.tables.model import MOST_SPANNED, Cell, ParsedTable, Span, Table, settle

_WITH_WIDTH = ("tabular*", "tabularx", "tabulary")
_FLOATS = ("table", "table*")

_DEEPEST = 4
"""Most span commands around one cell's content."""

_CELL_START = re.compile(
    r"(?:\s+|(?P<line>\\(?:hline|toprule|midrule|bottomrule|hdashline|endhead|endfirsthead|endfoot"
    r"|endlastfoot|noalign\{[^{}]*\})(?![a-zA-Z])(?:[ \t]*\[[^\]\n]{0,20}\])?"
    r"|\\(?:cline|cmidrule|cdashline)[ \t]*(?:\([^()\n]{0,9}\))?[ \t]*\{[^{}\n]{0,20}\})"
    r"|(?P<colour>\\(?:rowcolor|cellcolor)[ \t]*(?:\[[^\]\n]{0,20}\])?[ \t]*\{[^{}\n]{0,40}\})"
    r"|^[ \t]*%[^\n&\\]*(?=\n))",
    re.MULTILINE,
)
_BLANK = re.compile(r"\n[ \t]*\n")
_COLUMNS = re.compile(r"\\multicolumn[ \t]*\{[ \t]*(\d{1,3})[ \t]*\}\s*")
_ROWS = re.compile(
    r"\\multirow[ \t]*(?:\[[a-z]\])?[ \t]*\{[ \t]*(-?\d{1,3})[ \t]*\}"
    r"[ \t]*(?:\[[^\]\n]{0,20}\])?\s*"
)
_FLOAT_HEAD = re.compile(
    r"\s+|\\(?:centering|raggedright|small|footnotesize|scriptsize|tiny|normalsize|caption\*?"
    r"(?=\s*[\[{]))(?![a-zA-Z])|(?P<label>\\label\s*\{[^{}\n]{0,200}\})|\[[^\]\n]{0,20}\]"
)


def parse_latex(text: str) -> list[ParsedTable]:
    """Every balanced LaTeX table of a page, in order; inner tables stay in their cell.

    A tabular that is never closed, as when an engine stopped, ends before the next blank line, the
    next table or the page's end.
    """
    if "\\begin" not in text:
        return []
    parsed: list[ParsedTable] = []
    for edge, inner in _environments(text):
        if edge.name not in _FLOATS:
            if (table := _tabular(text, edge)) is not None:
                parsed.append(table)
            continue
        tables = [t for e in inner if (t := _tabular(text, e)) is not None]
        if len(tables) == len(inner) == 1:
            tables = [_extend_to_float(text, edge, inner[0], tables[0])]
        parsed += tables
    return parsed


@dataclass(frozen=True, slots=True)
class _Environment:
    name: str
    start: int
    """The position of ``\\begin``."""
    body: Span
    end: int
    """After the closing ``\\end{…}``."""


def _environments(text: str) -> list[tuple[_Environment, list[_Environment]]]:
    """The outermost environments of tables, each with the outermost tabulars in it.

    An ``\\end`` closes the nearest environment of its name.
    """
    edges = list(EDGE.finditer(text))
    marks = [(mark[2], mark[1] == "begin", mark.span()) for mark in edges]
    environments = [
        _Environment(name, begin[0], (begin[1], end[0]), end[1])
        for name, begin, end in closed_environments(marks)
    ]
    closed = {environment.start for environment in environments}
    limits = [*(mark.start() for mark in edges[1:]), len(text)]
    for mark, limit in zip(edges, limits, strict=False):
        if mark[1] == "begin" and mark[2] not in _FLOATS and mark.start() not in closed:
            end = _open_end(text, mark.end(), limit)
            if "&" not in (body := text[mark.end() : end]) and "\\\\" not in body:
                continue
            environments.append(_Environment(mark[2], mark.start(), (mark.end(), end), end))
    environments.sort(key=lambda e: e.start)
    outer: list[tuple[_Environment, list[_Environment]]] = []
    for env in environments:
        if not outer or env.start >= outer[-1][0].end:
            outer.append((env, []))
        elif outer[-1][0].name in _FLOATS and env.name not in _FLOATS:
            inner = outer[-1][1]
            if not inner or env.start >= inner[-1].end:
                inner.append(env)
    return outer


def _open_end(text: str, start: int, end: int) -> int:
    """Where an environment without an ``\\end`` ends."""
    blank = _BLANK.search(text, start, end)
    return start + len(text[start : end if blank is None else blank.start()].rstrip())


@dataclass(slots=True)
class _Builder:
    """Collects the cells of a tabular's body, row by row."""

    text: str
    cells: list[Cell] = field(default_factory=list)
    row: int = 0
    column: int = 0
    width: int = 0
    extras: set[str] = field(default_factory=set)
    hanging: list[int] = field(default_factory=list)
    """Indices of cells whose row span reaches upwards."""

    def add(self, start: int, end: int) -> None:
        """The cell between two separators."""
        text = self.text
        while start < end and (text[start] in "\\%" or text[start].isspace()):
            mark = _CELL_START.match(text, start, end)
            if mark is None or mark.end() == start:
                break
            start = mark.end()
            for extra in ("line", "colour"):
                if mark[extra]:
                    self.extras.add(f"{extra}s")
        end = _trimmed_end(text, start, end)
        colspan, rowspan = 1, 1
        for _ in range(_DEEPEST if text.startswith("\\multi", start) else 0):
            inside = None
            if columns := _COLUMNS.match(text, start, end):
                inside = _last_argument(text, columns.end(), end)
                if inside is not None:
                    colspan = min(max(1, int(columns[1])), MOST_SPANNED)
            elif rows := _ROWS.match(text, start, end):
                inside = _last_argument(text, rows.end(), end)
                if inside is not None:
                    rowspan = max(-MOST_SPANNED, min(int(rows[1]) or 1, MOST_SPANNED))
            if inside is None:
                break
            start, end = inside
            while start < end and text[start].isspace():
                start += 1
            end = _trimmed_end(text, start, end)
        if rowspan < 0:
            self.hanging.append(len(self.cells))
        self.cells.append(
            Cell(
                self.row,
                self.column,
                text[start:end],
                rowspan=rowspan,
                colspan=colspan,
                content_span=(start, end),
            )
        )
        self.column += colspan

    def end_row(self) -> None:
        self.width = max(self.width, self.column)
        self.row += 1
        self.column = 0


def _trimmed_end(text: str, start: int, end: int) -> int:
    while end > start and text[end - 1].isspace():
        end -= 1
    # A backslash and a space are one token, so that space must stay.
    if end < len(text) and end > start and text[end - 1] == "\\" and text[end] == " ":
        slashes = 0
        while end - slashes > start and text[end - slashes - 1] == "\\":
            slashes += 1
        end += slashes % 2
    return end


def _last_argument(text: str, position: int, end: int) -> Span | None:
    """The inside of the second of two arguments, if nothing follows it in the cell."""
    first = group_at(text, position, end)
    second = group_at(text, first[1] + 1, end) if first else None
    if second is None or text[second[1] + 1 : end].strip():
        return None
    return second


def _tabular(text: str, env: _Environment) -> ParsedTable | None:
    position, end = env.body
    if env.name in _WITH_WIDTH:
        width = group_at(text, position, end)
        if width is None:
            return None
        position = width[1] + 1
    if (optional := group_at(text, position, end, "[]")) is not None:
        position = optional[1] + 1
    spec = group_at(text, position, end)
    if spec is None:
        return None
    alignments = _alignments(text[spec[0] : spec[1]])
    body = (spec[1] + 1, end)
    builder = _Builder(text)
    boundaries = [body[0]]
    for separators, after in rows(text, *body):
        if separators is None:
            return None
        start, end_of_row, last = separators[0], separators[-1], after < 0
        cuts = separators[1:-1]
        if last and not cuts:
            blank = _Builder(text)
            blank.add(start, end_of_row)
            builder.extras |= blank.extras
            if not blank.cells[0].content and blank.cells[0].colspan == 1:
                break
        for cut in kept_cuts(text, start, cuts, end_of_row, len(alignments)):
            builder.add(start, cut)
            start = cut + 1
        builder.add(start, end_of_row)
        builder.end_row()
        if not last:
            boundaries.append(after)
    if not builder.cells:
        return None
    n_columns = max(builder.width, len(alignments))
    table = Table(
        settle(_raised(builder), builder.row),
        builder.row,
        n_columns,
        alignments=alignments + ("",) * (n_columns - len(alignments)),
    )
    return ParsedTable(
        "latex", (env.start, env.end), table, tuple(boundaries), tuple(sorted(builder.extras))
    )


def _raised(builder: _Builder) -> list[Cell]:
    r"""Move cells of ``\multirow{-n}`` to the first row that they cover, over empty cells only."""
    cells = builder.cells
    if not builder.hanging:
        return cells
    position = {(cell.row, cell.column): i for i, cell in enumerate(cells)}
    dropped: set[int] = set()
    for i in builder.hanging:
        cell = cells[i]
        top = cell.row
        while top > max(0, cell.row + cell.rowspan + 1):
            j = position.get((top - 1, cell.column))
            above = cells[j] if j is not None else None
            if j is None or above is None or j in dropped or above.content or above.rowspan != 1:
                break
            if above.colspan != cell.colspan:
                break
            dropped.add(j)
            top -= 1
        cells[i] = replace(cell, row=top, rowspan=cell.row - top + 1)
    remaining = [cell for i, cell in enumerate(cells) if i not in dropped]
    return sorted(remaining, key=lambda cell: (cell.row, cell.column))


DEEPEST_REPEATED = 4


def _alignments(spec: str, depth: int = 0) -> tuple[str, ...]:
    """A letter for each column of a ``tabular``'s argument; paragraphs are left-aligned.

    Repetitions may be nested up to :data:`DEEPEST_REPEATED`.
    """
    letters: list[str] = []
    i = 0
    while i < len(spec) and len(letters) < MOST_SPANNED:
        char = spec[i]
        if char in "lcrXLCRSpmbdD":
            letters.append({"c": "c", "C": "c", "r": "r", "R": "r"}.get(char, "l"))
        if char == "*" and (count := group_at(spec, i + 1, len(spec))):
            repeated = group_at(spec, count[1] + 1, len(spec))
            number = spec[slice(*count)].strip()
            deep = depth == DEEPEST_REPEATED
            if deep or repeated is None or not number.isascii() or not number.isdigit():
                return tuple(letters)
            columns = _alignments(spec[slice(*repeated)], depth + 1)
            letters += (columns * min(int(number), MOST_SPANNED))[: MOST_SPANNED - len(letters)]
            i = repeated[1] + 1
            continue
        if char == "{" and (group := group_at(spec, i, len(spec))):
            i = group[1]
        i += 1
    return tuple(letters)


def _extend_to_float(
    text: str, outer: _Environment, inner: _Environment, table: ParsedTable
) -> ParsedTable:
    """Extend the table to its ``table`` environment, if that has nothing else but a caption."""
    caption = ""
    extras = set(table.extras)
    for start, end in ((outer.body[0], inner.start), (inner.end, outer.body[1])):
        while start < end:
            mark = _FLOAT_HEAD.match(text, start, end)
            if mark is None or mark.end() == start:
                return table
            start = mark.end()
            if mark["label"]:
                extras.add("label")
            if mark[0].startswith("\\caption"):
                if (short := group_at(text, start, end, "[]")) is not None:
                    start = short[1] + 1
                group = group_at(text, start, end)
                if group is None or caption:
                    return table
                caption, start = text[slice(*group)].strip(), group[1] + 1
    return replace(
        table,
        span=(outer.start, outer.end),
        table=replace(table.table, caption=caption),
        extras=tuple(sorted(extras)),
    )
