"""The JSON of Mistral OCR: Markdown by page, with tables and furniture apart where asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

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


def _blocks(page: Mapping[str, Any]) -> Iterator[Block]:
    tables = {str(table["id"]): str(table["content"]) for table in page.get("tables") or ()}

    def replaced(match: re.Match[str]) -> str:
        return tables.get(match[1], match[0])

    yield Block("furniture", page.get("header") or "")
    yield Block("text", _LINK.sub(replaced, _IMAGE.sub("", page["markdown"])))
    yield Block("furniture", page.get("footer") or "")
