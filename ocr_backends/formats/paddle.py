"""The JSON of PaddleOCR-VL and PP-Structure, of one page or of several."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ocr_backends.formats.confidence import PageConfidence, page_confidence
from ocr_backends.formats.numbered import numbered
from ohr.markup.blocks import Block, BlockKind

_BLOCKS = "parsing_res_list"
_FURNITURE = {"header", "footer", "number", "aside_text", "header_image", "footer_image"}
_KINDS: Mapping[str, BlockKind] = {
    "table": "table",
    "formula": "formula",
    "display_formula": "formula",
    "algorithm": "code",
    "footnote": "note",
    "vision_footnote": "note",
}
_PICTURES = {"image", "header_image", "footer_image", "seal", "chart"}


def is_paddle(content: Any) -> bool:
    """Whether it is a page, or a list of pages, with parsed blocks."""
    pages = list(_results(content))
    return bool(pages) and all(_BLOCKS in page for page in pages)


def paddle_pages(content: Any) -> dict[int, list[Block]]:
    """Blocks of each page; an image has no page number, so its place in the file counts."""
    return numbered(
        (_number(page, place), map(_block, page[_BLOCKS]))
        for place, page in enumerate(_results(content))
    )


def paddle_confidence(content: Any) -> dict[int, PageConfidence | None]:
    """The confidence of each page by its lines, which PP-Structure rates, and the others do not."""
    confidence = {}
    for place, page in enumerate(_results(content)):
        lines = page.get("overall_ocr_res") or {}
        pairs = zip(lines.get("rec_texts") or (), lines.get("rec_scores") or (), strict=False)
        confidence[_number(page, place)] = page_confidence(pairs)
    return confidence


def _number(page: Mapping[str, Any], place: int) -> int:
    return int(place if page.get("page_index") is None else page["page_index"])


def _results(content: Any) -> Iterator[Mapping[str, Any]]:
    """The pages, without what wraps them: a list, ``res``, or the answer of the service."""
    for part in content if isinstance(content, list) else [content]:
        page = part
        for name in ("result", "res", "prunedResult"):
            page = page.get(name, page) if isinstance(page, dict) else page
        listed = page.get("layoutParsingResults") if isinstance(page, dict) else None
        if isinstance(listed, list):
            yield from _results(listed)
        else:
            yield page if isinstance(page, dict) else {}


def _block(item: Mapping[str, Any]) -> Block:
    label, text = item["block_label"], item["block_content"]
    if label in _FURNITURE:
        return Block("furniture", text)
    if label in _PICTURES:
        # Text that was read in a picture; a reference to its file is none.
        return Block("figure", "" if text.lstrip().startswith(("<img", "<div", "![")) else text)
    if label == "doc_title":
        return Block("heading", text.lstrip("# "), 1)
    if label.endswith("title") and label not in ("figure_title", "table_title", "chart_title"):
        hashes = len(text) - len(text.lstrip("#"))
        return Block("heading", text.lstrip("# "), hashes or 2)
    return Block(_KINDS.get(label, "text"), text)
