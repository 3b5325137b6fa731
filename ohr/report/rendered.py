"""A page as it would be set: headings, paragraphs, tables cell by cell, formulas as MathML.

What an engine, a model or a document wrote is parsed here and sent on as trees of plain texts; no
mark-up of theirs reaches a page.
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
"""Characters of a page that are set; the rest is not."""
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
    """A page's blocks, in order."""
    page = read_page(text[:LONGEST])
    titles = {heading.start: heading for heading in headings(page.text)}
    found: list[Block] = []
    inline: list[Any] = []

    def end() -> None:
        if any(not isinstance(part, str) or part.strip() for part in inline):
            found.append({"p": list(inline)})
        inline.clear()

    tables = {table.span[0]: table for table in page.tables}
    for region in page.regions:
        if region.kind is MarkupKind.TABLE:
            end()
            found.append(_table(page.text, tables[region.start]))
        elif region.kind is MarkupKind.HEADING:
            end()
            near = (region.start + apart for by in range(5) for apart in (-by, by))
            heading = next((titles[at] for at in near if at in titles), None)
            if heading is not None:
                found.append({"h": heading.level, "t": strip_markup(heading.title)})
        elif region.kind is MarkupKind.DISPLAY:
            end()
            found.append({"m": math(page.text[region.inner_start : region.inner_end])})
        elif region.kind in (MarkupKind.CODE, MarkupKind.INDENTED):
            end()
            found.append({"c": page.text[region.inner_start : region.inner_end]})
        else:
            said = page.text[region.start : region.end]
            first, *others = _BLANK.split(said) if region.kind is MarkupKind.TEXT else [said]
            inline += _inline(page.text, region, first)
            for other in others:
                end()
                if other:
                    inline.append(other)
    end()
    return found


def _inline(text: str, region: MarkupRegion, said: str) -> list[Any]:
    if region.kind is MarkupKind.INLINE:
        return [{"m": math(text[region.inner_start : region.inner_end])}]
    if region.kind is MarkupKind.TEXT:
        return [said] if said else []
    if region.kind is MarkupKind.LIST:
        return ["\n" + said]
    stripped = strip_markup(said)
    return [stripped] if stripped else []


def _table(text: str, table: ParsedTable) -> Block:
    rows: list[list[Block]] = [[] for _ in range(table.table.n_rows)]
    for cell in table.cells[:MOST_CELLS]:
        shown: Block = {"p": _cell(cell.content)}
        if cell.rowspan > 1:
            shown["r"] = cell.rowspan
        if cell.colspan > 1:
            shown["c"] = cell.colspan
        rows[cell.row].append(shown)
    return {"rows": rows, "caption": strip_markup(table.table.caption).strip()}


def _cell(content: str) -> list[Any]:
    page = read_page(content)
    parts: list[Any] = []
    for region in page.regions:
        parts += _inline(content, region, content[region.start : region.end])
    return parts


def math(latex: str) -> Any:
    """A formula as ``[tag, attributes, children …]`` of MathML; as LaTeX where it is no formula."""
    if len(latex) > LONGEST_FORMULA:
        return latex
    try:  # a tenth of a second: only where there are formulas
        from latex2mathml.converter import convert
    except ImportError as error:
        raise MissingDependencyError(
            "latex2mathml, which shows a report's formulas, is not installed: "
            "pip install 'ohr[report]'"
        ) from error
    try:
        return _node(ElementTree.fromstring(convert(latex)))
    except Exception:  # what OCR made of a formula is anything
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
