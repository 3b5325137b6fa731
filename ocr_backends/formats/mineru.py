"""MinerU's JSON: the content list of 1.x to 3.x, and the structured content of 4.x."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ohr.markup.blocks import Block, BlockKind

FURNITURE = {"header", "footer", "page_number", "aside_text"}
HEADINGS = {"doc_title", "paragraph_title", "title"}
FORMULAS = {"equation", "interline_equation", "formula"}
TABLES, CODES, LISTS = {"table", "simple_table", "complex_table"}, {"code", "algorithm"}, {"list"}


def is_content_list(content: Any) -> bool:
    """Whether each block has a type and a page; entries of a list of pages have no type."""
    return (
        isinstance(content, list)
        and bool(content)
        and all(
            isinstance(entry, dict) and "type" in entry and "page_idx" in entry for entry in content
        )
    )


def is_structured_content(content: Any) -> bool:
    """Whether its pages have a number and blocks."""
    pages = content.get("pages") if isinstance(content, dict) else None
    if not isinstance(pages, list):
        return False
    return all(isinstance(page, dict) and {"page_idx", "blocks"} <= set(page) for page in pages)


def mineru_pages(content: Mapping[str, Any]) -> dict[int, list[Block]]:
    """Blocks of each page of ``structured_content.json``.

    Raises KeyError, TypeError, ValueError and AttributeError for what is none.
    """
    return {
        int(page["page_idx"]): [block for item in page["blocks"] for block in _blocks(item)]
        for page in content["pages"]
    }


def content_list_pages(items: Any) -> dict[int, list[Block]]:
    """Blocks of each page of a content list, which leaves out pages with nothing on them.

    Raises KeyError, TypeError, ValueError and AttributeError for what is none.
    """
    pages: dict[int, list[Block]] = {}
    for item in items:
        pages.setdefault(int(item["page_idx"]), []).extend(_blocks(item))
    return pages


def _blocks(item: Mapping[str, Any]) -> Iterator[Block]:
    """A block of either version's list, its captions before it and its notes after."""
    kind = str(item.get("type", ""))
    if kind in FURNITURE:
        yield Block("furniture", _text(item))
    elif kind in HEADINGS or item.get("text_level"):
        yield Block("heading", _text(item), int(item.get("level") or item.get("text_level") or 1))
    elif kind in LISTS:
        for entry in item.get("list_items") or _text(item).split("\n"):
            yield Block("item", _words(entry))
    else:
        for caption in _parts(item, kind, "caption"):
            yield Block("text", caption)
        yield Block(_kind(kind), _text(item))
        for note in _parts(item, kind, "footnote"):
            yield Block("text", note)


def _kind(kind: str) -> BlockKind:
    if kind in FORMULAS:
        return "formula"
    if kind in TABLES:
        return "table"
    return "code" if kind in CODES else "text"


def _text(item: Mapping[str, Any]) -> str:
    for key in ("content", "text", "table_body", "code_body"):
        if key in item:
            return _words(item[key])
    return ""


def _parts(item: Mapping[str, Any], kind: str, what: str) -> list[str]:
    # 1.x writes img_caption, later ones image_caption.
    names = (f"{what}s", f"{kind}_{what}", f"img_{what}")
    parts: Any = next((item[name] for name in names if item.get(name)), [])
    return [_words(part) for part in ([parts] if isinstance(parts, str) else parts)]


def _words(value: Any) -> str:
    if isinstance(value, Mapping):
        value = value.get("content", value.get("text", ""))
    return value if isinstance(value, str) else ""
