"""The JSON of Mistral OCR: Markdown by page, with tables and furniture apart where asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ocr_backends.formats.confidence import PageConfidence, page_confidence
from ocr_backends.formats.numbered import numbered
from ohr.markup.blocks import Block

_IMAGE = re.compile(r"!\[[^\]\n]*\]\([^)\n]*\)")
_LINK = re.compile(r"\[[^\]\n]*\]\(([^)\n]+)\)")


def is_mistral(content: Any) -> bool:
    """Whether it has pages with an index and Markdown."""
    pages = content.get("pages") if isinstance(content, dict) else None
    if not isinstance(pages, list) or not pages:
        return False
    return all(isinstance(page, dict) and {"index", "markdown"} <= set(page) for page in pages)


def mistral_pages(content: Mapping[str, Any]) -> dict[int, list[Block]]:
    """Blocks of each page: one of Markdown, between those of header and footer."""
    return numbered((int(page["index"]), _blocks(page)) for page in content["pages"])


def mistral_confidence(content: Mapping[str, Any]) -> dict[int, PageConfidence | None]:
    """The confidence of each page by the words of its text and tables, or as the service gives it.

    The service gives either where it was asked to.
    """
    return {int(page["index"]): _confidence(page) for page in content["pages"]}


def _confidence(page: Mapping[str, Any]) -> PageConfidence | None:
    scores = page.get("confidence_scores") or {}
    holders = (scores, *(page.get("tables") or ()))
    words = [word for each in holders for word in each.get("word_confidence_scores") or ()]
    return page_confidence(
        ((word.get("text"), word.get("confidence")) for word in words),
        mean=scores.get("average_page_confidence_score"),
    )


def _blocks(page: Mapping[str, Any]) -> Iterator[Block]:
    tables = {str(table["id"]): str(table["content"]) for table in page.get("tables") or ()}

    def replaced(match: re.Match[str]) -> str:
        return tables.get(match[1], match[0])

    yield Block("furniture", page.get("header") or "")
    yield Block("text", _LINK.sub(replaced, _IMAGE.sub("", page["markdown"])))
    yield Block("furniture", page.get("footer") or "")
