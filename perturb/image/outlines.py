"""The outlines of boxes, as points that a distortion can move."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

STEP, MOST_POINTS = 4.0, 512
"""Pixels between the points of an outline; the most points a side."""
BATCH = 64
"""Boxes at a time."""


def outlines(boxes: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Points along the outlines of boxes ``(n, 4)``, x and y, a batch of boxes at a time."""
    for first in range(0, len(boxes), BATCH):
        some = boxes[first : first + BATCH]
        longest = float(np.maximum(some[:, 2] - some[:, 0], some[:, 3] - some[:, 1]).max())
        share = np.linspace(0, 1, int(min(MOST_POINTS, max(2, longest / STEP + 2))))
        x0, y0, x1, y1 = (side[:, None] for side in some.T)
        x, y = x0 + (x1 - x0) * share, y0 + (y1 - y0) * share
        yield (
            np.concatenate([x, x, x0 + 0 * x, x1 + 0 * x], axis=1),
            np.concatenate([y0 + 0 * y, y1 + 0 * y, y, y], axis=1),
        )


def hulls(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The upright hull of each row of points, ``(n, 4)``."""
    return np.stack([x.min(1), y.min(1), x.max(1), y.max(1)], axis=1)
