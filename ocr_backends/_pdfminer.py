"""Text of a PDF page by pdfminer.six: as a string, or as lines with the boxes of their words."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from ocr_backends.structure.phrases import Segment
from ohr.errors import EngineError, MissingDependencyError

PACKAGE = "pdfminer.six"
INSTALL = f"pip install {PACKAGE}"
ROOM = 1.4
"""Height of a detector's box over that of the type; pdfminer's boxes are as high as the type."""
_CORNERS = ((0, 1), (2, 1), (2, 3), (0, 3))


def package_version() -> str:
    """Raises MissingDependencyError."""
    try:
        return f"{PACKAGE} {version(PACKAGE)}"
    except PackageNotFoundError as error:
        raise MissingDependencyError(f"{PACKAGE} is not installed: {INSTALL}") from error


def page_text(path: Path, page_no: int) -> str:
    """A page's text (0-based) by the high-level extractor, which is the DRC paper's baseline.

    Raises MissingDependencyError, and EngineError for what cannot be read.
    """
    high_level = _module("high_level")
    text: str = _tried(lambda: high_level.extract_text(path, page_numbers=[page_no]), path, page_no)
    return text.replace("\f", "")


def page_segments(path: Path, page_no: int, height: int, width: int) -> list[Segment]:
    """Lines of a page (0-based) in the pixels of its image; their words' boxes are the type's.

    Raises what :func:`page_text` does.
    """
    layout, (left_edge, bottom, right, top) = _tried(
        lambda: _laid_out(path, page_no), path, page_no
    )
    scale = np.array([width / (right - left_edge), height / (top - bottom)])

    def corners(box: tuple[float, ...], room: float) -> np.ndarray:
        x0, y0, x1, y1 = box
        more = (room - 1) * (y1 - y0) / 2
        inside = (x0 - left_edge, top - y1 - more, x1 - left_edge, top - y0 + more)
        points = np.array([[inside[x], inside[y]] for x, y in _CORNERS])
        return np.asarray(points * scale)

    segments = []
    for line in _lines(layout):
        words = _words(line)
        if words:
            placed = tuple((text, corners(box, 1.0)) for text, box in words)
            text = " ".join(text for text, _ in words)
            segments.append(Segment(text, corners(line.bbox, ROOM), placed))
    return segments


def _tried(read: Any, path: Path, page_no: int) -> Any:
    """What a function reads; whatever pdfminer raises on a damaged file is an EngineError."""
    try:
        return read()
    except (MissingDependencyError, MemoryError):
        raise
    except Exception as error:  # it has no class of its own for a file that is damaged
        raise EngineError(
            f"page {page_no + 1} of {path.name}: {type(error).__name__}: {error}"
        ) from error


def _laid_out(path: Path, page_no: int) -> tuple[Any, tuple[float, float, float, float]]:
    """A page's layout, and its visible part: the crop box, rotated like the page."""
    converter, layout, utils = _module("converter"), _module("layout"), _module("utils")
    interpreter, pages = _module("pdfinterp"), _module("pdfpage")
    aggregator: Any = converter.PDFPageAggregator

    class Device(aggregator):  # type: ignore[misc]  # imported when it is used, so any class
        seen = (0.0, 0.0, 0.0, 0.0)

        def begin_page(self, page: Any, ctm: Any) -> None:
            super().begin_page(page, ctm)
            self.seen = utils.apply_matrix_rect(ctm, page.cropbox)

    resources = interpreter.PDFResourceManager()
    device = Device(resources, laparams=layout.LAParams(all_texts=True))
    with path.open("rb") as file:
        for page in pages.PDFPage.get_pages(file, pagenos={page_no}):
            interpreter.PDFPageInterpreter(resources, device).process_page(page)
            result = device.get_result()
            # A crop box reaches no further than the page.
            left_edge, bottom = map(max, device.seen[:2], result.bbox[:2])
            right, top = map(min, device.seen[2:], result.bbox[2:])
            if right <= left_edge or top <= bottom:
                raise EngineError("a page without an area")
            return result, (left_edge, bottom, right, top)
    raise EngineError(f"no page {page_no + 1}")


def _lines(item: Any) -> Iterator[Any]:
    """Lines of text within a layout, at any depth."""
    line_class = _module("layout").LTTextLine
    stack = [item]
    while stack:
        top = stack.pop()
        if isinstance(top, line_class):
            yield top
        elif hasattr(top, "__iter__"):
            stack.extend(reversed(list(top)))


def _words(line: Any) -> list[tuple[str, tuple[float, ...]]]:
    """Words of a line with their boxes: left, bottom, right, top, in points."""
    words: list[tuple[str, tuple[float, ...]]] = []
    open_word = False
    for char in line:
        text = char.get_text()
        if not hasattr(char, "bbox") or text.isspace():  # a space that stands for a gap
            open_word = False
            continue
        if open_word:
            before, (x0, y0, x1, y1) = words[-1]
            a, b, c, d = char.bbox
            words[-1] = before + text, (min(x0, a), min(y0, b), max(x1, c), max(y1, d))
        else:
            words.append((text, char.bbox))
            open_word = True
    return words


def _module(name: str) -> Any:
    logging.getLogger("pdfminer").setLevel(logging.ERROR)
    try:
        return importlib.import_module(f"pdfminer.{name}")
    except ImportError as error:
        raise MissingDependencyError(f"{PACKAGE} is not installed: {INSTALL}") from error
