"""PAGE XML, of PRImA, Transkribus, OCR-D, eScriptorium and Tesseract.

Source: C. Clausner, PAGE-XML: schema for the content of page images, 2013 to 2019.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from ohr.documents.page_layout import PageLayout, box_of
from ohr.documents.xml_tree import children, sort_elements, words
from ohr.errors import EngineError
from ohr.markup.blocks import Block, BlockKind, GridCell, html_table
from ohr.types import Line

REFERENCES = ("RegionRef", "RegionRefIndexed", "OrderedGroupIndexed", "UnorderedGroupIndexed")
ORDERED = ("OrderedGroup", "OrderedGroupIndexed")
KINDS: dict[str, BlockKind] = {
    "heading": "heading",
    "header": "furniture",
    "footer": "furniture",
    "page-number": "furniture",
    "footnote": "note",
    "footnote-continued": "note",
}
_CUSTOM_ORDER = re.compile(r"\breadingOrder\s*\{[^{}]*?\bindex\s*:\s*(\d{1,9})\b")
LEAST_SPAN, MOST_SPAN = 1, 1000


def page_xml_pages(root: Element) -> dict[int, list[Block]]:
    """Blocks of the page that a file has, in its reading order.

    Regions within a region stand where that one does, before its own text. A region that the
    order leaves out follows. Without an order, regions stand as Transkribus numbers them in
    ``custom``, and so do lines. Raises EngineError for a file without a page.
    """
    page = _page(root)
    return {0: [block for block in _regions(page, _order(page)) if block.text.strip()]}


def page_xml_layout(root: Element) -> PageLayout:
    """The image that the page's file names, its size, and the transcribed lines that have outlines.

    Lines come in the order of :func:`page_xml_pages`. Raises EngineError for a file without a page.
    """
    page = _page(root)
    size = (_number(page, "imageWidth"), _number(page, "imageHeight"))
    return PageLayout(page.get("imageFilename", ""), size, tuple(_lines(page, _order(page))))


def _page(root: Element) -> Element:
    page = next(children(root, "Page"), None)
    if page is None:
        raise EngineError("PAGE XML without a page")
    return page


def _order(page: Element) -> list[str]:
    """The ids of the regions in the page's reading order; empty without one."""
    return [
        ref.get("regionRef", "")
        for reading in children(page, "ReadingOrder")
        for ref in _references(reading)
    ]


def _references(group: Element) -> Iterator[Element]:
    """References of a group and its subgroups; of an ordered group by index, those without one
    last."""
    for part in sorted(group, key=_rank) if group.tag in ORDERED else group:
        if part.tag in REFERENCES:
            yield part
        yield from _references(part)


def _rank(part: Element) -> float:
    index = part.get("index", "")
    return int(index) if index.isdecimal() and len(index) < 10 else math.inf


def _own_rank(element: Element) -> float:
    """The index of Transkribus's ``custom="readingOrder {index:0;}"``; last without one."""
    match = _CUSTOM_ORDER.search(element.get("custom", ""))
    return int(match[1]) if match else math.inf


def _ordered(parent: Element, order: list[str]) -> list[Element]:
    """The regions of a page or a region, in reading order."""
    named = {
        region.get("id") or f"\0{place}": region
        for place, region in enumerate(parent)
        if region.tag.endswith("Region")
    }
    if named.keys().isdisjoint(order):
        named = dict(sorted(named.items(), key=lambda item: _own_rank(item[1])))
    return sort_elements(named, order)


def _lines(parent: Element, order: list[str]) -> Iterator[Line]:
    for region in _ordered(parent, order):
        yield from _lines(region, order)
        cells = [*children(region, "TableCell")] if region.tag == "TableRegion" else []
        for holder in [region, *cells]:
            for line in sorted(children(holder, "TextLine"), key=_own_rank):
                text, box = words(_line(line)), _box(line)
                if text and box is not None:
                    yield Line(text, box)


def _box(element: Element) -> tuple[int, int, int, int] | None:
    """The upright box of an outline; of 2010's schema too, whose points are elements."""
    outline = next(children(element, "Coords"), None)
    if outline is None:
        return None
    pairs = [point.split(",") for point in outline.get("points", "").split()]
    pairs += [[point.get("x", ""), point.get("y", "")] for point in children(outline, "Point")]
    try:
        points = [(float(x), float(y)) for x, y in pairs]
    except ValueError:
        return None
    return box_of(points)


def _regions(parent: Element, order: list[str]) -> Iterator[Block]:
    for region in _ordered(parent, order):
        if region.tag == "TableRegion" and (table := _table(region)):
            yield Block("table", table)
            continue
        yield from _regions(region, order)
        if region.tag == "TextRegion":
            yield Block(KINDS.get(region.get("type", ""), "text"), _text(region))
        elif region.tag == "MathsRegion":
            yield Block("formula", _equivalent(region))


def _text(region: Element) -> str:
    """The text of the lines, of their words or glyphs where they have none; the region's own where
    that has more, as where some lines have no text. A part's text is never left out."""
    ordered = sorted(children(region, "TextLine"), key=_own_rank)
    lines = "\n".join(filter(None, (words(_line(line)) for line in ordered)))
    if any(part.tag.endswith("Region") for part in region) and lines:
        return lines  # its own text may be that of the regions in it
    return _fuller(lines, _equivalent(region).strip())


def _line(line: Element) -> str:
    return _fuller(_equivalent(line), " ".join(_word(word) for word in children(line, "Word")))


def _fuller(text: str, other: str) -> str:
    """A text, or another of the same place that has more letters and digits."""
    counts = [sum(map(str.isalnum, each)) for each in (text, other)]
    return other if counts[1] > counts[0] or not text else text


def _word(word: Element) -> str:
    return _equivalent(word) or "".join(_equivalent(glyph) for glyph in children(word, "Glyph"))


def _equivalent(element: Element) -> str:
    """The reading with the lowest index; the first where none has one."""
    readings = sorted(children(element, "TextEquiv"), key=_index)
    texts = (reading.findtext("Unicode") for reading in readings)
    return next((text for text in texts if text), "")


def _index(reading: Element) -> int:
    index = reading.get("index", "")
    return int(index) if index.isdecimal() and len(index) < 10 else 0


def _table(region: Element) -> str:
    """HTML of a table whose cells say where they are, as 2019's schema or Transkribus do."""
    cells = []
    for cell in region.iter():
        roles = cell.find("Roles/TableCellRole")
        if roles is not None:
            place = [_number(roles, name) for name in ("rowIndex", "columnIndex")]
        elif cell.tag == "TableCell":
            roles = cell
            place = [_number(roles, name) for name in ("row", "col")]
        else:
            continue
        spans = [min(max(_number(roles, n), LEAST_SPAN), MOST_SPAN) for n in ("rowSpan", "colSpan")]
        cells.append(GridCell(place[0], place[1], _text(cell), spans[0], spans[1]))
    return html_table(cells)


def _number(element: Element, name: str) -> int:
    text = element.get(name, "")
    return int(text) if text.isdecimal() and len(text) < 6 else 0
