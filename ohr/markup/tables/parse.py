"""Finds every table of a page, whatever its format."""

from __future__ import annotations

import re

from ohr.markup.tables.html import parse_html
from ohr.markup.tables.latex import parse_latex
from ohr.markup.tables.markdown import parse_markdown
from ohr.markup.tables.model import ParsedTable, Span

_FENCE = re.compile(r"^[ \t]{0,3}(`{3,}|~{3,})", re.MULTILINE)


def parse_tables(text: str) -> list[ParsedTable]:
    """Tables of a page in order, none inside another, none in a fenced code block.

    Takes any text and never raises: what is unbalanced or odd is not a table. Time is linear in
    the length of the text.
    """
    candidates = parse_latex(text) + parse_html(text) + parse_markdown(text)
    if not candidates:
        return []
    candidates.sort(key=lambda table: table.span)
    fences = _fences(text)
    kept: list[ParsedTable] = []
    fence, end = 0, 0
    for table in candidates:
        while fence < len(fences) and fences[fence][1] <= table.span[0]:
            fence += 1
        fenced = fence < len(fences) and fences[fence][0] < table.span[1]
        if table.span[0] >= end and not fenced:
            kept.append(table)
            end = table.span[1]
    return kept


def _fences(text: str) -> list[Span]:
    """Fenced code blocks that are closed."""
    blocks: list[Span] = []
    opened: re.Match[str] | None = None
    for mark in _FENCE.finditer(text):
        if opened is None:
            opened = mark
        elif mark[1][0] == opened[1][0] and len(mark[1]) >= len(opened[1]):
            blocks.append((opened.start(), mark.end()))
            opened = None
    return blocks
