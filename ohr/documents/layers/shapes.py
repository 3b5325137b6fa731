"""How glyphs look: pictures of one size, and their likeness.

A shape keeps its proportions and its place above the baseline, which tell ``,`` from ``'`` and
``s`` from ``S``.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from ohr.documents.layers.accents import accent_of

SIDE = 24
"""Pixels of a shape's side."""
SOFT = 1.2
"""Standard deviation, in pixels, of the blur that forgives small differences of faces."""
TOLERANCE = 0.09
"""Difference of a glyph's edges, in sizes of the type, that faces have among themselves."""
WEIGHT = 1.2
"""Likeness lost per size of difference beyond it."""
MOST_LOST = 0.45


@dataclass(frozen=True, slots=True)
class Shape:
    """A glyph's picture, as a vector of length 1, and its edges in sizes of the type.

    ``top`` and ``bottom`` are above the baseline. ``accent`` is the picture of what stands above a
    letter, if anything does.
    """

    picture: np.ndarray
    top: float
    bottom: float
    width: float
    accent: np.ndarray | None = None


def shape(ink: np.ndarray, baseline: float, em: float) -> Shape:
    """The shape of a glyph.

    ``ink``: uint8 ``(h, w)``, cropped to what is drawn, 255 full ink; ``baseline``: its row;
    ``em``: size of the type in pixels.
    """
    height, width = ink.shape
    scale = (SIDE - 4) / max(height, width)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    small = cv2.resize(ink, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    canvas = np.zeros((SIDE, SIDE), np.float32)
    top, left_edge = (SIDE - size[1]) // 2, (SIDE - size[0]) // 2
    canvas[top : top + size[1], left_edge : left_edge + size[0]] = small
    soft = cv2.GaussianBlur(canvas, (0, 0), SOFT)
    flat = soft.ravel() - soft.mean()
    return Shape(
        flat / max(float(np.linalg.norm(flat)), 1e-6),
        baseline / em,
        (baseline - height) / em,
        width / em,
        accent_of(ink),
    )


def likeness(glyph: Shape, rest: Shapes) -> np.ndarray:
    """The likeness of a glyph and others, at most 1: float ``(n,)``."""
    alike: np.ndarray = rest.pictures @ glyph.picture
    edges = np.abs(rest.edges - np.array([glyph.top, glyph.bottom, glyph.width]))
    beyond = np.maximum(edges - TOLERANCE, 0).sum(axis=1)
    alike -= np.minimum(WEIGHT * beyond, MOST_LOST)
    return alike


class Shapes:
    """Several shapes as arrays, for comparison with one."""

    def __init__(self, shapes: list[Shape]) -> None:
        self.pictures = np.array([item.picture for item in shapes], np.float32).reshape(
            -1, SIDE * SIDE
        )
        self.edges = np.array([(item.top, item.bottom, item.width) for item in shapes]).reshape(
            -1, 3
        )

    def __len__(self) -> int:
        return len(self.pictures)
