"""The height of a page's smaller letters, and a detector that sees large letters smaller."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

TARGET = 14.0
"""Pixels that the page's smaller letters keep in what the detector sees. Of 14, 11, 9 and 7 it is
the smallest with which no word was lost on six receipts, those that ``benchmarks.ocr_cost``
leaves out with ``--skip 6``."""
SMALLEST = 736
"""The detector never sees a page whose longer side is shorter, unless the page is."""
FEWEST = 20
"""With fewer letters than this nothing is known about their height."""
LOWEST, HIGHEST = 4, 200
"""Marks outside these heights in pixels are specks, or rules and pictures."""


def text_height(image: np.ndarray) -> float | None:
    """Height in pixels of the smaller lower-case letters of a page image, grey or in colour.

    uint8, ``(h, w)`` or ``(h, w, 3)``. A fifth of the marks that have at least half the median
    height are smaller: commas and points have less. None if there are too few marks.
    """
    grey = image if image.ndim == 2 else cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    _, ink = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY_INV | cv2.THRESH_OTSU)
    if cv2.countNonZero(ink) > ink.size // 2:  # light letters on a dark page
        ink = cv2.bitwise_not(ink)
    _, _, boxes, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    widths, heights = boxes[1:, cv2.CC_STAT_WIDTH], boxes[1:, cv2.CC_STAT_HEIGHT]
    is_letter = (heights >= LOWEST) & (heights <= HIGHEST) & (widths <= 4 * heights)
    letters = heights[is_letter]
    if len(letters) < FEWEST:
        return None
    return float(np.percentile(letters[letters >= np.median(letters) / 2], 20))


def detector_side(image: np.ndarray) -> int | None:
    """The longer side in pixels at which the page's smaller letters have :data:`TARGET` pixels.

    None if they are not higher, or of unknown height.
    """
    side: int = max(image.shape[:2])
    height = text_height(image)
    if height is None or height <= TARGET:
        return None
    return min(side, max(SMALLEST, round(side * TARGET / height)))


def set_by_text_height(engine: Any) -> None:
    """Let the detector of a RapidOCR see each page at :func:`detector_side`.

    A page of small letters it sees as usual, which enlarges small pages.
    """
    detector = engine._load_det_model()
    make_usual = detector.get_preprocess

    def resize_and_normalise(image: np.ndarray) -> np.ndarray | None:
        resizing, side = make_usual(), detector_side(cv2.cvtColor(image, cv2.COLOR_BGR2RGB))
        if side is not None:
            resizing.limit_type, resizing.limit_side_len = "max", side
        prepared: np.ndarray | None = resizing(image)
        return prepared

    detector.get_preprocess = lambda: resize_and_normalise
