"""Blur by one of 100 point spread functions (appendix III.2, a weak distortion).

The functions are defocus discs, motion lines, astigmatic Gaussians, and mixtures of motion and
defocus. Intensity i scales the kernel's extent to i x ``SEVERE_RADIUS``, in pixels at 150 dpi.

Calibration: 22 pages with evidence (75 questions) of a filing at 150 dpi, seed 0. Edit distance
to the ground truth, then r_noise on normalised words:

=========  =============  =============
intensity  Tesseract 5.3  RapidOCR 3.10
=========  =============  =============
clean      .186  .160     .157  .053
0.25       .233  .400     .157  .053
0.5        .298  .467     .158  .053
1          .431  .880     .169  .307
=========  =============  =============
"""

from __future__ import annotations

import math
from functools import cache
from typing import Annotated

import cv2
import numpy as np
from pydantic import Field, StrictInt

from ohr.plugins.perturbation import PageDistortion, PageParams, PageRecord

KERNELS = 100
"""The paper's number of kernels: 25 each of discs, lines, Gaussians and mixtures."""
SEVERE_RADIUS = 1.7
"""Root-mean-square radius of a mean kernel at intensity 1, in pixels at 150 dpi; the paper gives
none."""

SIZES = (0.75, 1.25)
"""Smallest and largest kernel of a family, over the radius."""
ASPECTS = (1.5, 3.0)
"""Long over short axis of the astigmatic Gaussians."""
SHARES = (0.3, 0.7)
"""Share of a mixture's variance that is motion; the rest is defocus."""
GAUSSIAN_MASS = 0.96
"""Share of a Gaussian that is kept, 2.5 sigma: its far tail only makes kernels large and slow."""

LARGEST_RADIUS, LARGEST_PIXELS = 8.0, 64.0
"""Bounds of the radius at 150 dpi and in pixels, so that no record asks for a huge kernel."""
POINTS = 1024
"""Points of a cloud, before it is mirrored."""
GOLDEN, SQRT2 = (math.sqrt(5) - 1) / 2, math.sqrt(2)


class PsfBlurParams(PageParams):
    """The end of the scale: a mean kernel's radius at intensity 1, in pixels at 150 dpi."""

    radius: Annotated[float, Field(gt=0, le=LARGEST_RADIUS)] = SEVERE_RADIUS


class PsfBlurRecord(PageRecord):
    """Which kernel, and the radius it is scaled by, in pixels."""

    kernel: Annotated[StrictInt, Field(ge=0, lt=KERNELS)]
    radius: Annotated[float, Field(ge=0, le=LARGEST_PIXELS, strict=True)]


class PsfBlur(PageDistortion[PsfBlurRecord, PsfBlurParams]):
    """Blurs the page with one kernel, drawn once; the intensity scales the kernel's extent."""

    name = "psf_blur"
    paper_intensity = 0.5

    def plan(self, head: PageRecord, rng: np.random.Generator) -> PsfBlurRecord:
        """Draw the kernel and scale the radius."""
        kernel = int(rng.integers(KERNELS))
        radius = self.params.radius * self.params.scale * head.intensity
        return PsfBlurRecord(**head.model_dump(), kernel=kernel, radius=radius)

    def render(self, page: np.ndarray, record: PsfBlurRecord) -> np.ndarray:
        """Filter; the edge pixels are repeated outward. OpenCV turns to a DFT past 11 pixels."""
        kernel = psf(record.kernel, record.radius)
        blurred: np.ndarray = cv2.filter2D(page, -1, kernel, borderType=cv2.BORDER_REPLICATE)
        return blurred


def psf(index: int, radius: float) -> np.ndarray:
    """Kernel ``index`` (0 to 99) at a radius in pixels: float32, odd and square, sum 1.

    The point spread function is a cloud of equal points. Scaling it and dividing each point among
    its four pixels (bilinear) makes the kernel continuous in the radius, down to a single 1 at
    radius 0.
    """
    cloud = _cloud(index) * radius
    half = math.ceil(float(np.abs(cloud).max()) + 1e-9)
    side = 2 * half + 1
    corner = np.floor(cloud).astype(np.intp)
    part = cloud - corner
    kernel = np.zeros(side * side)
    for dx, weight_x in ((0, 1 - part[:, 0]), (1, part[:, 0])):
        for dy, weight_y in ((0, 1 - part[:, 1]), (1, part[:, 1])):
            # Points on the last column carry no weight beyond it.
            x = np.minimum(corner[:, 0] + dx + half, side - 1)
            y = np.minimum(corner[:, 1] + dy + half, side - 1)
            kernel += np.bincount(y * side + x, weight_x * weight_y, minlength=side * side)
    normalised: np.ndarray = (kernel / kernel.sum()).reshape(side, side).astype(np.float32)
    return normalised


@cache
def _cloud(index: int) -> np.ndarray:
    """Points ``(n, 2)`` of one kernel, symmetric about 0, root-mean-square radius near 1.

    Symmetric, so that a blur moves nothing and correlation equals convolution.
    """
    family, member = index % 4, index // 4
    # Irrational steps spread angles and shapes evenly, whatever the size.
    turn, spread = (member * GOLDEN) % 1.0, (member * SQRT2) % 1.0
    i = np.arange(POINTS) + 0.5
    spiral = 2 * math.pi * GOLDEN * i
    circle = np.stack([np.cos(spiral), np.sin(spiral)], axis=1)
    disc = circle * np.sqrt(i / POINTS)[:, None]
    # Another irrational step, so that place on the line and place on the disc are independent
    # and their sum, in a mixture, is the convolution of the two.
    line = np.stack([2 * ((i * SQRT2) % 1.0) - 1, np.zeros(POINTS)], axis=1)
    if family == 0:
        points = disc
    elif family == 1:
        points = line
    elif family == 2:
        normal = circle * np.sqrt(-2 * np.log1p(-GAUSSIAN_MASS * i / POINTS))[:, None]
        points = normal * [_interpolate(ASPECTS, spread), 1.0]
    else:
        share = _interpolate(SHARES, spread)
        # Variances: 1/2 for a disc of radius 1, 1/3 for a line of half-length 1.
        points = disc * math.sqrt((1 - share) * 2) + line * math.sqrt(share * 3)
    angle = math.pi * turn
    cos, sin = math.cos(angle), math.sin(angle)
    points = points @ np.array([[cos, sin], [-sin, cos]])
    points = np.concatenate([points, -points])
    points /= math.sqrt(float((points**2).sum(1).mean()))
    return points * _interpolate(SIZES, member / (KERNELS // 4 - 1))


def _interpolate(ends: tuple[float, float], share: float) -> float:
    return ends[0] + (ends[1] - ends[0]) * share
