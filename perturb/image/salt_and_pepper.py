"""Salt and pepper: single pixels turned white or black (appendix III.2, a strong distortion).

Intensity i hits a share i x ``SEVERE_FRACTION`` of the pixels, so intensity 1 is the paper.
Grains are single pixels: the scale holds for pages at 150 dpi.

Calibration: 12 pages with evidence (45 questions) of a filing at 150 dpi, seed 0. Edit distance
to the ground truth, then to the engine's clean reading, then r_noise on normalised words:

=========  ==================  ==================
intensity  Tesseract 5.3       RapidOCR 3.10
=========  ==================  ==================
clean      .190  .000  .200    .142  .000  .067
0.25       .196  .011  .333    .148  .010  .311
0.5        .205  .025  .600    .149  .011  .311
1          .217  .048  .733    .230  .097  .422
=========  ==================  ==================

More is too much: at 1.25 % Tesseract's r_noise is .911, at 2 % RapidOCR drops four fifths of
the text.
"""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np
from pydantic import Field, StrictInt, model_validator

from ohr.plugins import Params
from perturb.image.common import PageDistortion, PageRecord

PAPER_FRACTION = 0.01
"""The paper's share of pixels."""
SEVERE_FRACTION = PAPER_FRACTION
"""Share of pixels hit at intensity 1; 0.25 % is mild, 0.5 % moderate."""

SITE_BITS = 37
"""Bits that pick a site: their product with 10,000 x 10,000 pixels still fits 64 bits."""


class SaltAndPepperParams(Params):
    """The end of the scale: the share of pixels hit at intensity 1."""

    fraction: Annotated[float, Field(gt=0, le=0.5)] = SEVERE_FRACTION


class SaltAndPepperRecord(PageRecord):
    """The seed of the page's sequence of sites, and how many of them are hit."""

    seed: Annotated[StrictInt, Field(ge=0, lt=2**53)]
    count: Annotated[StrictInt, Field(ge=0)]

    @model_validator(mode="after")
    def _few_enough(self) -> SaltAndPepperRecord:
        if self.count > self.shape[0] * self.shape[1]:
            raise ValueError(f"more hits ({self.count}) than pixels {self.shape[:2]}")
        return self


class SaltAndPepper(PageDistortion[SaltAndPepperRecord]):
    """Turns a share of the pixels white or black, half and half, all channels alike.

    A page has one random sequence of sites; an intensity hits its first ``count``. So the
    edits nest, and what is drawn is one seed whatever the intensity.
    """

    name = "salt_and_pepper"
    Params = SaltAndPepperParams
    Record = SaltAndPepperRecord

    def plan(self, head: PageRecord, rng: np.random.Generator) -> SaltAndPepperRecord:
        """Draw the seed; count the hits that cover the wanted share in expectation."""
        # 53 bits: the seed survives readers of JSON that know only doubles.
        seed = int(rng.integers(2**53))
        # A site may come up twice: n hits on N pixels cover 1 - (1 - 1/N)^n of them.
        share = self.params.fraction * head.intensity
        count = round(-math.log1p(-share) * head.shape[0] * head.shape[1])
        return SaltAndPepperRecord(**head.model_dump(), seed=seed, count=count)

    def render(self, page: np.ndarray, record: SaltAndPepperRecord) -> np.ndarray:
        """Hit the first ``count`` sites of the sequence."""
        pixels = page.shape[0] * page.shape[1]
        # The raw stream of a bit generator is what NumPy promises never to change (NEP 19).
        raw = np.random.PCG64(record.seed).random_raw(record.count)
        sites = ((raw >> np.uint64(64 - SITE_BITS)) * np.uint64(pixels)) >> np.uint64(SITE_BITS)
        values = (raw & np.uint64(1)).astype(np.uint8) * np.uint8(255)
        out = page.copy(order="C")
        # Backwards: of two hits on one site the last assigned stays, and for nesting that
        # must be the first of the sequence.
        flat = out.reshape(pixels, *page.shape[2:])
        flat[sites[::-1].astype(np.intp)] = values[::-1] if page.ndim == 2 else values[::-1, None]
        return out
