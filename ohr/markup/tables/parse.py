"""Finds the tables of a page in all formats."""

from __future__ import annotations

from ohr.markup.fences import parted
from ohr.markup.tables.html import parse_html
from ohr.markup.tables.latex import parse_latex
from ohr.markup.tables.markdown import parse_markdown
from ohr.markup.tables.model import ParsedTable, Span


def parse_tables(text: str) -> list[ParsedTable]:
    """The tables of a page in order, without those in another table or in fenced code.

    Accepts any text and never raises: unbalanced or odd mark-up is no table. Time is linear in the
    length of the text.
    """
    return tables_and_code(text)[0]


def tables_and_code(text: str) -> tuple[list[ParsedTable], list[Span]]:
    """The tables and fenced code blocks of a page, each in order; what begins first counts."""
    candidates = parse_latex(text) + parse_html(text) + parse_markdown(text)
    candidates.sort(key=lambda table: table.span)
    fences, outside_code = parted(text, [table.span for table in candidates])
    return [candidates[number] for number in outside_code], fences
