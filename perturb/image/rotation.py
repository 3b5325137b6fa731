"""Rotation: the page lies askew on the scanner (appendix III.2, a weak distortion).

Intensity i draws the angle uniformly within ± i x ``SEVERE_DEGREES``: the paper's ± 3° is
intensity 0.5. The angle is the same at any resolution.

Calibration: 22 pages with evidence (75 questions) of a filing at 150 dpi, seed 0. Edit distance
to the ground truth, then r_noise on normalised words:

=========  =============  =============
intensity  Tesseract 5.3  RapidOCR 3.10
=========  =============  =============
clean      .186  .160     .157  .053
0.25       .188  .160     .158  .053
0.5        .315  .293     .157  .067
1          .428  .587     .158  .067
=========  =============  =============

RapidOCR is hardly affected: its lines are ordered along the page's skew. Tesseract loses words,
nearly a whole page at -3.1°.
"""

from __future__ import annotations

import math
from typing import Annotated

import cv2
import numpy as np
from pydantic import Field

from ohr.plugins.perturbation import PageDistortion, PageParams, PageRecord

PAPER_DEGREES = 3.0
"""The paper's range, either way."""
SEVERE_DEGREES = 6.0
"""Range at intensity 1; 1.5° is mild, 3° (the paper's) moderate."""

LARGEST_DEGREES = 45.0
"""Beyond it the page would be lying on its side."""
BORDER_SHARE = 1 / 32
"""The ring that the page's colour is read from, over the shorter side."""


class RotationParams(PageParams):
    """The end of the scale: at intensity 1 the angle is uniform within ± ``degrees``."""

    degrees: Annotated[float, Field(gt=0, le=LARGEST_DEGREES)] = SEVERE_DEGREES


class RotationRecord(PageRecord):
    """The angle, in degrees, anticlockwise."""

    angle: Annotated[float, Field(ge=-LARGEST_DEGREES, le=LARGEST_DEGREES, strict=True)]


class Rotation(PageDistortion[RotationRecord, RotationParams]):
    """Turns the page about its centre; its size stays, corners take the page's colour.

    A page has one draw u, uniform in [-1, 1]; the angle is u times the intensity's range.
    """

    name = "rotation"
    paper_intensity = 0.5

    def plan(self, head: PageRecord, rng: np.random.Generator) -> RotationRecord:
        """Draw u and scale it."""
        angle = float(rng.uniform(-1.0, 1.0)) * self.params.degrees * head.intensity
        return RotationRecord(**head.model_dump(), angle=angle)

    def render(self, page: np.ndarray, record: RotationRecord) -> np.ndarray:
        """Rotate. Cubic: a linear kernel would add a blur that is no part of a rotation."""
        if record.angle == 0:
            return page.copy(order="C")
        height, width = page.shape[:2]
        # OpenCV counts from pixel centres: the page's middle is half a pixel nearer.
        middle = ((width - 1) / 2, (height - 1) / 2)
        turned: np.ndarray = cv2.warpAffine(
            page,
            _matrix(record.angle, middle),
            (width, height),
            flags=cv2.INTER_CUBIC,
            borderMode=cv2.BORDER_CONSTANT,
            borderValue=page_colour(page),
        )
        return turned

    def place(self, boxes: np.ndarray, record: RotationRecord) -> np.ndarray:
        """Upright hulls of the four rotated corners of each box."""
        height, width = record.shape[:2]
        matrix = _matrix(record.angle, (width / 2, height / 2))
        x = boxes[:, [0, 2, 2, 0]]
        y = boxes[:, [1, 1, 3, 3]]
        moved_x = matrix[0, 0] * x + matrix[0, 1] * y + matrix[0, 2]
        moved_y = matrix[1, 0] * x + matrix[1, 1] * y + matrix[1, 2]
        return np.stack([moved_x.min(1), moved_y.min(1), moved_x.max(1), moved_y.max(1)], axis=1)


def page_colour(page: np.ndarray) -> tuple[float, ...]:
    """Median colour of the ring along the page's edge, a value for each channel."""
    ring = max(1, round(min(page.shape[:2]) * BORDER_SHARE))
    strips = (page[:ring], page[-ring:], page[:, :ring], page[:, -ring:])
    channels = 1 if page.ndim == 2 else 3
    edge = np.concatenate([strip.reshape(-1, channels) for strip in strips])
    return tuple(float(colour) for colour in np.rint(np.median(edge, axis=0)))


def _matrix(angle: float, middle: tuple[float, float]) -> np.ndarray:
    """The 2 x 3 map from old to new coordinates, anticlockwise as seen (y points down)."""
    cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    x, y = middle
    return np.array([[cos, sin, x - cos * x - sin * y], [-sin, cos, y + sin * x - cos * y]])
