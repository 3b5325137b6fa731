"""Compares the text layer of a twin with the lines that it was drawn from."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence

import pypdfium2

from ohr.documents.pdf import bounded_text
from ohr.types import Line

_HYPHEN = "\x02"
"""PDFium's character, in the text of one object, for a hyphen that ends a line."""


def layer_difference(page: pypdfium2.PdfPage, lines: Sequence[Line]) -> str:
    """What the text layer of a drawn page says otherwise than the lines; empty if nothing.

    Line by line the layer must have the same text, after white space is collapsed and accents are
    composed. And its words, as they are extracted from the whole page, must be those of the lines:
    else words of two lines run together, or one is lost.
    """
    text_page = page.get_textpage()
    expected = [text for line in lines if (text := _plain(line.text))]
    parts = [
        item.extract().replace(_HYPHEN, "-")
        for item in page.get_objects(filter=[pypdfium2.raw.FPDF_PAGEOBJ_TEXT], textpage=text_page)
        if isinstance(item, pypdfium2.PdfTextObj)
    ]
    for line, text in zip(expected, _joined(parts, expected), strict=True):
        if line != text:
            return f"the text layer has {text[:60]!r} for {line[:60]!r}"
    line_words = Counter(word for line in expected for word in line.split())
    words = Counter(_plain(bounded_text(text_page)).split())
    if words != line_words:
        missing = " ".join((line_words - words).elements())
        instead = " ".join((words - line_words).elements())
        return f"the text layer has {instead[:60]!r} for {missing[:60]!r}"
    return ""


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", " ".join(text.split()))


def _joined(parts: Sequence[str], lines: Sequence[str]) -> list[str]:
    """The parts of the layer, in the order in which they were drawn, joined to as many lines."""
    texts: list[str] = []
    place = 0
    for number, line in enumerate(lines, start=1):
        text = ""
        while place < len(parts) and (number == len(lines) or len(_plain(text)) < len(line)):
            text += parts[place]
            place += 1
        texts.append(_plain(text))
    return texts
