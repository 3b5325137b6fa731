"""Salt and pepper: single pixels turned white or black (appendix III.2, a strong distortion).

Intensity i hits a share i x ``SEVERE_FRACTION`` of the page, so intensity 1 is the paper. A grain
is one pixel of the page at 150 dpi: four at 300 dpi, part of one at 100.

Calibration: 22 pages with evidence (75 questions) of a filing at 150 dpi, seed 0. Edit distance
to the ground truth, then r_noise on normalised words:

=========  =============  =============
intensity  Tesseract 5.3  RapidOCR 3.10
=========  =============  =============
clean      .186  .160     .157  .053
0.25       .200  .253     .164  .173
0.5        .209  .520     .166  .280
1          .215  .613     .227  .307
=========  =============  =============

The scale ends here because at 2 % RapidOCR drops four fifths of the text.
"""

from __future__ import annotations

import math
from typing import Annotated

import cv2
import numpy as np
from pydantic import Field, StrictInt, model_validator

from ohr.plugins.perturbation import PageDistortion, PageParams, PageRecord

PAPER_FRACTION = 0.01
"""The paper's share of pixels."""
SEVERE_FRACTION = PAPER_FRACTION
"""Share of pixels hit at intensity 1; 0.25 % is mild, 0.5 % moderate."""

SITE_BITS = 37
"""Bits that pick a site: their product with 10,000 x 10,000 grains still fits 64 bits. A page
that has more, as one of many pixels at a low resolution, takes fewer."""


class SaltAndPepperParams(PageParams):
    """The end of the scale: the share of the page hit at intensity 1."""

    fraction: Annotated[float, Field(gt=0, le=0.5)] = SEVERE_FRACTION


class SaltAndPepperRecord(PageRecord):
    """The seed of the page's sequence of sites, and how many of them are hit."""

    seed: Annotated[StrictInt, Field(ge=0, lt=2**53)]
    count: Annotated[StrictInt, Field(ge=0)]

    scale: Annotated[float, Field(ge=0.2, le=8, strict=True)]
    """Side of a grain, in pixels."""

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns of grains that cover the page."""
        return math.ceil(self.shape[0] / self.scale), math.ceil(self.shape[1] / self.scale)

    @model_validator(mode="after")
    def _few_enough(self) -> SaltAndPepperRecord:
        if self.count > math.prod(self.grid):
            raise ValueError(f"more hits ({self.count}) than grains {self.grid}")
        return self


class SaltAndPepper(PageDistortion[SaltAndPepperRecord, SaltAndPepperParams]):
    """Turns a share of the page white or black, half and half, all channels alike.

    A page has one random sequence of sites; an intensity hits its first ``count``. So the
    edits nest, and what is drawn is one seed whatever the intensity.
    """

    name = "salt_and_pepper"
    version = "3"

    def plan(self, head: PageRecord, rng: np.random.Generator) -> SaltAndPepperRecord:
        """Draw the seed; count the hits that cover the intended share in expectation."""
        # 53 bits: the seed survives readers of JSON that know only doubles.
        seed = int(rng.integers(2**53))
        empty = SaltAndPepperRecord(
            **head.model_dump(), seed=seed, count=0, scale=self.params.scale
        )
        # A site may come up twice: n hits on N grains cover 1 - (1 - 1/N)^n of them.
        share = self.params.fraction * head.intensity
        count = round(-math.log1p(-share) * math.prod(empty.grid))
        return empty.model_copy(update={"count": count})

    def render(self, page: np.ndarray, record: SaltAndPepperRecord) -> np.ndarray:
        """Hit the first ``count`` sites of the sequence."""
        grains = math.prod(record.grid)
        # The raw stream of a bit generator is what NumPy promises never to change (NEP 19).
        raw = np.random.PCG64(record.seed).random_raw(record.count)
        bits = min(SITE_BITS, 64 - grains.bit_length())
        sites = ((raw >> np.uint64(64 - bits)) * np.uint64(grains)) >> np.uint64(bits)
        # Backwards: of two hits on one site the last assigned stays, and for nesting that
        # must be the first of the sequence.
        sites = sites[::-1].astype(np.intp)
        values = ((raw & np.uint64(1)).astype(np.uint8) * np.uint8(255))[::-1]
        out = page.copy(order="C")
        if record.scale == 1:
            flat = out.reshape(grains, *page.shape[2:])
            flat[sites] = values if page.ndim == 2 else values[:, None]
            return out
        _paint(out, *_coverage(sites, values, record))
        return out


def _coverage(
    sites: np.ndarray, values: np.ndarray, record: SaltAndPepperRecord
) -> tuple[np.ndarray, np.ndarray]:
    """How much of each pixel is hit, and how much of it is hit white: uint8, 255 is all."""
    height, width = record.shape[:2]
    maps: list[np.ndarray] = []
    for at_sites in (np.uint8(255), values):
        grid = np.zeros(math.prod(record.grid), np.uint8)
        grid[sites] = at_sites
        maps.append(grid.reshape(record.grid))
    hit, white = maps
    if record.scale < 1:
        size = (width, height)
        hit = cv2.resize(hit, size, interpolation=cv2.INTER_AREA)
        white = cv2.resize(white, size, interpolation=cv2.INTER_AREA)
        return hit, white
    row = ((np.arange(height) + 0.5) / record.scale).astype(np.intp)[:, None]
    column = ((np.arange(width) + 0.5) / record.scale).astype(np.intp)
    return hit[row, column], white[row, column]


def _paint(page: np.ndarray, hit: np.ndarray, white: np.ndarray) -> None:
    """Blend the hits into the page, in place."""
    where = np.nonzero(hit)
    old = page[where].astype(np.uint16)
    share, light = hit[where].astype(np.uint16), white[where].astype(np.uint16)
    if page.ndim == 3:
        share, light = share[:, None], light[:, None]
    page[where] = (old * (255 - share) + light * 255 + 127) // 255
