"""The JSON lines of olmOCR in Dolma's form: a document's text, and where each page stands in it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from ocr_backends.formats.numbered import numbered
from ohr.markup.blocks import Block


def is_olmocr(content: Any) -> bool:
    """Whether it is a document with a text and the places of its pages."""
    attributes = content.get("attributes") if isinstance(content, dict) else None
    return isinstance(attributes, dict) and "pdf_page_numbers" in attributes


def source_name(content: Mapping[str, Any]) -> str:
    """The name of the PDF without its suffix; empty if it is not named."""
    metadata = content.get("metadata")
    name = metadata.get("Source-File") if isinstance(metadata, dict) else None
    return PurePosixPath(str(name).replace("\\", "/")).stem if name else ""


def olmocr_pages(content: Mapping[str, Any]) -> dict[int, list[Block]]:
    """A block of Markdown for each page; the file counts pages from 1."""
    text: str = content["text"]
    places = content["attributes"]["pdf_page_numbers"]
    return numbered(
        (int(page) - 1, [Block("text", text[start:end])]) for start, end, page in places
    )
