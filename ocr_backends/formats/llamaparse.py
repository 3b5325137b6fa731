"""The JSON of LlamaParse: each page as Markdown and as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ocr_backends.formats.confidence import PageConfidence, page_confidence
from ocr_backends.formats.numbered import numbered
from ohr.markup.blocks import Block

_NUMBERS = ("page", "page_number")
_NOTHING = "NO_CONTENT_HERE"
"""What the service writes for a page without text."""


def is_llamaparse(content: Any) -> bool:
    """Whether its pages are numbered and have Markdown, a text or both."""
    pages = _page_list(content)
    return bool(pages) and all(
        isinstance(page, dict)
        and any(name in page for name in _NUMBERS)
        and not {"md", "text", "markdown"}.isdisjoint(page)
        for page in pages
    )


def llamaparse_pages(content: Mapping[str, Any]) -> dict[int, list[Block]]:
    """A block for each page: its Markdown, or the text of one without; pages count from 1."""
    return numbered(map(_page, _page_list(content)))


def llamaparse_confidence(content: Mapping[str, Any]) -> dict[int, PageConfidence | None]:
    """The confidence that the service gives of each page."""
    return {
        _number(page): page_confidence((), mean=page.get("confidence"))
        for page in _page_list(content)
    }


def _number(page: Mapping[str, Any]) -> int:
    return int(next(page[name] for name in _NUMBERS if name in page)) - 1


def _page(page: Mapping[str, Any]) -> tuple[int, list[Block]]:
    text = next(filter(None, (page.get(name) for name in ("md", "markdown", "text"))), "")
    return _number(page), [Block("text", "" if text.strip() == _NOTHING else text)]


def _page_list(content: Any) -> list[Any]:
    """The pages; a later version keeps them under the form of text."""
    if not isinstance(content, dict):
        return []
    for part in (content, content.get("markdown"), content.get("text")):
        if isinstance(part, dict) and isinstance(pages := part.get("pages"), list):
            return pages
    return []
