"""Tesseract's hOCR into Markdown: paragraphs whole, headings by the size of their type.

Columns are Tesseract's own: its areas come in reading order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from xml.etree import ElementTree

from ohr.errors import EngineError

HEADING = 1.15
"""Type this many times as large as the body's is a heading (``##``) ..."""
TITLE = 1.6
"""... and this many times, a title (``#``)."""
LINES = 3
"""A heading has at most this many lines."""
WORDS = 20
"""A heading has at most this many words."""

_SIZE = re.compile(r"x_size ([\d.]+)")
_XHTML = "{http://www.w3.org/1999/xhtml}"


@dataclass(frozen=True)
class _Line:
    text: str
    size: float
    """Height of the type in pixels."""


def hocr_to_markdown(hocr: str) -> str:
    """Markdown of a page. Raises EngineError for what is no hOCR."""
    paragraphs = [lines for lines in _paragraphs(hocr_page(hocr)) if lines]
    sizes = [line.size for lines in paragraphs for line in lines for _ in line.text.split()]
    body = median(sizes) if sizes else 0.0
    return "\n\n".join(_markdown(lines, body) for lines in paragraphs)


def hocr_page(hocr: str) -> ElementTree.Element:
    """The tree of a page's hOCR. Raises EngineError for what is none."""
    try:
        return ElementTree.fromstring(hocr if hocr.lstrip().startswith("<?xml") else _whole(hocr))
    except ElementTree.ParseError as error:
        raise EngineError(f"Tesseract wrote no hOCR: {error}") from error


def _whole(hocr: str) -> str:
    """The library gives the page alone, the program a document."""
    return f'<html xmlns="{_XHTML[1:-1]}">{hocr}</html>'


def _paragraphs(page: ElementTree.Element) -> Iterator[list[_Line]]:
    for paragraph in page.iter(f"{_XHTML}p"):
        lines = []
        for line in paragraph:
            words = ["".join(word.itertext()).strip() for word in line]
            text = " ".join(word for word in words if word)
            size = _SIZE.search(line.get("title", ""))
            if text and size:
                lines.append(_Line(text, float(size[1])))
        yield lines


def _markdown(lines: list[_Line], body: float) -> str:
    text = "\n".join(line.text for line in lines)
    ratio = median(line.size for line in lines) / body if body else 1.0
    if ratio < HEADING or len(lines) > LINES or len(text.split()) > WORDS:
        return text
    if not any(char.isalpha() for char in text) or text.endswith((".", ",", ";")):
        return text
    return f"{'#' if ratio >= TITLE else '##'} {' '.join(text.split())}"
