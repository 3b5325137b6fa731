"""Photocopy: a black-and-white copy of a copy of the page. Not in the paper.

Not validated: no pairs of pages and their photocopies were available, so the ranges below are
plausible values for an office copier, not measured ones. Lengths are on paper.

Each of ``generations`` copies lays the last one askew on the glass, softens it, adds toner grain,
and makes it more contrasty, so that edges get ragged, thin strokes break and small gaps fill up.
Dirt on the glass and missing toner add black and white specks, a scratched drum adds lines. Large
black areas come out grey and blotchy. With an open lid, what lies beside the page is black; the
outermost millimetres are never printed.

At intensity 1, uniform and independent, for each copy:

=====================  ============================================================
quantity               range
=====================  ============================================================
angle                  ± .6 degrees, the first ± 1.2
place; magnification   ± .8 mm; .99 to 1.005, the first ± 3 mm; .955 to 1.005
softening              .07 to .12 mm (standard deviation)
contrast               1.35 to 2.1 times, about a threshold of .46 to .7 of white
toner grain            ± .08 to .2 of white, in grains of .34 mm
specks                 20 to 160 on an A4 page, .1 to .8 mm wide, 30 % of them white
line down the page     with chance .25: .1 to .3 mm wide, takes .2 to .7 of the light
=====================  ============================================================

For the whole page: open lid with chance .4, edge of 2 to 4.5 mm, solid areas lightened by .25 to
.55 of white. Intensity i multiplies angles, lengths, grain, and what the other factors differ from
1 by i, and shows the share i of the specks; colours fade until intensity .25. A page has one set of
draws, whatever the intensity, and a further copy adds its own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated

import cv2
import numpy as np
from pydantic import Field, StrictInt

from ohr.plugins.perturbation import BASE_DPI, PageDistortion, PageParams, PageRecord
from perturb.image.coarse import CELL, enlarged, uniforms
from perturb.image.fields import Fields, reduced, sample_pixels, sheet_size
from perturb.image.outlines import hulls
from perturb.image.warping import colourless

GENERATIONS, MOST_GENERATIONS = 3, 8
MM = BASE_DPI / 25.4
"""Pixels at 150 dpi."""
ANGLE, FIRST_ANGLE = math.radians(0.6), math.radians(1.2)
SHIFT, FIRST_SHIFT = 0.8 * MM, 3 * MM
SIZES, FIRST_SIZES = (0.99, 1.005), (0.955, 1.005)
SOFTNESS = (0.07 * MM, 0.12 * MM)
CONTRASTS = (1.35, 2.1)
THRESHOLDS = (0.46, 0.7)
GRAINS, GRAIN = (0.08, 0.2), 2
"""Amplitudes over white; side of a grain in pixels at 150 dpi."""
SPECKS, MOST_SPECKS = (20.0, 160.0), 3000
"""On an A4 page; on any page."""
A4 = 210 * 297 * MM * MM
RADII = (0.05 * MM, 0.4 * MM)
WHITE_SPECKS = 0.3
LINE, LINE_WIDTHS, LINE_SHADES = 0.25, (0.1 * MM, 0.3 * MM), (0.2, 0.7)
OPEN_LID, LID = 0.4, (10.0, 60.0)
"""Its chance; grey values beside the page."""
EDGES = (2 * MM, 4.5 * MM)
SOLID = (0.25, 0.55)
SOLID_FROM = 0.55
"""Mean darkness of a neighbourhood of some millimetres from which toner gets thin."""
COLOURLESS = 0.25
"""The intensity from which colours are gone."""
ROWS = 256
"""Rows handled together, which bounds the memory."""


class PhotocopyParams(PageParams):
    """``generations``: how many times the page is copied, each time from the last copy."""

    generations: Annotated[int, Field(ge=1, le=MOST_GENERATIONS)] = GENERATIONS


class PhotocopyRecord(PageRecord):
    """The seed of the copies, how many they are, and pixels for each pixel at 150 dpi."""

    seed: Annotated[StrictInt, Field(ge=0, lt=2**53)]
    generations: Annotated[StrictInt, Field(ge=1, le=MOST_GENERATIONS)]
    scale: Annotated[float, Field(ge=0.2, le=8, strict=True)]


class Photocopy(PageDistortion[PhotocopyRecord, PhotocopyParams]):
    """Copies the page several times: skew, contrast, ragged edges, dirt, black borders."""

    name = "photocopy"

    def plan(self, head: PageRecord, rng: np.random.Generator) -> PhotocopyRecord:
        """Draw the seed."""
        return PhotocopyRecord(
            **head.model_dump(),
            seed=int(rng.integers(2**53)),
            generations=self.params.generations,
            scale=self.params.scale,
        )

    def render(self, page: np.ndarray, record: PhotocopyRecord) -> np.ndarray:
        """Lay the page on the glass, then soften, grain and harden it, once for each copy."""
        scene = scene_of(record)
        source = colourless(_faded(page, record.intensity))
        lift = _lift(source, record, scene)
        grains = [
            reduced(_fields(record, number).smooth(GRAIN), record.scale)
            for number in range(record.generations)
        ]
        height, width = page.shape[:2]
        # Softening reaches this far; whole cells, for the coarse field of lightening.
        reach = sum(math.ceil(4 * copy.softness) + 1 for copy in scene.copies)
        halo = -(-reach // CELL) * CELL
        out = np.empty_like(page)
        for first in range(0, height, ROWS):
            rows = slice(first, min(first + ROWS, height))
            above, below = max(first - halo, 0), min(rows.stop + halo, height)
            band = _warped(source, scene, above, below)
            for copy, (grain, scale) in zip(scene.copies, grains, strict=True):
                _dirty(band, copy, above)
                if copy.softness > 0:
                    band = cv2.GaussianBlur(
                        band, (0, 0), copy.softness, borderType=cv2.BORDER_REPLICATE
                    )
                noise = _match_channels(band, sample_pixels(grain, scale, (above, below), width))
                # (v + noise - threshold) x contrast + threshold, rounded and saturated.
                weight = copy.grain * copy.contrast
                level = 255 * copy.threshold * (1 - copy.contrast) - 127.5 * weight
                band = cv2.addWeighted(band, copy.contrast, noise, weight, level)
            lightened = _match_channels(band, enlarged(lift, slice(above, below), width))
            band = cv2.add(band, lightened)[first - above : rows.stop - above]
            out[rows] = band if band.ndim == page.ndim else cv2.cvtColor(band, cv2.COLOR_GRAY2RGB)
        for edge in _edges(out, scene.edge):
            edge[:] = 255
        return out

    def place(self, boxes: np.ndarray, record: PhotocopyRecord) -> np.ndarray:
        """Upright hulls of the boxes' corners on the last copy."""
        matrix = scene_of(record).matrix
        x, y = boxes[:, [0, 2, 2, 0]], boxes[:, [1, 1, 3, 3]]
        return hulls(*(row[0] * x + row[1] * y + row[2] for row in matrix))


@dataclass(frozen=True, slots=True)
class Copy:
    """What one copy does to the last, at its intensity; lengths in pixels."""

    softness: float
    contrast: float
    threshold: float
    """Over white."""
    grain: float
    """Largest deviation over half of white."""
    specks: np.ndarray
    """Columns x, y, radius, grey value: float64 ``(n, 4)``."""
    line: tuple[float, float, float] | None
    """Place across the page, width, and the light it takes."""


@dataclass(frozen=True, slots=True)
class Scene:
    """All copies of a page."""

    matrix: np.ndarray
    """From places on the page to places on the last copy, in pixels from the corner: ``(2, 3)``."""
    copies: tuple[Copy, ...]
    beside: float
    """Grey value of what is beside the page."""
    edge: int
    solid: float
    """How much lighter large black areas get, over white."""


@lru_cache(maxsize=2)
def scene_of(record: PhotocopyRecord) -> Scene:
    """The copies that a record stands for."""
    i, scale = record.intensity, record.scale
    height, width = record.shape[:2]
    draws = iter(uniforms(record.seed, 8).tolist())

    def draw_value(low: float, high: float) -> float:
        return low + (high - low) * float(next(draws))

    lid = next(draws) < OPEN_LID
    beside, edge, solid = draw_value(*LID), draw_value(*EDGES), draw_value(*SOLID)
    matrix, copies = np.eye(3), []
    for number in range(record.generations):
        first = number == 0
        draws = iter(uniforms(record.seed + 1 + number, 24).tolist())
        most = FIRST_ANGLE if first else ANGLE
        shift = FIRST_SHIFT if first else SHIFT
        angle = i * draw_value(-most, most)
        size = 1 - i * (1 - draw_value(*(FIRST_SIZES if first else SIZES)))
        moved = [i * scale * draw_value(-shift, shift) for _ in range(2)]
        matrix = _laid(angle, size, (width, height), moved) @ matrix
        softness = i * scale * draw_value(*SOFTNESS)
        contrast = 1 + i * (draw_value(*CONTRASTS) - 1)
        threshold, grain = draw_value(*THRESHOLDS), i * draw_value(*GRAINS)
        amount, drawn, position = draw_value(*SPECKS), next(draws), draw_value(0, width)
        line_width, shade = scale * draw_value(*LINE_WIDTHS), i * draw_value(*LINE_SHADES)
        line = (position, line_width, shade) if drawn < LINE else None
        specks = _specks(record, number, amount)
        copies.append(Copy(softness, contrast, threshold, 2 * grain, specks, line))
    beside = beside if lid else 255.0
    return Scene(matrix[:2], tuple(copies), beside, round(i * scale * edge), i * solid)


def _laid(angle: float, size: float, page: tuple[int, int], moved: list[float]) -> np.ndarray:
    """The map of one copy: turned and enlarged about the middle of the page, then moved."""
    cos, sin = size * math.cos(angle), size * math.sin(angle)
    x, y = page[0] / 2, page[1] / 2
    to_x, to_y = x + moved[0], y + moved[1]
    return np.array(
        [[cos, sin, to_x - cos * x - sin * y], [-sin, cos, to_y + sin * x - cos * y], [0, 0, 1]]
    )


def _specks(record: PhotocopyRecord, number: int, amount: float) -> np.ndarray:
    """The specks that show at this intensity; most are small."""
    height, width = record.shape[:2]
    area = height * width / record.scale**2
    count = min(MOST_SPECKS, round(amount * area / A4))
    draws = uniforms(record.seed + 101 + number, 6 * count).reshape(count, 6)
    draws = draws[draws[:, 0] < record.intensity]
    radius = (RADII[0] + (RADII[1] - RADII[0]) * draws[:, 3] ** 4) * record.scale
    grey = np.where(draws[:, 4] < WHITE_SPECKS, 255.0, 70 * draws[:, 5])
    return np.stack([draws[:, 1] * width, draws[:, 2] * height, radius, grey], axis=1)


def _fields(record: PhotocopyRecord, number: int) -> Fields:
    return Fields((record.seed, number), *sheet_size(record.shape, record.scale))


def _faded(page: np.ndarray, intensity: float) -> np.ndarray:
    """The page with less colour, or none."""
    if page.ndim == 2:
        return page
    if intensity >= COLOURLESS:
        return cv2.cvtColor(page, cv2.COLOR_RGB2GRAY)
    share = intensity / COLOURLESS
    return cv2.transform(page, (1 - share) * np.eye(3) + share * np.array([[0.299, 0.587, 0.114]]))


def _matrix_on_pixels(matrix: np.ndarray, above: int, cell: int = 1) -> np.ndarray:
    """The map for OpenCV, which counts from pixel centres, onto rows from ``above`` on."""
    moved = matrix.copy()
    moved[:, 2] = (moved[:, 2] + (moved[:, 0] + moved[:, 1]) * cell / 2) / cell - 0.5
    moved[1, 2] -= above
    return moved


def _warped(source: np.ndarray, scene: Scene, above: int, below: int) -> np.ndarray:
    """Rows of the page as it lies on the glass."""
    return cv2.warpAffine(
        source,
        _matrix_on_pixels(scene.matrix, above),
        (source.shape[1], below - above),
        flags=cv2.INTER_CUBIC,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=(scene.beside,) * 3,
    )


def _lift(source: np.ndarray, record: PhotocopyRecord, scene: Scene) -> np.ndarray:
    """How much lighter large black areas get at the page's nodes, in blotches: uint8."""
    size = tuple(-(-side // CELL) for side in source.shape[1::-1])
    coarse = cv2.resize(source, size, interpolation=cv2.INTER_AREA)
    if coarse.ndim == 3:
        coarse = cv2.cvtColor(coarse, cv2.COLOR_RGB2GRAY)
    matrix = _matrix_on_pixels(scene.matrix, 0, CELL)
    beside = (scene.beside,)
    coarse = cv2.warpAffine(
        coarse, matrix, size, borderMode=cv2.BORDER_CONSTANT, borderValue=beside
    )
    dark = 1 - cv2.blur(coarse, (3, 3)).astype(np.float32) / 255
    solid = np.clip((dark - SOLID_FROM) / (1 - SOLID_FROM), 0, 1)
    drawn = uniforms(record.seed + 200, 48 * 48).reshape(48, 48).astype(np.float32)
    blotches = cv2.resize(drawn, size, interpolation=cv2.INTER_LINEAR)
    lift = np.rint(255 * scene.solid * solid * (0.4 + 1.2 * blotches)).clip(0, 255)
    return cv2.copyMakeBorder(lift.astype(np.uint8), 1, 1, 1, 1, cv2.BORDER_REPLICATE)


def _dirty(band: np.ndarray, copy: Copy, above: int) -> None:
    """Draw specks and lines on a band, in place."""
    _, y, radius, _ = copy.specks.T
    inside = (y + radius > above) & (y - radius < above + band.shape[0])
    for at_x, at_y, size, grey in copy.specks[inside].tolist():
        # In sixteenths of a pixel.
        centre = (round((at_x - 0.5) * 16), round((at_y - above - 0.5) * 16))
        cv2.circle(band, centre, round(size * 16), (grey,) * 3, -1, cv2.LINE_AA, shift=4)
    if copy.line is not None:
        position, width, shade = copy.line
        columns = np.arange(math.floor(position), min(math.ceil(position + width), band.shape[1]))
        covered = np.minimum(columns + 1, position + width) - np.maximum(columns, position)
        remaining = 1 - shade * covered
        if band.ndim == 3:
            remaining = remaining[:, None]
        band[:, columns] = np.rint(band[:, columns] * remaining)


def _edges(out: np.ndarray, width: int) -> tuple[np.ndarray, ...]:
    """The strips along the sides of a page."""
    if width < 1:
        return ()
    return out[:width], out[-width:], out[:, :width], out[:, -width:]


def _match_channels(band: np.ndarray, plane: np.ndarray) -> np.ndarray:
    """The plane with as many channels as the band."""
    return plane if band.ndim == 2 else cv2.cvtColor(plane, cv2.COLOR_GRAY2RGB)
