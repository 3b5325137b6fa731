"""hOCR, as Tesseract, OCRopus, kraken and others write it: XHTML whose classes name its elements.

Source: T. Breuel and K. Baierer, hOCR: OCR Workflow and Output embedded in HTML, version 1.2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from ocr_backends.formats.confidence import PageConfidence, page_confidence
from ohr.documents.xml_tree import words
from ohr.errors import EngineError
from ohr.markup.blocks import Block

LINES = frozenset({"ocr_line", "ocrx_line", "ocr_header", "ocr_caption", "ocr_textfloat"})
"""Tesseract calls a line by the kind of its block; its ``ocr_header`` is large type."""
FURNITURE = frozenset({"ocr_footer", "ocr_pageno"})
BREAKS = frozenset({"br", "hr"})
BLOCKS = frozenset("p div li ul ol dl dt dd tr table caption h1 h2 h3 h4 h5 h6 pre".split())
"""Elements of HTML that stand on lines of their own."""
CELLS = frozenset({"td", "th"})
_NUMBER = re.compile(r"\bppageno (\d{1,7})")
_RATING = re.compile(r"\bx_wconf (\d{1,3}(?:\.\d{1,9})?)")


def hocr_pages(root: Element) -> dict[int, list[Block]]:
    """Blocks of each page: paragraphs, line for line.

    A page without an element that says what it is has its whole text. A page's number is its
    ``ppageno`` where each has one of its own, else its place in the file. Raises EngineError for a
    file without pages.
    """
    return {
        number: [block for block in _blocks(page) if block.text] or [Block("text", _text(page))]
        for number, page in _numbered(root)
    }


def hocr_confidence(root: Element) -> dict[int, PageConfidence | None]:
    """The confidence of each page by its words (``x_wconf``)."""
    return {
        number: page_confidence(
            ((words(_word(part)), match[1]) for part, match in _rated_words(page)), scale=100
        )
        for number, page in _numbered(root)
    }


def _rated_words(page: Element) -> Iterator[tuple[Element, re.Match[str]]]:
    for part in page.iter():
        if "ocrx_word" in _classes(part) and (match := _RATING.search(part.get("title", ""))):
            yield part, match


def _numbered(root: Element) -> list[tuple[int, Element]]:
    """The pages with their numbers, in order."""
    for element in root.iter():  # HTML, unlike XHTML, has names of any case
        element.tag = element.tag.lower()
    pages = [element for element in root.iter() if "ocr_page" in _classes(element)]
    if not pages:
        raise EngineError("HTML without a page of hOCR")
    named = [_NUMBER.search(page.get("title", "")) for page in pages]
    numbers = [int(match[1]) for match in named if match is not None]
    if len(set(numbers)) < len(pages):
        numbers = list(range(len(pages)))
    return sorted(zip(numbers, pages, strict=True), key=lambda pair: pair[0])


def _classes(element: Element) -> set[str]:
    return set(element.get("class", "").split())


def _blocks(element: Element) -> Iterator[Block]:
    """One block per paragraph; a line outside all paragraphs is a block of its own."""
    for child in element:
        classes = _classes(child)
        if classes & FURNITURE:
            yield Block("furniture", _text(child))
        elif "ocr_par" in classes or classes & LINES or _is_paragraph(child):
            yield Block("text", _text(child))
        else:
            yield from _blocks(child)


def _is_paragraph(element: Element) -> bool:
    """Whether an element that does not say what it is has text beside that of its parts, if any."""
    if any(_classes(part) & (LINES | FURNITURE | {"ocr_par"}) for part in element.iter()):
        return False
    own = (element.text, *(part.tail for part in element))
    return not len(element) or element.tag == "p" or any(map(words, own))


def _text(element: Element) -> str:
    lines = [line for line in element.iter() if line is not element and _classes(line) & LINES]
    return "\n".join(filter(None, (_line(line) for line in lines or [element])))


def _line(element: Element) -> str:
    """The text of a line, with a space between words whether or not the file has one.

    It is several lines if the file breaks it (``<br/>``).
    """
    if any("ocrx_word" in _classes(part) for part in element.iter()):
        text = "".join(_words(element))
    else:
        text = "".join(_pieces(element))
    return "\n".join(filter(None, map(words, text.split("\n"))))


def _words(element: Element) -> Iterator[str]:
    """The words below an element, and the line breaks between them; other text is left out."""
    for child in element:
        if "ocrx_word" in _classes(child):
            yield f" {_word(child)} "
        elif child.tag in BREAKS:
            yield "\n"
        else:
            yield from _words(child)


def _pieces(element: Element) -> Iterator[str]:
    """The text of an element; line breaks stand where it has some, or a part that is a block."""
    own = "\n" if element.tag in BREAKS or element.tag in BLOCKS else ""
    yield own + " ".join((element.text or "").split("\n"))
    for child in element:
        yield from _pieces(child)
        yield " ".join((child.tail or "").split("\n"))
    yield " " if element.tag in CELLS else own


def _word(element: Element) -> str:
    """A word; the elements of its characters may stand on lines of their own."""
    text = "".join(_pieces(element))
    apart = any("ocrx_cinfo" in _classes(part) for part in element.iter())
    return "".join(text.split()) if apart else text
