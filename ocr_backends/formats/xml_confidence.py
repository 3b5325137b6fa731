"""How sure ALTO and PAGE XML say that an engine is of the words of a page."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from ocr_backends.formats.confidence import PageConfidence, page_confidence
from ohr.documents.xml_tree import children


def alto_confidence(root: Element) -> dict[int, PageConfidence | None]:
    """The confidence of each page by its strings (``WC``)."""
    return {
        number: page_confidence(
            (string.get("SUBS_CONTENT") or string.get("CONTENT"), string.get("WC"))
            for string in page.iter("String")
            if string.get("SUBS_TYPE") != "HypPart2"
        )
        for number, page in enumerate(root.iter("Page"))
    }


def page_xml_confidence(root: Element) -> dict[int, PageConfidence | None]:
    """The confidence of the page by its words, or by its lines where no word has a rating."""
    ratings = (page_confidence(map(_rating, root.iter(kind))) for kind in ("Word", "TextLine"))
    return {0: next(filter(None, ratings), None)}


def _rating(element: Element) -> tuple[str | None, str | None]:
    """Text and confidence of the first reading of a word or line."""
    reading = next(children(element, "TextEquiv"), None)
    if reading is None:
        return None, None
    return reading.findtext("Unicode"), reading.get("conf")
