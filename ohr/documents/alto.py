"""ALTO XML, versions 2 to 4: blocks of lines of strings.

Source: Library of Congress, ALTO: Technical Metadata for Layout and Text Objects, 4.4.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from xml.etree.ElementTree import Element

from ohr.documents.page_layout import Box, PageLayout, box_of
from ohr.documents.xml_tree import children, sort_elements, words
from ohr.errors import EngineError
from ohr.markup.blocks import Block
from ohr.types import Line

ABOVE, BELOW = ("TopMargin",), ("LeftMargin", "RightMargin", "BottomMargin")
MARGINS = ABOVE + BELOW


def alto_pages(root: Element) -> dict[int, list[Block]]:
    """Blocks of each page, in the file's order; text in margins is furniture, and blocks outside
    every space of the page belong to its text.

    Blocks come in the order of ``ReadingOrder`` (4.3) where the file has one, else as ``IDNEXT``
    chains them. A word that is cut at
    a line's end is written whole, in its first line. Raises EngineError for a file without pages.
    """
    order = _order(root)
    return {number: list(_blocks(page, order)) for number, page in enumerate(_pages_of(root))}


def alto_layout(root: Element) -> PageLayout:
    """The image that a file of one page names, the page's size, and its lines that have boxes.

    Lines come in the order of :func:`alto_pages`, in the unit of the page's size: pixels, or what
    the file measures in. Raises EngineError for a file of several pages or none, and for one that
    measures in something else than pixels and does not give the page's size.
    """
    pages = _pages_of(root)
    if len(pages) > 1:
        raise EngineError(f"ALTO of {len(pages)} pages: one page image has one page")
    page = pages[0]
    sides = [_length(page, side) or 0.0 for side in ("WIDTH", "HEIGHT")]
    unit = (root.findtext("Description/MeasurementUnit") or "pixel").strip()
    if unit != "pixel" and not all(sides):
        raise EngineError(
            f"ALTO that measures in {unit[:20]} and does not say how large the page is"
        )
    name = root.findtext("Description/sourceImageInformation/fileName") or ""
    blocks = [
        *(block for margin in children(page, *ABOVE) for block in margin.iter("TextBlock")),
        *_ordered(page, _order(root)),
        *(block for margin in children(page, *BELOW) for block in margin.iter("TextBlock")),
    ]
    lines = (
        Line(text, box)
        for block in blocks
        for line in children(block, "TextLine")
        if (text := " ".join(_words(line))) and (box := _box(line)) is not None
    )
    return PageLayout(name.strip(), (round(sides[0]), round(sides[1])), tuple(lines))


def _pages_of(root: Element) -> list[Element]:
    pages = list(root.iter("Page"))
    if not pages:
        raise EngineError("ALTO without a page")
    return pages


def _order(root: Element) -> list[str]:
    return [ref.get("REF", "") for ref in root.iter("ElementRef")]


def _box(line: Element) -> Box | None:
    x, y, width, height = (_length(line, name) for name in ("HPOS", "VPOS", "WIDTH", "HEIGHT"))
    if x is None or y is None or width is None or height is None:
        return None
    return box_of([(x, y), (x + width, y + height)])


def _length(element: Element, name: str) -> float | None:
    try:
        length = float(element.get(name, ""))
    except ValueError:
        return None
    return length if math.isfinite(length) else None


def _ordered(page: Element, order: list[str]) -> list[Element]:
    """The blocks outside the margins, in reading order."""
    named = {
        block.get("ID") or f"\0{place}": block for place, block in enumerate(_blocks_of_text(page))
    }
    if named.keys().isdisjoint(order):
        order = _chained(page, named)
    return sort_elements(named, order)


def _blocks(page: Element, order: list[str]) -> Iterator[Block]:
    yield from _margins(page, *ABOVE)
    for block in _ordered(page, order):
        if text := _text(block):
            yield Block("text", text)
    yield from _margins(page, *BELOW)


def _chained(page: Element, named: dict[str, Element]) -> list[str]:
    """The blocks as ``IDNEXT`` chains them: each chain stands where its first block does.

    A block that holds others is followed, or begins, with the text block at its end or start.
    """
    first: dict[str, str] = {}
    follows: dict[str, str] = {}
    names = {id(block): name for name, block in named.items()}
    links: list[tuple[str, str]] = []
    for element in page.iter():
        inside = [names[id(part)] for part in element.iter() if id(part) in names]
        if inside:
            first.setdefault(element.get("ID", ""), inside[0])
            if after := element.get("IDNEXT", ""):
                links.append((inside[-1], after))
    for name, after in links:
        target = first.get(after)
        if target is not None and target != name and target not in follows.values():
            follows.setdefault(name, target)
    starts = [name for name in named if name not in follows.values()]
    chained = {block for name in starts for block in _chain(name, follows)}
    order: dict[str, None] = {}
    for name in named:  # a circle has no start: it begins with its first block
        if name in starts or name not in chained:
            order |= dict.fromkeys(_chain(name, follows))
    return list(order)


def _chain(name: str, follows: dict[str, str]) -> dict[str, None]:
    """A block and those that follow it, each once."""
    chain: dict[str, None] = {}
    position: str | None = name
    while position is not None and position not in chain:
        chain[position] = None
        position = follows.get(position)
    return chain


def _margins(page: Element, *names: str) -> Iterator[Block]:
    for margin in children(page, *names):
        for block in margin.iter("TextBlock"):
            yield Block("furniture", _text(block))


def _blocks_of_text(element: Element) -> Iterator[Element]:
    """The blocks of an element that stand in no margin."""
    for child in element:
        if child.tag == "TextBlock":
            yield child
        elif child.tag not in MARGINS:
            yield from _blocks_of_text(child)


def _text(block: Element) -> str:
    lines = (" ".join(_words(line)) for line in children(block, "TextLine"))
    return "\n".join(filter(None, lines))


def _words(line: Element) -> Iterator[str]:
    """The words of a line, whether or not a space is written between them."""
    for item, following in pairwise([*line, None]):
        if item is None or item.tag != "String":
            continue
        part, full = item.get("SUBS_TYPE"), words(item.get("SUBS_CONTENT"))
        if full and part == "HypPart2":
            continue
        whole = bool(full) and part == "HypPart1"
        text = full if whole else words(item.get("CONTENT")) or _glyphs(item)
        if not whole and following is not None and following.tag == "HYP":
            text += following.get("CONTENT") or "-"
        if text:
            yield text


def _glyphs(item: Element) -> str:
    """The word of a string that has its text in its glyphs alone."""
    return "".join(words(glyph.get("CONTENT")) for glyph in children(item, "Glyph"))
