"""Scanner: the page as an office scanner gives it back: soft, grainy, hardened, as JPEG.
Not in the paper.

What lies beside the sheet is black: strips along its sides, corners that are folded or torn off.
The paper is greyer in some places than in others; the lens softens, the sensor adds noise; then the
scanner's own correction makes the picture more contrasty, at most to black and white; at last it is
stored as JPEG. Nothing moves.

At intensity 1, uniform and independent, for each page; ``harsh`` pages are one of eight:

==================  ===========================================================================
quantity            range
==================  ===========================================================================
black at a side     with chance .35 for each: 0 to .03 of the page's width at both ends
corner cut off      with chance .2 for each: .02 to .12 of the page's width, both ways
beside the sheet    0 to .3 of white
specks of dirt      0 to 100 on an A4 page, .1 to .7 mm wide, most of them small
softening           .2 to 1 pixel at 150 dpi (standard deviation)
mottling            0 to .16 of white, in clouds of 2 to 20 mm
noise               ± 2 to 16 grey values
contrast            1 to 1.4 times, harsh 2 to 8 times, about a threshold of .5 to .75 of white
ink                 0 to .3 of white, lighter than black; harsh 0
JPEG quality        40 to 92
==================  ===========================================================================

Measured on every second of 239 scanned receipts by name (10th, 50th and 90th percentile of the
pages): ink within lines 0, 77 and 129 grey values, paper 242, 254 and 255, steepest edges .41, .58
and .99 of the contrast for each pixel, .98, 1.64 and 3.71 bits for each pixel. Softening, contrast
and quality were chosen to cover these; the rest are plausible values, looked at beside 48 of the
scans.

Intensity i multiplies widths, softening, mottling, noise, ink, and what contrast differs from 1
and quality from 100 by i. A page has one set of draws, whatever the intensity.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated

import cv2
import numpy as np
from pydantic import Field, StrictInt

from ohr.plugins.perturbation import BASE_DPI, PageDistortion, PageRecord
from perturb.image.camera import stored
from perturb.image.coarse import strips, uniforms
from perturb.image.fields import Fields, reduced, sample_pixels, sheet_size

SIDE, SIDE_WIDTH = 0.35, 0.03
CORNER, CORNER_SIDES = 0.2, (0.02, 0.12)
"""Chance for each; over the page's width."""
BESIDE = 0.3
SPECKS, MOST_SPECKS = 100.0, 2000
"""On an A4 page; on any page."""
RADII = (0.05 * BASE_DPI / 25.4, 0.35 * BASE_DPI / 25.4)
"""Pixels at 150 dpi."""
A4 = 210 * 297 * (BASE_DPI / 25.4) ** 2
SOFTNESS = (0.2, 1.0)
"""Pixels at 150 dpi."""
MOTTLING = 0.16
CLOUD = round(20 * BASE_DPI / 25.4)
"""The largest clouds, in pixels at 150 dpi."""
NOISE = (2.0, 16.0)
HARSH, HARSH_CONTRASTS = 0.125, (2.0, 8.0)
CONTRASTS, THRESHOLDS = (1.0, 1.4), (0.5, 0.75)
INK = 0.3
QUALITY = (40.0, 92.0)
FINE = 16
"""Parts of a pixel in which OpenCV takes places."""


class ScannerRecord(PageRecord):
    """The seed of the scan, and pixels for each pixel at 150 dpi."""

    seed: Annotated[StrictInt, Field(ge=0, lt=2**53)]
    scale: Annotated[float, Field(ge=0.2, le=8, strict=True)]


class Scanner(PageDistortion[ScannerRecord]):
    """Scans the page: soft edges, mottled paper, noise, hard contrast, JPEG."""

    name = "scanner"

    def plan(self, head: PageRecord, rng: np.random.Generator) -> ScannerRecord:
        """Draw the seed."""
        seed = int(rng.integers(2**53))
        return ScannerRecord(**head.model_dump(), seed=seed, scale=self.params.scale)

    def render(self, page: np.ndarray, record: ScannerRecord) -> np.ndarray:
        """Soften, mottle, add noise, harden, store."""
        scene = scene_of(record)
        out = page.copy(order="C")
        for outline in scene.outlines:
            points = np.rint(np.array(outline) * FINE).astype(np.int32)
            cv2.fillPoly(out, [points], (scene.beside,) * 3, cv2.LINE_AA, FINE.bit_length() - 1)
        _draw_specks(out, scene)
        if scene.softness > 0:
            out = cv2.GaussianBlur(out, (0, 0), scene.softness, borderType=cv2.BORDER_REPLICATE)
        fields = Fields(record.seed, *sheet_size(record.shape, record.scale))
        clouds, scale = reduced(fields.cloud(CLOUD, 255, 4), record.scale)
        table = _tones(scene)
        height, width = page.shape[:2]
        for number, rows in enumerate(strips(height)):
            shown = sample_pixels(clouds, scale, (rows.start, rows.stop), width)
            noise = _noise(record, number, rows.stop - rows.start, width)
            darker = shown * np.float32(scene.mottling) + noise * np.float32(scene.noise / 255)
            if page.ndim == 3:
                darker = darker[..., None]
            part = np.clip(np.rint(out[rows] - darker), 0, 255).astype(np.uint8)
            out[rows] = cv2.LUT(part, table)
        return stored(out, scene.quality)


Outline = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Scene:
    """How a page is scanned, at its intensity."""

    outlines: tuple[Outline, ...]
    """Corners of what is seen beside the sheet, in pixels."""
    beside: float
    """Its grey value."""
    specks: np.ndarray
    """Columns x, y, radius: float64 ``(n, 3)``."""
    softness: float
    """Pixels."""
    mottling: float
    """Over white."""
    noise: float
    """Largest deviation in grey values."""
    contrast: float
    threshold: float
    ink: float
    """The darkest that is left, over white."""
    quality: int


@lru_cache(maxsize=2)
def scene_of(record: ScannerRecord) -> Scene:
    """The scan that a record stands for."""
    draws = iter(uniforms(record.seed, 40).tolist())
    i = record.intensity

    def draw_value(low: float, high: float) -> float:
        return low + (high - low) * float(next(draws))

    softness, mottling, noise = draw_value(*SOFTNESS), draw_value(0, MOTTLING), draw_value(*NOISE)
    harsh, threshold = next(draws) < HARSH, draw_value(*THRESHOLDS)
    contrast = draw_value(*(HARSH_CONTRASTS if harsh else CONTRASTS))
    ink, quality = draw_value(0, INK), draw_value(*QUALITY)
    beside = 255 * draw_value(0, BESIDE)
    return Scene(
        outlines=_outlines(record, draws),
        beside=beside,
        specks=_specks(record),
        softness=i * softness * record.scale,
        mottling=i * mottling,
        noise=i * noise,
        contrast=1 + i * (contrast - 1),
        threshold=threshold,
        ink=0.0 if harsh else i * ink,
        quality=round(100 - i * (100 - quality)),
    )


def _outlines(record: ScannerRecord, draws: Iterator[float]) -> tuple[Outline, ...]:
    """What is seen beside the sheet, by its corners in pixels: strips along sides, triangles."""
    height, width = (float(side) for side in record.shape[:2])
    unit = record.intensity * width

    def length(low: float, high: float) -> float:
        return unit * (low + (high - low) * next(draws))

    outlines: list[Outline] = []
    # From the top left corner on: the side to the next corner, then what is cut off this one.
    corners = [(0.0, 0.0), (width, 0.0), (width, height), (0.0, height)]
    for (x, y), (to_x, to_y) in zip(corners, corners[1:] + corners[:1], strict=True):
        in_x, in_y = (y - to_y) / height, (to_x - x) / width  # a step towards the page's middle
        happens, first, last = next(draws) < SIDE, length(0, SIDE_WIDTH), length(0, SIDE_WIDTH)
        if happens:
            inner = ((to_x + in_x * last, to_y + in_y * last), (x + in_x * first, y + in_y * first))
            outlines.append(((x, y), (to_x, to_y), *inner))
        happens, across, down = next(draws) < CORNER, length(*CORNER_SIDES), length(*CORNER_SIDES)
        if happens:
            ends = ((abs(x - across), y), (x, abs(y - down)))
            outlines.append(((x, y), *ends))
    return tuple(outlines)


def _specks(record: ScannerRecord) -> np.ndarray:
    """The specks that show at this intensity."""
    height, width = record.shape[:2]
    amount = SPECKS * float(uniforms(record.seed + 1, 1)[0])
    count = min(MOST_SPECKS, round(amount * height * width / record.scale**2 / A4))
    draws = uniforms(record.seed + 2, 4 * count).reshape(count, 4)
    x, y, size = draws[draws[:, 0] < record.intensity, 1:].T
    radius = (RADII[0] + (RADII[1] - RADII[0]) * size**3) * record.scale
    return np.stack([x * width, y * height, radius], axis=1)


def _draw_specks(out: np.ndarray, scene: Scene) -> None:
    """Draw the dirt, in place."""
    for x, y, radius in scene.specks.tolist():
        centre = (round((x - 0.5) * FINE), round((y - 0.5) * FINE))
        size, bits = round(radius * FINE), FINE.bit_length() - 1
        cv2.circle(out, centre, size, (scene.beside,) * 3, -1, cv2.LINE_AA, bits)


def _tones(scene: Scene) -> np.ndarray:
    """The scanner's correction as a table: uint8 ``(256,)``."""
    tone = (np.arange(256) / 255 - scene.threshold) * scene.contrast + scene.threshold
    tone = scene.ink + (1 - scene.ink) * np.clip(tone, 0, 1)
    table: np.ndarray = np.rint(255 * tone).astype(np.uint8)
    return table


def _noise(record: ScannerRecord, number: int, rows: int, columns: int) -> np.ndarray:
    """Triangular noise of a strip, in [-255, 255], float32 ``(rows, columns)``."""
    row = columns + -columns % 8
    raw = np.random.PCG64([record.seed, 2, number]).random_raw((rows + 1) * row // 8)
    grain = raw.astype("<u8", copy=False).view(np.uint8).reshape(rows + 1, row)[:, :columns]
    # The difference of two rows is triangular, and costs one draw for each pixel.
    noise: np.ndarray = grain[1:].astype(np.float32) - grain[:-1]
    return noise
