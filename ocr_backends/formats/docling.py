"""A DoclingDocument in JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ohr.markup.blocks import Block, GridCell, html_table

DEEPEST = 50


def docling_pages(document: Mapping[str, Any]) -> dict[int, list[Block]]:
    """Blocks of each page: headers and footers with the page whose they are.

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
            for page_no, block in self._walk(self._document.get(tree) or {}, 0):
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
            own = self._block(item)
            captions = {ref["$ref"] for ref in item.get("captions", [])}
            below = list(self._walk(item, depth + 1))
            if own is not None and not captions:
                yield _page(item), own
            yield from below
            if own is not None and captions:
                yield _page(item), own

    def _item(self, reference: str) -> Mapping[str, Any]:
        _, kind, number = reference.split("/")
        item: Mapping[str, Any] = self._document[kind][int(number)]
        return item

    def _block(self, item: Mapping[str, Any]) -> Block | None:
        label, text = str(item.get("label", "")), str(item.get("text") or "")
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
            return Block("formula", text)
        if label == "code":
            return Block("code", text)
        return Block("text", text) if text else None


def _page(item: Mapping[str, Any]) -> int:
    """The page (from 1) on which an item begins; 0 for what has no place."""
    provenance = item.get("prov") or []
    return int(provenance[0]["page_no"]) if provenance else 0


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
