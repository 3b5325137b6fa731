"""Printer: cheap print, of a thermal head, a dot matrix or a worn ribbon. Not in the paper.

Lengths are in heights of the page's capitals, found on the page: a print head has so many dots for
a letter, at whatever resolution the print is scanned later. The page is made of dots, of which the
head blackens those that get enough ink or heat:

    energy = (ink on the dot) x (strength of its line, column and place)
    darkness = 1 where energy is above the threshold, softly, then lightened as the paper fades

So where the strength is low, thin strokes break and vanish before thick ones do. A low threshold
makes strokes swell and small gaps fill up. Elements of the head that are dead leave white lines
down the page. Colours become grey.

At intensity 1, uniform and independent, for each page:

====================  =========================================================================
quantity              range
====================  =========================================================================
dots                  9 to 18 for the height of a capital (24-dot thermal type has 17)
threshold             .32 to .6 of a dot covered with ink
weakness of all       0 to .28 of the strength
weakness in bands     0 to .4, in bands of 1 to 12 capitals' height down the page
weakness in blotches  0 to .4, in blotches of .3 and 2 capitals' height
weakness of columns   0 to .25, for each column of dots by itself
dots that fail        0 to .1 of all
bleached patches      0 to 3 for each stretch of page as long as it is wide, 2 to 14 capitals wide
                      and .5 to 3 high; .4 to 1 of the strength is lost in the middle
dead elements         0 to 3 for a page as wide as 40 capitals are high
fading                0 to .45 of the darkness, a half to all of it everywhere, the rest in bands
====================  =========================================================================

Intensity i multiplies weaknesses, fading, failures and the threshold's distance from .5, shows the
share i of dead elements and patches, and divides the number of dots by i, up to one for each pixel.
Below .25, the page shows through. A page has one set of draws, whatever the intensity.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated

import cv2
import numpy as np
from pydantic import Field, StrictInt

from ohr.plugins.perturbation import PageDistortion, PageRecord
from perturb.image.coarse import uniforms
from perturb.image.letters import capital_height, grey_of

DOTS = (9.0, 18.0)
"""For the height of a capital."""
MIDDLE, THRESHOLDS = 0.5, (0.32, 0.6)
SOFT = 0.18
"""Energies about the threshold over which a dot goes from white to black."""
WEAK, BANDS, BLOTCHES, COLUMNS = 0.28, 0.4, 0.4, 0.25
FAILED = 0.1
FADED, EVERYWHERE = 0.45, (0.5, 1.0)
PATCHES, MOST_PATCHES, BLEACHED = 3.0, 64, (0.4, 1.0)
"""For a stretch of page as long as it is wide; on any page."""
PATCH_WIDTHS, PATCH_HEIGHTS = (2.0, 14.0), (0.5, 3.0)
BAND_HEIGHTS = (1.0, 12.0)
BLOTCH_SIZES = (0.3, 2.0)
DEAD, DEAD_WIDTH = 3, 40.0
"""Dead elements on a page as wide as so many capitals are high."""
MOST_DEAD = 64
FULL = 0.25
"""The intensity from which nothing of the page is seen through the print."""


class PrinterRecord(PageRecord):
    """The seed of the print, and pixels for each pixel at 150 dpi."""

    seed: Annotated[StrictInt, Field(ge=0, lt=2**53)]
    scale: Annotated[float, Field(ge=0.2, le=8, strict=True)]


class Printer(PageDistortion[PrinterRecord]):
    """Prints the page cheaply: coarse dots, broken strokes, weak lines, faded ink."""

    name = "printer"

    def plan(self, head: PageRecord, rng: np.random.Generator) -> PrinterRecord:
        """Draw the seed."""
        seed = int(rng.integers(2**53))
        return PrinterRecord(**head.model_dump(), seed=seed, scale=self.params.scale)

    def render(self, page: np.ndarray, record: PrinterRecord) -> np.ndarray:
        """Find the letters' height, make dots of the page, and print them at the page's size."""
        scene = scene_of(record)
        grey = grey_of(page)
        capital = capital_height(grey, record.scale)
        height, width = grey.shape
        pitch = max(1.0, capital * record.intensity / scene.dots)
        size = (max(2, round(width / pitch)), max(2, round(height / pitch)))
        ink = cv2.bitwise_not(cv2.resize(grey, size, interpolation=cv2.INTER_AREA))
        dots = _fired(ink, _strength(record, scene, size, capital / pitch), record, scene)
        printed = cv2.resize(dots, (width, height), interpolation=cv2.INTER_LINEAR)
        printed = cv2.bitwise_not(printed)
        if page.ndim == 3:
            printed = cv2.cvtColor(printed, cv2.COLOR_GRAY2RGB)
        share = min(1.0, record.intensity / FULL)
        return printed if share == 1 else cv2.addWeighted(page, 1 - share, printed, share, 0)


@dataclass(frozen=True, slots=True)
class Scene:
    """How a page is printed, at its intensity."""

    dots: float
    """For the height of a capital, at intensity 1."""
    threshold: float
    weak: float
    bands: float
    band_height: float
    """In heights of a capital."""
    blotches: float
    columns: float
    patches: int
    """How many the page has at intensity 1."""
    failed: float
    faded: float
    everywhere: float


@lru_cache(maxsize=2)
def scene_of(record: PrinterRecord) -> Scene:
    """The print that a record stands for."""
    draws = iter(uniforms(record.seed, 11).tolist())
    i = record.intensity
    height, width = record.shape[:2]

    def draw_value(low: float, high: float) -> float:
        return low + (high - low) * float(next(draws))

    return Scene(
        dots=draw_value(*DOTS),
        threshold=MIDDLE + i * (draw_value(*THRESHOLDS) - MIDDLE),
        weak=i * draw_value(0, WEAK),
        bands=i * draw_value(0, BANDS),
        band_height=draw_value(*BAND_HEIGHTS),
        blotches=i * draw_value(0, BLOTCHES),
        columns=i * draw_value(0, COLUMNS),
        patches=min(MOST_PATCHES, round(draw_value(0, PATCHES) * height / width)),
        failed=i * draw_value(0, FAILED),
        faded=i * draw_value(0, FADED),
        everywhere=draw_value(*EVERYWHERE),
    )


def _noise(seed: tuple[int, ...], rows: int, columns: int) -> np.ndarray:
    """Uniform draws in [0, 1), float32 ``(rows, columns)``."""
    raw = np.random.PCG64(list(seed)).random_raw(-(-rows * columns // 4))
    values = raw.astype("<u8", copy=False).view("<u2")[: rows * columns]
    return (values.astype(np.float32) * np.float32(2.0**-16)).reshape(rows, columns)


def _smooth(seed: tuple[int, ...], size: tuple[int, int], cell: tuple[float, float]) -> np.ndarray:
    """Smooth noise in [0, 1] at the dots, float32, that changes over a cell, down and across."""
    rows, columns = (
        min(side, math.ceil(side / max(step, 1.0)) + 2)
        for side, step in zip(size[::-1], cell, strict=True)
    )
    field = cv2.resize(_noise(seed, rows, columns), size, interpolation=cv2.INTER_LINEAR)
    return np.asarray(field, dtype=np.float32)


def _strength(
    record: PrinterRecord, scene: Scene, size: tuple[int, int], capital: float
) -> np.ndarray:
    """What each dot gets of the ink or heat that it needs, float32; ``capital`` in dots."""
    columns, rows = size
    across = 1 - np.float32(scene.columns) * _noise((record.seed, 1), 1, columns)
    dead = uniforms(record.seed + 2, 2 * MOST_DEAD).reshape(-1, 2)
    count = min(MOST_DEAD, round(DEAD * columns / (DEAD_WIDTH * capital)))
    for position, shown in dead[:count].tolist():
        if shown < record.intensity * 0.5:
            across[0, int(position * columns)] = 0
    band = _smooth((record.seed, 3), (1, rows), (scene.band_height * capital, 1))
    down = (1 - np.float32(scene.weak)) * (1 - np.float32(scene.bands) * band)
    strength = down * across
    if scene.blotches > 0:
        for number, times in enumerate(BLOTCH_SIZES):
            blotch = _smooth((record.seed, 4 + number), size, (times * capital,) * 2)
            strength *= 1 - np.float32(scene.blotches / 2) * blotch
    rows_of_draws = uniforms(record.seed + 8, 6 * MOST_PATCHES).reshape(MOST_PATCHES, 6)
    for number, (shown, *patch) in enumerate(rows_of_draws[: scene.patches].tolist()):
        if shown < record.intensity:
            down_page = (number + patch[1]) / scene.patches
            _bleach(strength, (patch[0] * columns, down_page * rows), patch[2:], capital)
    return strength


def _bleach(
    strength: np.ndarray, middle: tuple[float, float], draws: list[float], capital: float
) -> None:
    """Weaken the dots in a soft ellipse, in place."""
    sides, ends = (PATCH_WIDTHS, PATCH_HEIGHTS, BLEACHED), draws
    wide, high, lost = (low + (high - low) * u for (low, high), u in zip(sides, ends, strict=True))
    half_x, half_y = wide * capital / 2, high * capital / 2
    x, y = middle
    first_column, first_row = max(0, round(x - half_x)), max(0, round(y - half_y))
    part = strength[first_row : round(y + half_y) + 1, first_column : round(x + half_x) + 1]
    away_x = (np.arange(part.shape[1]) + (first_column - x)) / max(half_x, 1)
    away_y = (np.arange(part.shape[0]) + (first_row - y)) / max(half_y, 1)
    away = away_y[:, None] ** 2 + away_x**2
    part *= (1 - lost * np.clip(2 - 2 * away, 0, 1)).astype(np.float32)


def _fired(
    ink: np.ndarray, strength: np.ndarray, record: PrinterRecord, scene: Scene
) -> np.ndarray:
    """How dark each dot gets, uint8."""
    rows, columns = ink.shape
    energy = ink * (strength * np.float32(1 / 255))
    soft = SOFT + (1 - min(1.0, record.intensity / FULL)) * (1 - SOFT)
    dark = np.clip((energy - np.float32(scene.threshold)) / np.float32(soft) + 0.5, 0, 1)
    if scene.failed > 0:
        dark *= _noise((record.seed, 6), rows, columns) >= scene.failed
    band = _smooth((record.seed, 7), (1, rows), (2 * ink.shape[0] / 5, 1))
    remaining = 1 - np.float32(scene.faded) * (scene.everywhere + (1 - scene.everywhere) * band)
    return np.asarray(np.rint(dark * (255 * remaining).astype(np.float32)), dtype=np.uint8)
