"""Smooth fields over a page, given at coarse nodes and enlarged strip by strip.

A field is given at nodes ``CELL`` pixels apart and interpolated linearly, so its cost is that
of a small picture, and a page of any size needs the memory of a strip.
"""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np

CELL = 8
"""Pixels between nodes, at any resolution."""
STRIP = 16 * CELL
"""Rows enlarged at a time."""


def uniforms(seed: int, count: int) -> np.ndarray:
    """``count`` float64 draws in [0, 1) that depend on the seed alone, under any NumPy."""
    # The raw stream of a bit generator is what NumPy promises never to change (NEP 19).
    raw = np.random.PCG64(seed).random_raw(count)
    drawn: np.ndarray = (raw >> np.uint64(11)) * 2.0**-53
    return drawn


def nodes(shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Columns ``(1, n)`` and rows ``(m, 1)`` of a page's nodes, float32, in pixels.

    Measured from the page's corner, so a pixel's centre is at half. One ring lies outside.
    """
    height, width = shape[:2]
    x = (np.arange(-(-width // CELL) + 2, dtype=np.float32) - 0.5) * CELL
    y = (np.arange(-(-height // CELL) + 2, dtype=np.float32) - 0.5) * CELL
    return x[None, :], y[:, None]


def strips(height: int) -> Iterator[slice]:
    """Rows of a page, a strip at a time."""
    for top in range(0, height, STRIP):
        yield slice(top, min(top + STRIP, height))


def enlarged(field: np.ndarray, rows: slice, width: int) -> np.ndarray:
    """A field given at :func:`nodes`, at the pixel centres of one of :func:`strips`.

    Dtype and channels stay. The result is a view whose rows are not contiguous.
    """
    first, last = rows.start // CELL, -(-rows.stop // CELL) + 2
    part = field[first:last]
    size = (part.shape[1] * CELL, part.shape[0] * CELL)
    whole = cv2.resize(part, size, interpolation=cv2.INTER_LINEAR)
    return whole[CELL : CELL + rows.stop - rows.start, CELL : CELL + width]
