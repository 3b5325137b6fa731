"""ALTO XML, versions 2 to 4: blocks of lines of strings.

Source: Library of Congress, ALTO: Technical Metadata for Layout and Text Objects, 4.4.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from xml.etree.ElementTree import Element

from ocr_backends.formats.xml_tree import children, sort_elements, words
from ohr.errors import EngineError
from ohr.markup.blocks import Block

ABOVE, BELOW = ("TopMargin",), ("LeftMargin", "RightMargin", "BottomMargin")
MARGINS = ABOVE + BELOW


def alto_pages(root: Element) -> dict[int, list[Block]]:
    """Blocks of each page, in the file's order; text in margins is furniture, and blocks outside
    every space of the page belong to its text.

    Blocks come in the order of ``ReadingOrder`` (4.3) where the file has one, else as ``IDNEXT``
    chains them. A word that is cut at
    a line's end is written whole, in its first line. Raises EngineError for a file without pages.
    """
    pages = list(root.iter("Page"))
    if not pages:
        raise EngineError("ALTO without a page")
    order = [ref.get("REF", "") for ref in root.iter("ElementRef")]
    return {number: list(_blocks(page, order)) for number, page in enumerate(pages)}


def _blocks(page: Element, order: list[str]) -> Iterator[Block]:
    named = {
        block.get("ID") or f"\0{place}": block for place, block in enumerate(_blocks_of_text(page))
    }
    yield from _margins(page, *ABOVE)
    if named.keys().isdisjoint(order):
        order = _chained(page, named)
    for block in sort_elements(named, order):
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
        if (target := first.get(after)) is not None and target not in follows.values():
            follows.setdefault(name, target)
    order: dict[str, None] = {}
    starts = [name for name in named if name not in follows.values()]
    for name in [*starts, *named]:  # a circle has no start: it begins with its first block
        position: str | None = name
        while position is not None and position not in order:
            order[position] = None
            position = follows.get(position)
    return list(order)


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
