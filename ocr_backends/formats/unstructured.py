"""The elements of Unstructured, in JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ohr.markup.blocks import Block, BlockKind

_KINDS: Mapping[str, BlockKind] = {
    "ListItem": "item",
    "Formula": "formula",
    "CodeSnippet": "code",
    "Header": "furniture",
    "Footer": "furniture",
    "PageNumber": "furniture",
    "Footnote": "note",
}


def is_unstructured(content: Any) -> bool:
    """Whether it is a list of elements with a type and metadata."""
    return (
        isinstance(content, list)
        and bool(content)
        and all(isinstance(item, dict) and {"type", "metadata"} <= set(item) for item in content)
    )


def unstructured_pages(items: Iterable[Mapping[str, Any]]) -> dict[int, list[Block]]:
    """Blocks of each page; pages count from 1, and those without elements are left out."""
    pages: dict[int, list[Block]] = {}
    for item in items:
        if item["type"] != "PageBreak":
            number = int(item["metadata"]["page_number"]) - 1
            pages.setdefault(number, []).append(_block(item))
    return pages


def _block(item: Mapping[str, Any]) -> Block:
    kind, text, metadata = item["type"], item["text"], item["metadata"]
    if kind == "Table":
        return Block("table", metadata.get("text_as_html") or text)
    if kind == "Title":
        return Block("heading", text, int(metadata.get("category_depth") or 0) + 1)
    return Block(_KINDS.get(kind, "text"), text)
