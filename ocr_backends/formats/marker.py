"""The output of Marker: JSON, a tree of blocks in HTML, and Markdown with a mark for each page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from typing import Any

from ocr_backends.formats.numbered import numbered
from ohr.markup.blocks import Block, BlockKind

DEEPEST = 50
# A page begins with its number in braces and 48 hyphens.
_MARK = re.compile(r"^\{(\d+)\}-{48}[ \t]*$", re.M)
_IMAGE = re.compile(r"^!\[[^\]\n]*\]\([^)\n]*\)[ \t]*$\n?", re.M)
_PAGE = re.compile(r"/page/(\d+)/")
_REFERENCE = re.compile(r"<content-ref\b[^>]*>\s*</content-ref>")
_KINDS: Mapping[str, BlockKind] = {
    "PageHeader": "furniture",
    "PageFooter": "furniture",
    "ListItem": "item",
    "Footnote": "note",
    "Code": "code",
    "Equation": "formula",
}
_TABLES = ("Table", "TableOfContents", "Form")
_PICTURES = ("Picture", "Figure")


def marked_pages(text: str) -> dict[int, str]:
    """The Markdown of each page by its number, from 0; empty for text without marks."""
    marks = list(_MARK.finditer(text))
    pages = {}
    for place, mark in enumerate(marks, 1):
        end = marks[place].start() if place < len(marks) else len(text)
        pages[int(mark[1])] = _IMAGE.sub("", text[mark.end() : end]).strip()
    return pages


def is_marker(content: Any) -> bool:
    """Whether it is a tree of blocks that is a document."""
    return isinstance(content, dict) and content.get("block_type") == "Document"


def marker_pages(content: Mapping[str, Any]) -> dict[int, list[Block]]:
    """Blocks of each page, whose number is in its id."""
    return numbered((_number(page), _blocks(page, 0)) for page in content["children"])


def _number(page: Mapping[str, Any]) -> int:
    number = _PAGE.match(page["id"])
    if number is None:
        raise ValueError(f"a page with the id {page['id']!r}")
    return int(number[1])


def _blocks(item: Mapping[str, Any], depth: int) -> Iterator[Block]:
    if depth > DEEPEST:
        raise ValueError("blocks nested too deeply")
    kind, markup = str(item["block_type"]), _REFERENCE.sub("", item.get("html") or "")
    if kind in _TABLES and "<table" in markup:
        yield Block("table", markup)  # its cells are below it, too
        return
    if kind not in _PICTURES:
        yield from _leaf(kind, markup)
    for child in item.get("children") or ():
        yield from _blocks(child, depth + 1)


def _leaf(kind: str, markup: str) -> Iterator[Block]:
    reader = _Html()
    reader.feed(markup)
    reader.close()
    text = "".join(reader.texts).strip()
    if kind == "SectionHeader":
        yield Block("heading", text, reader.level)
    elif kind == "Equation":
        yield Block("formula", text.strip("$"))
    else:
        yield Block(_KINDS.get(kind, "text"), text)


class _Html(HTMLParser):
    """The text of a block: formulas in dollars, lines where the markup breaks them."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[str] = []
        self.level = 1

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "math":
            self.texts.append("$")
        elif tag == "br":
            self.texts.append("\n")
        elif re.fullmatch(r"h[1-6]", tag):
            self.level = int(tag[1])

    def handle_endtag(self, tag: str) -> None:
        if tag == "math":
            self.texts.append("$")
        elif tag in ("p", "li", "div"):
            self.texts.append("\n")

    def handle_data(self, data: str) -> None:
        self.texts.append(data)
