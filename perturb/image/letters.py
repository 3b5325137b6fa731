"""How large the letters of a page are: what print and pen leave on it is as large as they are."""

from __future__ import annotations

import cv2
import numpy as np

FEWEST = 20
"""With fewer marks than this, nothing is known about the letters."""
LOWEST, HIGHEST = 4, 200
"""Marks outside these heights in pixels are specks, or rules and pictures."""
USUAL = 15.0
"""Height of a capital in pixels at 150 dpi, where no letters are found: 10-point type."""


def grey_of(page: np.ndarray) -> np.ndarray:
    """The page's luma, uint8 ``(h, w)``."""
    return page if page.ndim == 2 else cv2.cvtColor(page, cv2.COLOR_RGB2GRAY)


def capital_height(grey: np.ndarray, scale: float) -> float:
    """Height in pixels of most of a page's capitals and figures, from its ink.

    Args:
        grey: The page, uint8 ``(h, w)``.
        scale: Pixels for each pixel at 150 dpi, for a page on which no letters are found.
    """
    _, ink = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY_INV | cv2.THRESH_OTSU)
    if cv2.countNonZero(ink) > ink.size // 2:  # light letters on a dark page
        ink = cv2.bitwise_not(ink)
    height = len(grey)
    letters = _letters(ink[height // 4 : height - height // 4])  # half the page says enough
    if len(letters) < FEWEST:
        letters = _letters(ink)
    if len(letters) < FEWEST:
        return USUAL * scale
    # Marks of less than half the median height are points, commas and accents; of the rest, two
    # thirds to nearly all are lower: letters without ascender, if any.
    return float(np.percentile(letters[letters >= np.median(letters) / 2], 70))


def _letters(ink: np.ndarray) -> np.ndarray:
    """Heights of the marks that may be letters, in pixels."""
    _, _, boxes, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    widths, heights = boxes[1:, cv2.CC_STAT_WIDTH], boxes[1:, cv2.CC_STAT_HEIGHT]
    letters: np.ndarray = heights[
        (heights >= LOWEST) & (heights <= HIGHEST) & (widths <= 4 * heights)
    ]
    return letters
