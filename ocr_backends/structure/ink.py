"""What is drawn on a page beside words: lines under headings, and dashes, which engines miss."""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np

SHORTEST = 30
"""Pixels of a line at least; letters have shorter strokes."""
THICKEST = 6
"""Pixels of a line at most."""
CONTRAST = 12
"""How much darker than its surroundings ink is, in grey levels."""
AROUND = 31
"""Pixels of the surroundings."""
DASH_WIDTHS = (0.15, 1.3)
DASH_HEIGHT = 0.2
"""Sizes of a dash, in heights of a line."""
SPECK = 4
"""Ink of fewer pixels is none."""


class Rule(NamedTuple):
    """A drawn line from left to right, in pixels."""

    left: float
    right: float
    y: float


class Ink:
    """The ink of a page, RGB uint8 ``(h, w, 3)``. Lines that slope are missed."""

    def __init__(self, page: np.ndarray) -> None:
        self.rules: list[Rule] = []
        self._ink: np.ndarray = np.zeros(page.shape[:2], np.uint8)
        if min(page.shape[:2]) < AROUND:
            return
        grey = cv2.cvtColor(page, cv2.COLOR_RGB2GRAY)
        self._ink = cv2.adaptiveThreshold(
            grey, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, AROUND, CONTRAST
        )
        strokes = cv2.morphologyEx(self._ink, cv2.MORPH_OPEN, np.ones((1, SHORTEST), np.uint8))
        _, _, stats, _ = cv2.connectedComponentsWithStats(strokes, connectivity=8)
        self.rules = [
            Rule(float(left_edge), float(left_edge + width), top + height / 2)
            for left_edge, top, width, height, _ in stats[1:].tolist()
            if height <= THICKEST
        ]

    def has_dash(self, left_edge: float, right: float, middle: float, unit: float) -> bool:
        """Whether a dash is all that stands between ``left`` and ``right``, ``middle`` high.

        ``unit``: height of a line in pixels.
        """
        top = max(0, int(middle - 0.35 * unit))
        box = self._ink[top : int(middle + 0.35 * unit), max(0, int(left_edge)) : int(right)]
        if box.size == 0:
            return False
        _, _, stats, _ = cv2.connectedComponentsWithStats(box, connectivity=8)
        marks = [mark for mark in stats[1:].tolist() if mark[4] >= SPECK]
        if len(marks) != 1:
            return False
        _, _, width, height, _ = marks[0]
        narrow, wide = DASH_WIDTHS
        flat = bool(height <= max(2, DASH_HEIGHT * unit))
        return flat and bool(narrow * unit <= width <= wide * unit)
