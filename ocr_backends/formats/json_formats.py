"""The formats in JSON that are read: each is recognised by its content, not by a name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ocr_backends.formats.azure import azure_confidence, azure_pages, is_azure
from ocr_backends.formats.confidence import PageConfidence
from ocr_backends.formats.docling import docling_pages, is_docling
from ocr_backends.formats.llamaparse import is_llamaparse, llamaparse_confidence, llamaparse_pages
from ocr_backends.formats.marker import is_marker, marker_pages
from ocr_backends.formats.mineru import (
    content_list_pages,
    is_content_list,
    is_structured_content,
    mineru_pages,
)
from ocr_backends.formats.mineru_list import is_second_list, second_list_pages
from ocr_backends.formats.mineru_middle import is_middle, middle_confidence, middle_pages
from ocr_backends.formats.mistral import is_mistral, mistral_confidence, mistral_pages
from ocr_backends.formats.olmocr import is_olmocr, olmocr_pages
from ocr_backends.formats.paddle import is_paddle, paddle_confidence, paddle_pages
from ocr_backends.formats.textract import is_textract, textract_confidence, textract_pages
from ocr_backends.formats.unstructured import is_unstructured, unstructured_pages
from ohr.markup.blocks import Block


@dataclass(frozen=True)
class JsonFormat:
    """A format: how it is recognised, and its blocks by page (0-based).

    ``pages`` raises LookupError, TypeError, ValueError, AttributeError or OverflowError for a
    damaged file. ``skips_empty`` says that pages with nothing on them are left out of a file.
    ``confidence``: how sure the tool says it is of each page, for a format that says so.
    """

    form: str
    """Its name in the digest of a knowledge base."""
    title: str
    recognises: Callable[[Any], bool]
    pages: Callable[[Any], dict[int, list[Block]]]
    skips_empty: bool = False
    confidence: Callable[[Any], Mapping[int, PageConfidence | None]] = lambda content: {}


JSON_FORMATS = (
    JsonFormat("docling", "a DoclingDocument", is_docling, docling_pages),
    JsonFormat("mineru", "MinerU's content list", is_content_list, content_list_pages, True),
    JsonFormat("mineru", "MinerU's structured content", is_structured_content, mineru_pages),
    JsonFormat(
        "mineru",
        "MinerU's middle.json",
        is_middle,
        middle_pages,
        confidence=middle_confidence,
    ),
    JsonFormat("mineru", "MinerU's second content list", is_second_list, second_list_pages),
    JsonFormat(
        "mistral",
        "Mistral OCR's JSON",
        is_mistral,
        mistral_pages,
        confidence=mistral_confidence,
    ),
    JsonFormat("olmocr", "olmOCR's Dolma document", is_olmocr, olmocr_pages),
    JsonFormat("marker", "Marker's JSON", is_marker, marker_pages),
    JsonFormat(
        "paddle",
        "PaddleOCR's JSON",
        is_paddle,
        paddle_pages,
        confidence=paddle_confidence,
    ),
    JsonFormat(
        "azure",
        "a Document Intelligence result",
        is_azure,
        azure_pages,
        confidence=azure_confidence,
    ),
    JsonFormat(
        "textract",
        "a Textract answer",
        is_textract,
        textract_pages,
        confidence=textract_confidence,
    ),
    JsonFormat(
        "llamaparse",
        "LlamaParse's JSON",
        is_llamaparse,
        llamaparse_pages,
        confidence=llamaparse_confidence,
    ),
    JsonFormat(
        "unstructured", "Unstructured's elements", is_unstructured, unstructured_pages, True
    ),
)


def json_format(content: Any) -> JsonFormat | None:
    """The format of a file's content; None if it is none of them."""
    return next((each for each in JSON_FORMATS if each.recognises(content)), None)
