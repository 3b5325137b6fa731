"""Binarization: the look of print and of a poor copy of it (appendix III.2, a weak distortion).

A page draws one of four effects, and the intensity scales it: strokes grow (``dilation``) or
thin (``erosion``), ink is mottled (``letterpress``) or creeps along the fibres (``ink_bleed``).
The paper names the effects and no figures.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Literal, get_args

import cv2
import numpy as np
from pydantic import Field, StrictInt

from ohr.plugins.perturbation import PageDistortion, PageRecord
from perturb.image.fields import Fields, ramp, reduced, sample_pixels, sheet_size

Effect = Literal["dilation", "erosion", "letterpress", "ink_bleed"]

SEVERE_DILATION = 1.0
"""Pixels at 150 dpi that strokes gain on each side at intensity 1."""
SEVERE_EROSION = 0.5
"""Pixels that they lose."""
SEVERE_CONTRAST = 0.5
"""How far both move the page towards black and white, like a copier: 1 is nearly all the way."""
SEVERE_WEAR = 0.7
"""Share of its ink that letterpress loses at intensity 1 where the mottling is deepest."""
SEVERE_BLEED = 0.7
"""Share of the ink's darkness that bleeds furthest at intensity 1."""
BLEED_REACH, BLEED_SOFTNESS = 1.7, 0.8
"""How far ink bleeds, and the standard deviation of its edge, in pixels at 150 dpi."""

INK_SHARE = 0.5
"""Ink is at most this bright, over the paper: a blank page must not turn into grain."""
DARKEST_PAPER = 96
"""Paper is at least this bright: a dark page has no strokes to copy."""
PAPER_WINDOW = 76.0
"""The paper's colour is the brightest within so many pixels at 150 dpi: wider than a stroke."""

ROWS_AT_ONCE = 256
"""Rows handled together, which bounds the memory."""


class BinarizationRecord(PageRecord):
    """Which effect, and the seed of its mottling; the intensity is its strength."""

    effect: Effect
    seed: Annotated[StrictInt, Field(ge=0, lt=2**53)]
    scale: Annotated[float, Field(ge=0.2, le=8, strict=True)]
    """Pixels for each pixel at 150 dpi."""


class Binarization(PageDistortion[BinarizationRecord]):
    """Prints the page poorly, in one of four ways."""

    name = "binarization"
    paper_intensity = 0.5

    def plan(self, head: PageRecord, rng: np.random.Generator) -> BinarizationRecord:
        """Draw the effect and a seed."""
        effect = get_args(Effect)[rng.integers(len(get_args(Effect)))]
        seed = int(rng.integers(2**53))
        return BinarizationRecord(
            **head.model_dump(), effect=effect, seed=seed, scale=self.params.scale
        )

    def render(self, page: np.ndarray, record: BinarizationRecord) -> np.ndarray:
        """Let the effect act, some rows at a time."""
        prepare, reach = EFFECTS[record.effect]
        act = prepare(page, record)
        halo = math.ceil(reach * record.scale) + 2
        out = np.empty_like(page)
        for first in range(0, page.shape[0], ROWS_AT_ONCE):
            last = min(first + ROWS_AT_ONCE, page.shape[0])
            above, below = max(first - halo, 0), min(last + halo, page.shape[0])
            band = act(page[above:below], (above, below))
            out[first:last] = band[first - above : last - above]
        return out


Act = Callable[[np.ndarray, tuple[int, int]], np.ndarray]
"""From rows of the page, and which they are, to the printed rows."""


def _dilation(page: np.ndarray, record: BinarizationRecord) -> Act:
    radius = SEVERE_DILATION * record.scale * record.intensity
    contrast = _contrast(page, SEVERE_CONTRAST * record.intensity)
    return lambda rows, _: cv2.LUT(grown(rows, radius, cv2.erode), contrast)


def _erosion(page: np.ndarray, record: BinarizationRecord) -> Act:
    radius = SEVERE_EROSION * record.scale * record.intensity
    contrast = _contrast(page, SEVERE_CONTRAST * record.intensity)
    return lambda rows, _: cv2.LUT(grown(rows, radius, cv2.dilate), contrast)


def _letterpress(page: np.ndarray, record: BinarizationRecord) -> Act:
    fields = Fields(record.seed, *sheet_size(record.shape, record.scale))
    # Ink fails in blotches, more where the pressure is low, and in single specks.
    mottling = cv2.add(fields.smooth(2, top=120), fields.smooth(4, top=90))
    mottling = cv2.add(mottling, fields.cloud(96, 75))
    worn = cv2.LUT(mottling, ramp([(125, 0), (215, 255)]))
    worn = cv2.add(worn, cv2.LUT(fields.grain(255), ramp([(238, 0), (255, 150)])))
    worn, scale = reduced(worn, record.scale)
    paper = _Paper(page, record.scale)

    def act(rows: np.ndarray, which: tuple[int, int]) -> np.ndarray:
        ink = cv2.subtract(paper.rows(which), rows)
        lost = _match_channels(rows, sample_pixels(worn, scale, which, page.shape[1]))
        return cv2.add(rows, cv2.multiply(ink, lost, scale=SEVERE_WEAR * record.intensity / 255))

    return act


def _ink_bleed(page: np.ndarray, record: BinarizationRecord) -> Act:
    fields = Fields(record.seed, *sheet_size(record.shape, record.scale))
    fibres = cv2.add(fields.smooth(3, top=150), fields.smooth(8, top=105))
    fibres, scale = reduced(cv2.LUT(fibres, ramp([(70, 0), (200, 255)])), record.scale)
    reach, softness = BLEED_REACH * record.scale, BLEED_SOFTNESS * record.scale

    def act(rows: np.ndarray, which: tuple[int, int]) -> np.ndarray:
        spread = cv2.GaussianBlur(grown(rows, reach, cv2.erode), (0, 0), softness)
        gained = cv2.subtract(rows, spread)
        share = _match_channels(rows, sample_pixels(fibres, scale, which, page.shape[1]))
        darker = cv2.multiply(gained, share, scale=SEVERE_BLEED * record.intensity / 255)
        return cv2.subtract(rows, darker)

    return act


EFFECTS: dict[str, tuple[Callable[[np.ndarray, BinarizationRecord], Act], float]] = {
    "dilation": (_dilation, SEVERE_DILATION),
    "erosion": (_erosion, SEVERE_EROSION),
    "letterpress": (_letterpress, 0.0),
    "ink_bleed": (_ink_bleed, BLEED_REACH + 4 * BLEED_SOFTNESS),
}
"""Name -> (what prepares the effect for a page, how far it reaches in pixels at 150 dpi)."""

CROSS = cv2.getStructuringElement(cv2.MORPH_CROSS, (3, 3))
SQUARE = cv2.getStructuringElement(cv2.MORPH_RECT, (3, 3))


def grown(page: np.ndarray, radius: float, step: Callable[..., np.ndarray]) -> np.ndarray:
    """Morphology by an octagon of any radius: between whole radii the two are mixed."""
    element = CROSS
    while radius > 0:
        grown = step(page, element, borderType=cv2.BORDER_REPLICATE)
        if radius < 1:
            return cv2.addWeighted(page, 1 - radius, grown, radius, 0)
        page, radius = grown, radius - 1
        element = SQUARE if element is CROSS else CROSS
    return page


def _contrast(page: np.ndarray, amount: float) -> np.ndarray:
    """A table that moves tones towards ink and paper, whichever is nearer: a faint threshold."""
    sample = page[::4, ::4]
    paper = max(float(np.percentile(sample, 90)), DARKEST_PAPER)
    ink = min(float(np.percentile(sample, 1)), INK_SHARE * paper)
    tone = np.arange(256.0)
    share = np.clip((tone - ink) / (paper - ink), 0, 1)
    steep = ink + (paper - ink) * share**2 * (3 - 2 * share)
    inside = (tone > ink) & (tone < paper)
    return np.rint(np.where(inside, tone + (steep - tone) * amount, tone)).astype(np.uint8)


class _Paper:
    """The paper's colour beneath the ink, smooth over the page, stored at a coarse resolution."""

    def __init__(self, page: np.ndarray, scale: float) -> None:
        self._width = page.shape[1]
        self._times = max(1, round(4 * scale))
        size = tuple(-(-side // self._times) for side in page.shape[1::-1])
        window = max(3, round(PAPER_WINDOW * scale / self._times) | 1)
        coarse = cv2.resize(page, size, interpolation=cv2.INTER_AREA)
        coarse = cv2.dilate(coarse, np.ones((window, window), np.uint8))
        self._coarse = cv2.blur(coarse, (window, window))

    def rows(self, which: tuple[int, int]) -> np.ndarray:
        """Rows ``which[0]`` to ``which[1]`` of the paper's shade, in the page's size."""
        first, last = which[0] // self._times, -(-which[1] // self._times)
        above, below = max(first - 1, 0), min(last + 1, self._coarse.shape[0])
        coarse = self._coarse[above:below]
        size = (coarse.shape[1] * self._times, coarse.shape[0] * self._times)
        fine = cv2.resize(coarse, size, interpolation=cv2.INTER_LINEAR)
        start = which[0] - above * self._times
        return fine[start : start + which[1] - which[0], : self._width]


def _match_channels(page: np.ndarray, plane: np.ndarray) -> np.ndarray:
    """The plane with as many channels as the page."""
    return plane if page.ndim == 2 else cv2.cvtColor(plane, cv2.COLOR_GRAY2RGB)
