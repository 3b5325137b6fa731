"""Whether a page image stands upright, by how its letters line up."""

from __future__ import annotations

from typing import Literal

import cv2
import numpy as np

Turn = Literal[90, 180, 270]
"""Degrees clockwise by which a page was turned."""
FEWEST = 120
"""Letters below which nothing is said ..."""
MOST = 6000
"""... and how many are looked at."""
CLEAR = 0.12
"""By how much more neighbours agree on one edge than on the other, as shares of all pairs."""
ALONG = 0.7
"""Share of letters whose nearest neighbour stands along the line."""
NEIGHBOURS = 4
"""Letters around each that are compared with it ..."""
REACH = 2.5
"""... within so many sizes of a letter ..."""
LEVEL = 0.08
"""... and whose edges agree if they are so near, in sizes of a letter."""
SAYS = {
    90: "lies on its right side, turned clockwise",
    180: "stands on its head",
    270: "lies on its left side, turned counter-clockwise",
}


def turn_of(image: np.ndarray) -> Turn | None:
    """By how much a page of Latin, Greek or Cyrillic letters is turned; None for one that stands
    upright, and where letters do not tell.

    ``image``: uint8, ``(h, w)`` grey or ``(h, w, 3)`` RGB. Most letters stand on the baseline, and
    neighbours differ in how high they reach: so their lower edges agree more often than the upper.
    """
    from scipy.spatial import KDTree  # half a second: only where it is needed

    boxes = _letters(image)
    if len(boxes) < FEWEST:
        return None
    centres = (boxes[:, :2] + boxes[:, 2:]) / 2
    distances, others = KDTree(centres).query(centres, k=NEIGHBOURS + 1)
    apart = np.abs(centres[others[:, 1]] - centres)
    along = int(apart[:, 0].sum() < apart[:, 1].sum())  # 0: lines run across; 1: down
    if np.mean(apart[:, along] > apart[:, 1 - along]) < ALONG:
        return None
    size = float(np.median(np.max(boxes[:, 2:] - boxes[:, :2], axis=1)))
    apart = np.abs(centres[others] - centres[:, None])
    paired = (apart[:, :, along] > apart[:, :, 1 - along]) & (distances < REACH * size)
    one, place = np.nonzero(paired)
    if len(one) < FEWEST:
        return None
    edges = np.abs(boxes[others[one, place]] - boxes[one]) <= max(1.0, LEVEL * size)
    # Of lines that run across, the upper and lower edges; of those that run down, left and right.
    first, second = edges[:, 1 - along].mean(), edges[:, 3 - along].mean()
    if abs(first - second) <= CLEAR:
        return None
    if along:
        return 90 if first > second else 270
    return 180 if first > second else None


def _letters(image: np.ndarray) -> np.ndarray:
    """Boxes of what has the size of letters: left, top, right, bottom; ``(n, 4)`` floats."""
    grey = image if image.ndim == 2 else cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    _, ink = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY_INV | cv2.THRESH_OTSU)
    if ink.mean() > 127:
        ink = 255 - ink
    _, _, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    left, top, width, height = (stats[1:, at].astype(float) for at in range(4))
    size = np.maximum(width, height)
    seen = (size >= 6) & (np.minimum(width, height) >= 2)
    if not seen.any():
        return np.empty((0, 4))
    usual = float(np.median(size[seen]))
    kept = seen & (size >= 0.5 * usual) & (size <= 2 * usual)
    boxes = np.stack([left, top, left + width, top + height], axis=1)[kept]
    some: np.ndarray = boxes[:: len(boxes) // MOST + 1]
    return some
