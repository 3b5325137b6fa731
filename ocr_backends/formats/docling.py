"""A DoclingDocument in JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any

from ohr.markup.blocks import Block, GridCell, html_table

DEEPEST = 50
_SPACE = re.compile(r"\s")
_CLOSING, _OPENING = re.compile(r"[.,;:!?)\]}%’”]"), re.compile(r"[(\[{‘“]\Z")

_NOT_DECODED = re.compile(r"\s*<!--[^<>]*-->\s*")
"""What Docling writes in place of a formula."""


def is_docling(content: Any) -> bool:
    """Whether it says that it is a DoclingDocument."""
    return isinstance(content, dict) and content.get("schema_name") == "DoclingDocument"


def docling_pages(document: Mapping[str, Any]) -> dict[int, list[Block]]:
    """Blocks of each page: headers and footers with their page.

    Raises KeyError, TypeError, ValueError and AttributeError for what is no DoclingDocument.
    """
    return _Document(document).pages()


class _Document:
    """A DoclingDocument: trees of references to texts, tables, pictures and groups."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document
        self._seen: set[str] = set()

    def pages(self) -> dict[int, list[Block]]:
        pages: dict[int, list[Block]] = {
            int(number) - 1: [] for number in self._document.get("pages") or {}
        }
        for tree in ("body", "furniture"):
            blocks = list(self._walk(self._document.get(tree) or {}, 0))
            if tree == "body":
                blocks = _placed(blocks, pages)
            for page_no, block in blocks:
                if page_no >= 1:
                    pages.setdefault(page_no - 1, []).append(block)
        return pages

    def _walk(self, node: Mapping[str, Any], depth: int) -> Iterator[tuple[int, Block]]:
        if depth > DEEPEST:
            raise ValueError("items nested too deeply")
        for reference in [*node.get("captions", []), *node.get("children", [])]:
            name = reference["$ref"]
            if name in self._seen:  # a caption is a child too
                continue
            self._seen.add(name)
            item = self._item(name)
            if _is_inline(item):
                yield from self._inline(item, depth + 1)
                continue
            own = self._block(item, self._inline_text(item, depth + 1))
            captions = {ref["$ref"] for ref in item.get("captions", [])}
            below = list(self._walk(item, depth + 1))
            if own is not None and not captions:
                yield from _page_blocks(item, own)
            yield from below
            if own is not None and captions:
                yield from _page_blocks(item, own)

    def _item(self, reference: str) -> Mapping[str, Any]:
        _, kind, number = reference.split("/")
        item: Mapping[str, Any] = self._document[kind][int(number)]
        return item

    def _inline(self, group: Mapping[str, Any], depth: int) -> Iterator[tuple[int, Block]]:
        """The parts of a paragraph, which are items of their own, as one block."""
        if text := self._joined(group, depth):
            yield self._page(group, depth), Block("text", text)

    def _inline_text(self, item: Mapping[str, Any], depth: int) -> str:
        """The text of an item whose parts are in a group below it; empty for other items."""
        if depth > DEEPEST or _text(item) or "data" in item:
            return ""
        for reference in item.get("children", []):
            child = self._item(reference["$ref"])
            if _is_inline(child) and reference["$ref"] not in self._seen:
                self._seen.add(reference["$ref"])
                return self._joined(child, depth + 1)
        return ""

    def _joined(self, group: Mapping[str, Any], depth: int) -> str:
        if depth > DEEPEST:
            raise ValueError("items nested too deeply")
        text = ""
        for reference in group.get("children", []):
            name = reference["$ref"]
            if name in self._seen:
                continue
            self._seen.add(name)
            item = self._item(name)
            part = self._joined(item, depth + 1) if _is_inline(item) else _inline_part(item)
            apart = text and part and not _CLOSING.match(part) and not _OPENING.search(text)
            text += f" {part}" if apart else part
        return text

    def _page(self, group: Mapping[str, Any], depth: int) -> int:
        """The page of the first part that has one."""
        if depth > DEEPEST:
            raise ValueError("items nested too deeply")
        for reference in group.get("children", []):
            item = self._item(reference["$ref"])
            if item.get("prov"):
                return int(item["prov"][0]["page_no"])
            if page := self._page(item, depth + 1):
                return page
        return 0

    def _block(self, item: Mapping[str, Any], inline: str = "") -> Block | None:
        label, text = str(item.get("label", "")), _text(item) or inline
        if "data" in item and label in ("table", "document_index"):
            return Block("table", html_table(_cells(item["data"])))
        if label in ("page_header", "page_footer"):
            return Block("furniture", text)
        if label in ("title", "section_header"):
            level = 1 if label == "title" else int(item.get("level", 1)) + 1
            return Block("heading", text, level)
        if label == "list_item":
            marker = str(item.get("marker") or "")
            ordered = marker and any(char.isalnum() for char in marker)
            return Block("item", f"{marker} {text}" if ordered else text)
        if label == "formula":
            # What was not decoded has the characters of the page in ``orig``, which are no LaTeX.
            return Block("formula" if _is_decoded(item) else "text", text)
        if label == "code":
            return Block("code", text)
        return Block("text", text) if text else None


def _placed(
    blocks: list[tuple[int, Block]], pages: Mapping[int, list[Block]]
) -> list[tuple[int, Block]]:
    """Blocks with their pages; one without a place (0) is on the page of the block before it, or
    of the first that has one. Without any, a document of one page has them all.
    """
    page = next((page for page, _ in blocks if page), min(pages) + 1 if len(pages) == 1 else 0)
    placed = []
    for own, block in blocks:
        page = own or page
        placed.append((page, block))
    return placed


def _is_decoded(item: Mapping[str, Any]) -> bool:
    """Whether the text of a formula is its LaTeX, and no remark of Docling's in its place."""
    return bool(item.get("text")) and not _NOT_DECODED.fullmatch(str(item["text"]))


def _text(item: Mapping[str, Any]) -> str:
    """The text of an item, or the characters of the page that it was made from."""
    is_remark = item.get("label") == "formula" and not _is_decoded(item)
    return str((not is_remark and item.get("text")) or item.get("orig") or "")


def _is_inline(item: Mapping[str, Any]) -> bool:
    return str(item.get("label", "")) == "inline"


def _inline_part(item: Mapping[str, Any]) -> str:
    """A part of a paragraph; formulas and code are marked."""
    text, label = _text(item).strip(), item.get("label")
    if label == "formula" and _is_decoded(item):
        return text if text.startswith("$") else f"${text}$"
    return f"`{text}`" if label == "code" and text and "`" not in text else text


def _page_blocks(item: Mapping[str, Any], block: Block) -> Iterator[tuple[int, Block]]:
    """An item's block with its page (from 1; 0 for what has no place).

    A paragraph that goes on over a page's end is one item with a place on each page: each page
    has the part that stands on it, where the places say at which character the parts begin.
    """
    places = item.get("prov") or []
    pages = [int(place["page_no"]) for place in places] or [0]
    text = _text(item)
    starts = [0, *(_start(text, place) for place in places[1:])]
    if "data" in item or any(start >= end for start, end in pairwise([*starts, len(text)])):
        yield pages[0], block
        return
    runs = groupby(zip(pages, starts, strict=True), key=itemgetter(0))
    begins = [next(run) for _, run in runs]
    for (page, start), (_, end) in pairwise([*begins, (0, len(text))]):
        if start == 0:  # a list item's marker stands before its text
            yield page, replace(block, text=block.text[: len(block.text) - len(text) + end])
        else:
            kind = "text" if block.kind == "item" else block.kind
            yield page, replace(block, kind=kind, text=text[start:end])


def _start(text: str, place: Mapping[str, Any]) -> int:
    """Where a part begins by its place, -1 if it does not say.

    Of a word that was cut, and that Docling has joined, all belongs to the part before.
    """
    start: int = (place.get("charspan") or [-1])[0]
    if 0 < start < len(text) and not text[start - 1].isspace():
        space = _SPACE.search(text, start)
        return len(text) if space is None else space.start()
    return start


def _cells(data: Mapping[str, Any]) -> list[GridCell]:
    return [
        GridCell(
            int(cell["start_row_offset_idx"]),
            int(cell["start_col_offset_idx"]),
            str(cell.get("text", "")),
            int(cell.get("row_span", 1)),
            int(cell.get("col_span", 1)),
        )
        for cell in data.get("table_cells", [])
    ]
