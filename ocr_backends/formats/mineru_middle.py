"""MinerU's ``middle.json``: blocks of lines of spans, by page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ocr_backends.formats.confidence import PageConfidence, page_confidence
from ocr_backends.formats.numbered import numbered
from ohr.markup.blocks import Block, BlockKind

_KINDS: Mapping[str, BlockKind] = {
    "title": "heading",
    "interline_equation": "formula",
    "code": "code",
    "algorithm": "code",
    "page_footnote": "note",
    "image_footnote": "note",
    "table_footnote": "note",
    "code_body": "code",
}
_FURNITURE = ("header", "footer", "page_number", "aside_text")
_LISTS = ("list", "ref_text")


def is_middle(content: Any) -> bool:
    """Whether it is an object with ``pdf_info``."""
    return isinstance(content, dict) and isinstance(content.get("pdf_info"), list)


def middle_pages(content: Mapping[str, Any]) -> dict[int, list[Block]]:
    """Blocks of each page, what MinerU discards before and after the text as headers and footers.

    Raises KeyError, TypeError, ValueError and AttributeError for what is none.
    """
    return numbered((int(page["page_idx"]), _page(page)) for page in content["pdf_info"])


def middle_confidence(content: Mapping[str, Any]) -> dict[int, PageConfidence | None]:
    """The confidence of each page by its spans of text, which MinerU rates where it read them."""
    return {
        int(page["page_idx"]): page_confidence(
            (span.get("content"), span.get("score"))
            for item in (*page["para_blocks"], *(page.get("discarded_blocks") or ()))
            for span in _all_spans(item)
        )
        for page in content["pdf_info"]
    }


def _all_spans(item: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from _spans(item)
    for part in item.get("blocks") or ():
        yield from _all_spans(part)


def _page(page: Mapping[str, Any]) -> Iterator[Block]:
    for item in (*page["para_blocks"], *(page.get("discarded_blocks") or ())):
        yield from _blocks(item)


def _blocks(item: Mapping[str, Any]) -> Iterator[Block]:
    kind = str(item["type"])
    below = item.get("blocks") or ()
    if kind in _LISTS and below:
        for entry in below:
            yield Block("item", _text(entry))
        return
    if below:  # an image, a table or code with its captions and notes
        for part in below:
            yield from _blocks(part)
        return
    tables = [span["html"] for span in _spans(item) if span.get("html")]
    if tables:
        yield Block("table", "\n\n".join(tables))
    elif kind in _FURNITURE:
        yield Block("furniture", _text(item))
    else:
        formula = kind == "interline_equation"
        text = _spans_text(item) if formula else _text(item)
        yield Block(_KINDS.get(kind, "text"), text, int(item.get("level") or 1))


def _spans(item: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for line in item.get("lines") or ():
        yield from line["spans"]


def _spans_text(item: Mapping[str, Any]) -> str:
    return "\n".join(str(span.get("content", "")) for span in _spans(item))


def _text(item: Mapping[str, Any]) -> str:
    """Lines as they stand on the page, formulas in dollars."""
    lines = [" ".join(map(_written, line["spans"])) for line in item.get("lines") or ()]
    return "\n".join(lines)


def _written(span: Mapping[str, Any]) -> str:
    text = str(span.get("content", ""))
    if text and span.get("type") in ("inline_equation", "interline_equation"):
        return text if text.startswith("$") else f"${text}$"
    return text
