"""Stretches of lines with their words, as RapidOCR and Tesseract see them on a page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import numpy as np

from ocr_backends._tesseract_layout import hocr_page
from ocr_backends.structure.phrases import Segment

ROOM = 1.4
"""Height of a detector's box over that of the type; Tesseract's boxes end where the ink ends."""

_NUMBERS = r"(-?[\d.]+)"
_BOX = re.compile(rf"bbox {_NUMBERS} {_NUMBERS} {_NUMBERS} {_NUMBERS}")
_BASELINE = re.compile(rf"baseline {_NUMBERS} ")
_SIZE = re.compile(rf"x_size {_NUMBERS}")
_XHTML = "{http://www.w3.org/1999/xhtml}"


def rapidocr_segments(result: Any) -> list[Segment]:
    """Segments of RapidOCR's result with words; of None, none."""
    if result is None:
        return []
    words = list(result.word_results or ())
    segments = []
    for text, box in zip(result.txts, result.boxes, strict=True):
        line: tuple[tuple[str, np.ndarray], ...] = ()
        # A line without words has no entry at all, so the texts say whose they are.
        if words and "".join(str(word[0]) for word in words[0]) == "".join(text.split()):
            line = tuple((str(word[0]), np.asarray(word[2], float)) for word in words.pop(0))
        segments.append(Segment(text, np.asarray(box, float), line))
    return segments


def hocr_segments(hocr: str) -> list[Segment]:
    """Lines of Tesseract's hOCR. Raises EngineError for what is no hOCR."""
    return list(_lines(hocr_page(hocr)))


def _lines(page: ElementTree.Element) -> Iterator[Segment]:
    for paragraph in page.iter(f"{_XHTML}p"):
        for line in paragraph:
            words = [("".join(word.itertext()).strip(), _box(word)) for word in line]
            read = [(text, box) for text, box in words if text and box is not None]
            box, title = _box(line), line.get("title", "")
            if not read or box is None:
                continue
            slope, size = _BASELINE.search(title), _SIZE.search(title)
            fall = float(slope[1]) * (box[2] - box[0]) if slope else 0.0
            top, bottom = box[1] + max(0.0, -fall), box[3] - max(0.0, fall)
            tall = ROOM * float(size[1]) if size else bottom - top
            middle = (top + bottom) / 2
            corners = _corners(box[0], middle - tall / 2, box[2], middle + tall / 2, fall)
            yield Segment(
                " ".join(text for text, _ in read),
                corners,
                tuple((text, _corners(*word, 0.0)) for text, word in read),
            )


def _box(element: ElementTree.Element) -> tuple[float, float, float, float] | None:
    match = _BOX.search(element.get("title", ""))
    if match is None:
        return None
    left_edge, top, right, bottom = map(float, match.groups())
    return left_edge, top, right, bottom


def _corners(left_edge: float, top: float, right: float, bottom: float, fall: float) -> np.ndarray:
    return np.array(
        [[left_edge, top], [right, top + fall], [right, bottom + fall], [left_edge, bottom]], float
    )
