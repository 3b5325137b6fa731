"""MinerU's ``content_list_v2.json``: for each page a list of blocks, whose content is typed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ohr.markup.blocks import Block, BlockKind

_KINDS: Mapping[str, BlockKind] = {
    "page_header": "furniture",
    "page_footer": "furniture",
    "page_number": "furniture",
    "page_aside_text": "furniture",
    "page_footnote": "note",
    "code": "code",
    "algorithm": "code",
}


def is_second_list(content: Any) -> bool:
    """Whether it is a list of pages, each a list of blocks with a type and a content."""
    if not isinstance(content, list) or not all(isinstance(page, list) for page in content):
        return False
    items = [item for page in content for item in page]
    return bool(items) and all(
        isinstance(item, dict) and {"type", "content"} <= set(item) for item in items
    )


def second_list_pages(content: Any) -> dict[int, list[Block]]:
    """Blocks of each page; a page is a place in the list.

    Raises KeyError, TypeError, ValueError and AttributeError for what is none.
    """
    return {
        number: [block for item in page for block in _blocks(item["type"], item["content"])]
        for number, page in enumerate(content)
    }


def _blocks(kind: str, content: Mapping[str, Any]) -> Iterator[Block]:
    for part in content.get(f"{kind}_caption") or ():
        yield Block("text", _written(part))
    if kind == "title":
        yield Block("heading", _words(content["title_content"]), int(content.get("level") or 1))
    elif kind == "equation_interline":
        yield Block("formula", str(content["math_content"]))
    elif kind == "table":
        yield Block("table", str(content.get("html") or ""))
    elif kind == "list":
        for item in content["list_items"]:
            yield Block("item", _words(item["item_content"]))
    else:
        yield Block(_KINDS.get(kind, "text"), _words(content.get(f"{kind}_content") or ()))
    for part in content.get(f"{kind}_footnote") or ():
        yield Block("note", _written(part))


def _words(parts: Any) -> str:
    return parts if isinstance(parts, str) else "".join(map(_written, parts))


def _written(part: Any) -> str:
    """A part of a text; formulas are in dollars."""
    if isinstance(part, str):
        return part
    text = str(part.get("content") or "")
    return f"${text}$" if text and part.get("type") == "equation_inline" else text
