"""Warping: the page was folded and does not lie flat (appendix III.2, a strong distortion).

A page is a relief: one to three creases, a curl and low waves. It is seen at a slant, so a point
of height h is displaced by h along one direction, and lit from a side, so slopes that face away
are darker. Ink is worn off along the creases. Intensity i scales the height to i x
``SEVERE_DEPTH``, in pixels at 150 dpi; the paper gives no number.

Calibration: 21 pages with evidence (45 questions) of a filing at 150 dpi, seed 0. Edit distance
to the ground truth, then r_noise on the words as written:

=========  =============  =============
intensity  Tesseract 5.3  RapidOCR 3.10
=========  =============  =============
clean      .188  .178     .158  .067
0.25       .177  .289     .159  .067
0.5        .245  .422     .281  .222
1          .419  .756     .614  .511
=========  =============  =============

RapidOCR drops lines that are steep; Tesseract garbles them. Augraphy's default Folding gives
Tesseract .491 and .800 on these pages, so intensity 1 stands for the paper.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, TypeVar

import cv2
import numpy as np
from pydantic import Field, StrictInt

from ohr.plugins.perturbation import PageDistortion, PageParams, PageRecord
from perturb.image.coarse import CELL, enlarged, nodes, strips, uniforms
from perturb.image.outlines import hulls, outlines

SEVERE_DEPTH = 24.0
"""Height of the highest crease at intensity 1, as the displacement it causes."""
LARGEST_DEPTH = 28.0
"""Bound of the depth."""
STEEPEST = 0.9
"""Bound of the slope at the largest depth; at 1 the picture would fold over itself."""

MOST_CREASES = 3
DOWN, ACROSS = 0.5, 0.35
"""Shares of the creases that run down the page, and across it; the others in any direction."""
TILT = math.radians(5)
"""How far from straight down or across."""
PLACES = (0.12, 0.88)
"""Where a crease lies, over the page's extent across the crease."""
HEIGHTS = (0.5, 1.0)
"""Heights of creases over the depth, up or down."""
REACHES = (70.0, 150.0)
"""The distance over which a crease's height falls by e, in pixels at 150 dpi, as all below."""
ROUNDING = 5.0
"""Radius of a ridge."""
CURL, CURL_LENGTHS = 1.2, (250.0, 600.0)
"""Height of the largest curl over the depth; how far from an edge or corner it starts."""
WAVES, WAVE, WAVE_LENGTHS = 3, 0.12, (350.0, 900.0)
"""Number of waves, amplitude over the depth, wavelengths."""
SLANT = math.radians(40)
"""The page is seen from below or above, to within this angle."""

SHADE = 0.9
"""Light lost, over the slope that faces away."""
WEAR, DIRT = 0.8, 0.12
"""Ink and light lost at most in a crease at intensity 1."""
WEAR_WIDTH, WEAR_STEP = 1.3, 5.0
"""Half-width of the worn line; length of a worn patch."""

ROUNDS, CLOSE = 100, 1e-3
"""Steps of the inversion at most; the step in pixels that ends it."""

Vector = tuple[float, float]


class WarpingParams(PageParams):
    """The end of the scale: the height of a crease at intensity 1, in pixels at 150 dpi."""

    depth: Annotated[float, Field(gt=0, le=LARGEST_DEPTH)] = SEVERE_DEPTH


class WarpingRecord(PageRecord):
    """The seed of the relief, its height in pixels at 150 dpi, and pixels for each of those."""

    seed: Annotated[StrictInt, Field(ge=0, lt=2**53)]
    depth: Annotated[float, Field(ge=0, le=LARGEST_DEPTH, strict=True)]
    scale: Annotated[float, Field(ge=0.2, le=8, strict=True)]


class Warping(PageDistortion[WarpingRecord, WarpingParams]):
    """Creases, curls and waves the page; a page has one relief, scaled by the intensity."""

    name = "warping"
    paper_intensity: ClassVar[float] = 1.0
    """The intensity nearest to the damage of Augraphy's default."""

    def plan(self, head: PageRecord, rng: np.random.Generator) -> WarpingRecord:
        """Draw the seed and scale the height."""
        seed = int(rng.integers(2**53))
        depth = self.params.depth * head.intensity
        return WarpingRecord(**head.model_dump(), seed=seed, depth=depth, scale=self.params.scale)

    def render(self, page: np.ndarray, record: WarpingRecord) -> np.ndarray:
        """Look each pixel up where it came from, shade the slopes, wear the creases."""
        relief = relief_of(record)
        height, width = page.shape[:2]
        x, y = nodes(page.shape)
        heights = relief.heights(x, y).astype(np.float32)
        shades = relief.shades(heights)
        # Where each node came from, counted from the first pixel's centre.
        from_x, from_y = (
            axis + heights * np.float32(part) - np.float32(0.5)
            for axis, part in zip((x, y), relief.view, strict=True)
        )
        out = np.empty_like(page)
        for rows in strips(height):
            map_x, map_y = enlarged(from_x, rows, width), enlarged(from_y, rows, width)
            touched = _touched(map_y, height)
            map_y -= np.float32(touched.start)
            # A linear kernel would add a blur that comes and goes along a line of text.
            seen = cv2.remap(
                colourless(page[touched]),
                map_x,
                map_y,
                cv2.INTER_CUBIC,
                borderMode=cv2.BORDER_REPLICATE,
            )
            shade = enlarged(shades, rows, width)
            if seen.ndim == 3:
                shade = cv2.cvtColor(shade, cv2.COLOR_GRAY2RGB)
            seen = cv2.multiply(seen, shade, scale=1 / 255)
            if seen.ndim < page.ndim:
                seen = cv2.cvtColor(seen, cv2.COLOR_GRAY2RGB)
            out[rows] = seen
        for number, crease in enumerate(relief.creases):
            wear(out, crease, record, number)
        return out

    def place(self, boxes: np.ndarray, record: WarpingRecord) -> np.ndarray:
        """Upright hulls of the boxes' displaced outlines, to a pixel or so."""
        relief = relief_of(record)
        moved = [np.empty((0, 4))]
        for x, y in outlines(boxes):
            moved.append(hulls(*_seen(x, y, relief)))
        return np.concatenate(moved)


@dataclass(frozen=True, slots=True)
class Crease:
    """A straight ridge, or a valley if its height is negative; in pixels."""

    normal: Vector
    """Unit vector across it."""
    offset: float
    """Coordinate along the normal."""
    height: float
    reach: float
    rounding: float


@dataclass(frozen=True, slots=True)
class Curl:
    """An edge or corner that rises (or sinks) as the square of the distance from a line."""

    normal: Vector
    offset: float
    length: float
    height: float
    """Height at the edge or corner."""


@dataclass(frozen=True, slots=True)
class Wave:
    """A sine: angular frequencies for each pixel, phase, amplitude."""

    frequency: Vector
    phase: float
    height: float


P = TypeVar("P", Crease, Curl, Wave)


@dataclass(frozen=True, slots=True)
class Relief:
    """The heights of a distorted page, in pixels of displacement.

    Its slope stays below 1, so that the displacement can be inverted.
    """

    creases: tuple[Crease, ...]
    curl: Curl
    waves: tuple[Wave, ...]
    view: Vector
    """Unit vector along which height displaces."""
    light: Vector
    """Unit vector in which the light falls."""

    def heights(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Heights at points measured from the page's corner; shapes are broadcast."""
        (nx, ny), curl = self.curl.normal, self.curl
        share = np.maximum(0, (nx * x + ny * y - curl.offset) / curl.length)
        # Beyond the page it goes on straight: the slope keeps its bound for boxes out there.
        bent = np.minimum(share, 1)
        heights: np.ndarray = curl.height * (bent * bent + 2 * (share - bent))
        for wave in self.waves:
            fx, fy = wave.frequency
            heights = heights + wave.height * np.sin(fx * x + fy * y + wave.phase)
        for crease in self.creases:
            nx, ny = crease.normal
            away = np.hypot(nx * x + ny * y - crease.offset, crease.rounding) - crease.rounding
            heights = heights + crease.height * np.exp(-away / crease.reach)
        return heights

    def steepest(self) -> float:
        """A bound of the slope."""
        return (
            sum(abs(crease.height) / crease.reach for crease in self.creases)
            + 2 * abs(self.curl.height) / self.curl.length
            + sum(math.hypot(*wave.frequency) * abs(wave.height) for wave in self.waves)
        )

    def times(self, factor: float) -> Relief:
        """The relief with all heights multiplied."""

        def higher(part: P) -> P:
            return replace(part, height=part.height * factor)

        return replace(
            self,
            creases=tuple(map(higher, self.creases)),
            curl=higher(self.curl),
            waves=tuple(map(higher, self.waves)),
        )

    def shades(self, heights: np.ndarray) -> np.ndarray:
        """Light at each node, uint8: 255 unless the slope there faces away from the light."""
        down, right = np.gradient(heights, CELL)
        facing = right * np.float32(self.light[0]) + down * np.float32(self.light[1])
        lit = 1 - SHADE * np.clip(-facing, 0, 1)
        shades: np.ndarray = np.rint(255 * lit).astype(np.uint8)
        return shades


def relief_of(record: WarpingRecord) -> Relief:
    """The relief that a record stands for."""
    draws = iter(uniforms(record.seed, 64).tolist())
    size, scale = (record.shape[1], record.shape[0]), record.scale

    def draw_value(low: float, high: float) -> float:
        return low + (high - low) * float(next(draws))

    def sign() -> int:
        return 1 if next(draws) < 0.5 else -1

    def extent(normal: Vector) -> tuple[float, float]:
        """The page's least and greatest coordinate along a vector."""
        ends = [n * side for n, side in zip(normal, size, strict=True)]
        return sum(min(0.0, end) for end in ends), sum(max(0.0, end) for end in ends)

    def crease() -> Crease:
        kind, tilt, anyhow = next(draws), draw_value(-TILT, TILT), draw_value(0, math.pi)
        angle = tilt if kind < DOWN else tilt + math.pi / 2 if kind < DOWN + ACROSS else anyhow
        normal = _unit(angle)
        low, high = extent(normal)
        offset = low + draw_value(*PLACES) * (high - low)
        height = sign() * draw_value(*HEIGHTS)
        return Crease(normal, offset, height, draw_value(*REACHES) * scale, ROUNDING * scale)

    def curl() -> Curl:
        normal, length = _unit(draw_value(0, 2 * math.pi)), draw_value(*CURL_LENGTHS) * scale
        return Curl(normal, extent(normal)[1] - length, length, draw_value(-CURL, CURL))

    def wave() -> Wave:
        length, (x, y) = draw_value(*WAVE_LENGTHS) * scale, _unit(draw_value(0, 2 * math.pi))
        turn = 2 * math.pi / length
        return Wave((turn * x, turn * y), draw_value(0, 2 * math.pi), WAVE)

    view = _unit(math.pi / 2 + draw_value(-SLANT, SLANT))
    light = _unit(draw_value(0, 2 * math.pi))
    count = 1 + int(next(draws) * MOST_CREASES)
    unit = Relief(
        curl=curl(),
        waves=tuple(wave() for _ in range(WAVES)),
        creases=tuple(crease() for _ in range(count)),
        view=view,
        light=light,
    )
    # Creases that happen to add up make the page's whole relief lower, at every intensity alike.
    tame = min(1.0, STEEPEST / (unit.steepest() * LARGEST_DEPTH * scale))
    return unit.times(record.depth * scale * tame)


def wear(out: np.ndarray, crease: Crease, record: WarpingRecord, number: int) -> None:
    """Wear the ink off a crease and darken it, in patches, in place."""
    (across, along), (length, lines) = crease.normal, record.shape[1::-1]
    steps = (1, length)
    if abs(across) < abs(along):  # it runs across the page: go through columns, not rows
        (across, along), (length, lines), steps = (along, across), (lines, length), (length, 1)
    width = WEAR_WIDTH * record.scale
    reach = math.ceil(2.5 * width / abs(across)) + 1
    line = np.arange(lines)
    middle = np.floor((crease.offset - along * (line + 0.5)) / across).astype(np.intp)
    place = middle + np.arange(-reach, reach + 1)[:, None]
    distance = across * (place + 0.5) + along * (line + 0.5) - crease.offset

    patches = uniforms(record.seed, 64 + 4096 * (number + 1))[-4096:]
    position = line / (WEAR_STEP * record.scale)
    worn = record.intensity * np.interp(position, np.arange(4096), patches, period=4096)
    profile = (worn * np.exp(-((distance / width) ** 2))).astype(np.float32)

    pixels = out.reshape(-1, *out.shape[2:])
    inside = (place >= 0) & (place < length)
    site = np.clip(place, 0, length - 1) * steps[0] + line * steps[1]
    old = np.take(pixels, site, axis=0)
    paper = old.max(axis=0)
    if out.ndim == 3:
        profile = profile[..., None]
    lighter = old + (paper - old) * (WEAR * profile)
    new = np.rint(lighter * (1 - DIRT * profile)).astype(np.uint8)
    if inside.all():
        pixels[site] = new
    else:
        pixels[site[inside]] = new[inside]


def colourless(part: np.ndarray) -> np.ndarray:
    """One channel if all are alike, as on most text: it takes a third of the time of three."""
    if part.ndim == 2:
        return part
    red, green, blue = cv2.split(part)
    alike = np.array_equal(red, green) and np.array_equal(green, blue)
    return red if alike else part


def _touched(map_y: np.ndarray, height: int) -> slice:
    """The rows that a cubic kernel looks at."""
    first = min(max(math.floor(map_y.min()) - 1, 0), height - 1)
    return slice(first, max(math.ceil(map_y.max()) + 3, first + 1))


def _seen(
    outline_x: np.ndarray, outline_y: np.ndarray, relief: Relief
) -> tuple[np.ndarray, np.ndarray]:
    """Where points of the page are seen after the displacement."""
    # A point of the page at q is seen at p = q - view x height(p): a contraction.
    seen_x, seen_y = outline_x, outline_y
    for _ in range(ROUNDS):
        heights = relief.heights(seen_x, seen_y)
        before = seen_x, seen_y
        seen_x = outline_x - relief.view[0] * heights
        seen_y = outline_y - relief.view[1] * heights
        if max(np.abs(seen_x - before[0]).max(), np.abs(seen_y - before[1]).max()) < CLOSE:
            break
    return seen_x, seen_y


def _unit(angle: float) -> Vector:
    return math.cos(angle), math.sin(angle)
