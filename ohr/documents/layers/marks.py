"""Marks on a page that look like letters, and images: ink that the text layer may not explain."""

from __future__ import annotations

import cv2
import numpy as np
import pypdfium2
from pypdfium2 import raw

MARK_CONTRAST = 40
"""A mark is darker or lighter than its surroundings by at least this (of 255)."""
MARK_SIZES = (4 / 1.5, 16.0)
"""Heights, in points, of marks that may be letters."""
MOST_MARKS = 2000
_DEEPEST = 15


def image_share(page: pypdfium2.PdfPage) -> float:
    """The share of the page that its images cover together, in [0, 1], forms included."""
    west, south, east, north = page.get_bbox()
    if east <= west or north <= south:
        return 0.0
    handles = (
        raw.FPDFPage_GetObject(page.raw, number)
        for number in range(raw.FPDFPage_CountObjects(page.raw))
    )
    holders = (raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_FORM)
    if not any(raw.FPDFPageObj_GetType(handle) in holders for handle in handles):
        return 0.0
    cells = 200
    covered = np.zeros((cells, cells), bool)
    for image in page.get_objects([raw.FPDF_PAGEOBJ_IMAGE], max_depth=_DEEPEST):
        left_edge, bottom, right, top = image.get_bounds()
        across = (np.array([left_edge, right]) - west) / (east - west)
        up = (np.array([bottom, top]) - south) / (north - south)
        (x0, x1), (y0, y1) = (
            np.clip(np.round(side * cells), 0, cells).astype(int) for side in (across, up)
        )
        covered[y0:y1, x0:x1] = True
    return float(covered.mean())


def find_marks(page: np.ndarray, scale: float, words: np.ndarray) -> tuple[int, int]:
    """Marks that look like letters: their number, and their ink in pixels.

    They have the right size, and another next to them. ``page``: uint8 ``(h, w, 3)``; ``scale``:
    pixels per point. Marks within ``words``, boxes in pixels, int ``(n, 4)``, are signs of these
    words.
    """
    grey = cv2.cvtColor(page, cv2.COLOR_BGR2GRAY)
    if grey.min() == grey.max():
        return 0, 0
    ink = ink_of(grey, scale)
    for x0, y0, x1, y1 in words.tolist():
        ink[y0:y1, x0:x1] = 0
    components = cv2.connectedComponentsWithStats(ink, connectivity=8)
    left_edge, top, width, height, area = np.asarray(components[2])[1:].T
    smallest, largest = (size * scale for size in MARK_SIZES)
    fits = (
        (height >= smallest)
        & (height <= largest)
        & (width >= 2)
        & (width <= 2.5 * largest)
        & (area >= 8)
        & (area < 0.85 * width * height)
    )
    boxes = np.stack([left_edge, top, left_edge + width, top + height], axis=1)[fits]
    areas = area[fits]
    if len(boxes) > MOST_MARKS:
        return len(boxes), int(areas.sum())
    beside = _has_neighbour(boxes)
    return int(beside.sum()), int(areas[beside].sum())


def ink_of(grey: np.ndarray, scale: float) -> np.ndarray:
    """1 where a page differs from its surroundings: uint8 ``(h, w)``."""
    around = cv2.blur(grey, (2 * round(10 * scale) + 1,) * 2)
    return (cv2.absdiff(grey, around) > MARK_CONTRAST).astype(np.uint8)


def _has_neighbour(boxes: np.ndarray) -> np.ndarray:
    """Whether each box ``(n, 4)`` has one of similar height next to it: bool ``(n,)``."""
    left_edge, top, right, bottom = boxes.T.astype(np.int64)
    height = bottom - top
    taller = np.maximum(height[:, None], height)
    gap = np.maximum(left_edge[:, None], left_edge) - np.minimum(right[:, None], right)
    overlap = np.minimum(bottom[:, None], bottom) - np.maximum(top[:, None], top)
    beside = (
        (gap <= taller)
        & (overlap * 2 >= np.minimum(height[:, None], height))
        & (taller <= 2 * np.minimum(height[:, None], height))
    )
    np.fill_diagonal(beside, False)
    return np.asarray(beside.any(axis=1))
