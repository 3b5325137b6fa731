"""Page text as formatted blocks: headings, paragraphs, tables cell by cell, formulas as MathML.

The text of an engine, a model or a document is parsed here into trees of plain texts. None of its
mark-up reaches the report.
"""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

from ohr.errors import MissingDependencyError
from ohr.markup.headings import headings
from ohr.markup.page import read_page
from ohr.markup.scanner import MarkupKind, MarkupRegion
from ohr.markup.strip import strip_markup
from ohr.markup.tables import ParsedTable

LONGEST = 60_000
"""Longest part of a page text that is formatted, in characters."""
LONGEST_FORMULA = 2_000
MOST_CELLS = 3_000
_BLANK = re.compile(r"\n[ \t]*\n")
_MATHML = "{http://www.w3.org/1998/Math/MathML}"
_TAGS = frozenset(
    "math mrow mi mn mo mtext mspace msup msub msubsup mfrac msqrt mroot mover munder munderover "
    "mtable mtr mtd mstyle mphantom mpadded menclose".split()
)
_ATTRIBUTES = frozenset(
    "display mathvariant stretchy fence separator form lspace rspace accent accentunder "
    "columnalign columnspacing rowspacing width height depth linethickness notation "
    "displaystyle scriptlevel movablelimits largeop symmetric".split()
)

Block = dict[str, Any]
"""``{"h": level, "t": text}``, ``{"p": inline}``, ``{"m": math}``, ``{"c": code}``, or a table:
``{"rows": [[cell …] …], "caption": text}``; a cell: ``{"p": inline, "r": rows, "c": columns}``."""


def blocks_of(text: str) -> list[Block]:
    """The blocks of a page text, in order."""
    page = read_page(text[:LONGEST])
    titles = {heading.start: heading for heading in headings(page.text)}
    blocks: list[Block] = []
    inline: list[Any] = []

    def end() -> None:
        if any(not isinstance(part, str) or part.strip() for part in inline):
            blocks.append({"p": list(inline)})
        inline.clear()

    tables = {table.span[0]: table for table in page.tables}
    for region in page.regions:
        if region.kind is MarkupKind.TABLE:
            end()
            blocks.append(_table(page.text, tables[region.start]))
        elif region.kind is MarkupKind.HEADING:
            end()
            near = (region.start + apart for by in range(5) for apart in (-by, by))
            heading = next((titles[position] for position in near if position in titles), None)
            if heading is not None:
                blocks.append({"h": heading.level, "t": strip_markup(heading.title)})
        elif region.kind is MarkupKind.DISPLAY:
            end()
            blocks.append({"m": math(page.text[region.inner_start : region.inner_end])})
        elif region.kind in (MarkupKind.CODE, MarkupKind.INDENTED):
            end()
            blocks.append({"c": page.text[region.inner_start : region.inner_end]})
        else:
            text_part = page.text[region.start : region.end]
            first, *further = (
                _BLANK.split(text_part) if region.kind is MarkupKind.TEXT else [text_part]
            )
            inline += _inline(page.text, region, first)
            for paragraph in further:
                end()
                if paragraph:
                    inline.append(paragraph)
    end()
    return blocks


def _inline(text: str, region: MarkupRegion, text_part: str) -> list[Any]:
    if region.kind is MarkupKind.INLINE:
        return [{"m": math(text[region.inner_start : region.inner_end])}]
    if region.kind is MarkupKind.TEXT:
        return [text_part] if text_part else []
    if region.kind is MarkupKind.LIST:
        return ["\n" + text_part]
    stripped = strip_markup(text_part)
    return [stripped] if stripped else []


def _table(text: str, table: ParsedTable) -> Block:
    rows: list[list[Block]] = [[] for _ in range(table.table.n_rows)]
    for cell in table.cells[:MOST_CELLS]:
        block: Block = {"p": _cell(cell.content)}
        if cell.rowspan > 1:
            block["r"] = cell.rowspan
        if cell.colspan > 1:
            block["c"] = cell.colspan
        rows[cell.row].append(block)
    return {"rows": rows, "caption": strip_markup(table.table.caption).strip()}


def _cell(content: str) -> list[Any]:
    page = read_page(content)
    parts: list[Any] = []
    for region in page.regions:
        parts += _inline(content, region, content[region.start : region.end])
    return parts


def math(latex: str) -> Any:
    """A formula as ``[tag, attributes, children …]`` of MathML; as LaTeX if it cannot be parsed."""
    if len(latex) > LONGEST_FORMULA:
        return latex
    try:  # takes a tenth of a second: import only if needed
        from latex2mathml.converter import convert
    except ImportError as error:
        raise MissingDependencyError(
            "latex2mathml, which shows a report's formulas, is not installed: "
            "pip install 'ohr[report]'"
        ) from error
    try:
        return _node(ElementTree.fromstring(convert(latex)))
    except Exception:  # OCR output can contain any text as a formula
        return latex


def _node(node: ElementTree.Element) -> Any:
    tag = node.tag.removeprefix(_MATHML)
    children: list[Any] = [node.text] if node.text and node.text.strip() else []
    for child in node:
        children.append(_node(child))
    if tag not in _TAGS:
        tag = "mrow"
    attributes = {name: value for name, value in node.attrib.items() if name in _ATTRIBUTES}
    return [tag, attributes, *children]
