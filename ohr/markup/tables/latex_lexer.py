r"""Splits LaTeX for tables: groups, environments, rows and cells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ohr.markup.tables.model import Span

EDGE = re.compile(r"\\(begin|end)[ \t]*\{(tabular\*?|tabularx|tabulary|longtable|table\*?)\}")
_TOKEN = re.compile(
    r"(?P<row>\\\\(?:\*(?=[\s\[]|$))?(?:[ \t]*\[[ \t]*-?[\d.]+[ \t]*(?:\\[a-z]+|[a-z]{2})[ \t]*\])?"
    r"|\\tabularnewline(?![a-zA-Z]))"
    r"|(?P<edge>\\(?:begin|end)[ \t]*\{[a-zA-Z]+\*?\})"
    r"|\\[a-zA-Z]+\*?|\\[\s\S]"
    r"|(?P<mark>[{}&])"
    r"|^[ \t]*%[^\n&\\]*(?=\n)",
    re.MULTILINE,
)
_DOLLAR = re.compile(r"\\.|(\$)", re.DOTALL)


def group_at(text: str, position: int, end: int, pair: str = "{}") -> Span | None:
    """The inside of the balanced group that opens at ``at`` after white space, or None."""
    while position < end and text[position].isspace():
        position += 1
    if position >= end or text[position] != pair[0]:
        return None
    depth, i = 0, position
    while i < end:
        char = text[i]
        if char == "\\":
            i += 1
        elif char == pair[0]:
            depth += 1
        elif char == pair[1]:
            depth -= 1
            if depth == 0:
                return position + 1, i
        i += 1
    return None


def closed_environments(
    marks: Iterable[tuple[str, bool, Span]],
) -> Iterator[tuple[str, Span, Span]]:
    """Name, ``\\begin`` and ``\\end`` of each closed environment, innermost first.

    ``marks`` are (name, whether it is a ``\\begin``, span). An ``\\end`` closes the nearest
    environment of its name; unclosed environments inside it are dropped.
    """
    stack: list[tuple[str, Span]] = []
    opened: dict[str, int] = {}
    for name, begins, span in marks:
        if begins:
            stack.append((name, span))
            opened[name] = opened.get(name, 0) + 1
        elif opened.get(name):
            while True:
                innermost, position = stack.pop()
                opened[innermost] -= 1
                if innermost == name:
                    break
            yield name, position, span


def inner_environments(text: str, start: int, end: int) -> dict[int, int]:
    """Start -> end of each closed environment between two positions."""
    if text.find("\\end", start, end) < 0:
        return {}
    marks = (
        (mark[0][mark[0].index("{") :], mark[0][1] == "b", mark.span())
        for mark in _TOKEN.finditer(text, start, end)
        if mark.lastgroup == "edge"
    )
    return {begin[0]: end[1] for _, begin, end in closed_environments(marks)}


def rows(text: str, start: int, end: int) -> Iterator[tuple[list[int] | None, int]]:
    """For each row [start, separators, end], and where the next row begins, -1 for the last.

    Yields None instead of the last row if braces do not balance. Separators in braces and inner
    environments do not count, unless the environment is not closed.
    """
    inner = inner_environments(text, start, end)
    depth, separators = 0, [start]
    open_until = -1
    for token in _TOKEN.finditer(text, start, end):
        kind = token.lastgroup
        if kind is None or token.start() < open_until:
            continue
        if kind == "mark":
            mark = token[0]
            if mark != "&":
                depth += 1 if mark == "{" else -1
                if depth < 0:
                    break
            elif depth == 0:
                separators.append(token.start())
        elif kind == "edge":
            open_until = inner.get(token.start(), -1)
        elif depth == 0:
            yield [*separators, token.start()], token.end()
            separators = [token.end()]
    yield ([*separators, end] if depth == 0 else None), -1


def is_one_cell(source: str) -> bool:
    """Whether LaTeX can be in one cell: balanced, and nothing in it splits the row or table."""
    split = list(rows(source, 0, len(source)))
    if len(split) != 1 or split[0][0] is None or len(split[0][0]) != 2:
        return False
    edges = list(EDGE.finditer(source))
    return not edges or len(edges) == 2 * len(inner_environments(source, 0, len(source)))


def kept_cuts(text: str, start: int, cuts: list[int], end: int, n_columns: int) -> list[int]:
    """The separators of a row, without those inside formulas if the row is too wide."""
    if len(cuts) < max(n_columns, 1) or "$" not in text[start:end]:
        return cuts
    outside_formulas: list[int] = []
    in_formula = False
    for cut in cuts:
        dollars = sum(1 for mark in _DOLLAR.finditer(text, start, cut) if mark[1])
        in_formula ^= dollars % 2 == 1
        if not in_formula:
            outside_formulas.append(cut)
        start = cut + 1
    last = sum(1 for mark in _DOLLAR.finditer(text, start, end) if mark[1])
    balanced = not in_formula ^ (last % 2 == 1)
    return outside_formulas if balanced and len(outside_formulas) >= n_columns - 1 else cuts
