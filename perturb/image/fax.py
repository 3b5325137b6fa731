"""Fax: the page went through a group 3 fax machine. Not in the paper.

Not validated: no pairs of pages and their faxes were available. The resolutions are those of ITU-T
recommendation T.4; all other ranges are plausible values, not measured ones.

The sending machine feeds the page a little askew, scans it at 204 dots per inch across and 98
(``standard``) or 196 (``fine``) lines per inch down the page, and makes each dot black or white: by
a threshold (``text``), or by error diffusion (``photo``, Floyd and Steinberg 1976). Scanner noise
makes edges ragged, dirt on the glass draws lines down the page. Where the line is disturbed, a few
scan lines are lost: the rest of each repeats the line above, is white, or is displaced.

At intensity 1, uniform and independent:

======================  ================================================================
quantity                range
======================  ================================================================
mode                    ``text`` with chance .7, else ``photo``
angle                   ± 1 degree
threshold               .4 to .75 of the paper's brightness; .62 is best for thin strokes
scanner noise           ± .04 to .16 of white
disturbances            0 to 14 on an A4 page, of 1 to 5 scan lines at 98 per inch
displaced lines         by up to 6 mm; boxes stay
lines down the page     0 to 2, one or two dots wide, broken
======================  ================================================================

Intensity i multiplies angle, noise and the threshold's distance from .62, shows the share i of
disturbances and lines, and divides both resolutions by i, up to 1.5 times the page's own: at .5,
``standard`` scans at 196 lines per inch. Below .25, the page shows through. A page has one set of
draws, whatever the intensity.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Literal

import cv2
import numpy as np
from PIL import Image
from pydantic import Field, StrictInt

from ohr.plugins.perturbation import BASE_DPI, PageDistortion, PageParams, PageRecord
from perturb.image.coarse import uniforms
from perturb.image.fields import Fields
from perturb.image.outlines import hulls

Mode = Literal["text", "photo"]
Resolution = Literal["standard", "fine"]
Loss = Literal["repeated", "white", "displaced"]

ACROSS = 204.0
"""Dots per inch; lines per inch of the two resolutions:"""
DOWN: dict[Resolution, float] = {"standard": 98.0, "fine": 196.0}
FINEST = 1.5
"""Dots per pixel at most, each way."""
TEXT = 0.7
ANGLE = math.radians(1)
BEST_THRESHOLD, THRESHOLDS, NOISES = 0.62, (0.4, 0.75), (0.04, 0.16)
DISTURBANCES, MOST_DISTURBANCES, MOST_LOST = 14.0, 400, 5
"""On an A4 page; on any page; scan lines that one loses."""
A4_HEIGHT = 11.69 * BASE_DPI
DISPLACED = 6 / 25.4
"""Inches."""
STREAKS = 2
FULL = 0.25
"""The intensity from which nothing of the page is seen through the fax."""
DARKEST_PAPER = 96
"""Paper is at least this bright: a dark page has no paper to adjust to."""


class FaxParams(PageParams):
    """``resolution``: lines per inch at intensity 1; ``mode`` of every page, else drawn."""

    resolution: Resolution = "standard"
    mode: Mode | None = None


class FaxRecord(PageRecord):
    """The seed, mode and resolution, and pixels for each pixel at 150 dpi."""

    seed: Annotated[StrictInt, Field(ge=0, lt=2**53)]
    mode: Mode
    resolution: Resolution
    scale: Annotated[float, Field(ge=0.2, le=8, strict=True)]


class Fax(PageDistortion[FaxRecord, FaxParams]):
    """Faxes the page: coarse dots, black or white, ragged edges, lost lines."""

    name = "fax"

    def plan(self, head: PageRecord, rng: np.random.Generator) -> FaxRecord:
        """Draw the seed and the mode."""
        seed = int(rng.integers(2**53))
        mode: Mode = "text" if rng.random() < TEXT else "photo"
        return FaxRecord(
            **head.model_dump(),
            seed=seed,
            mode=self.params.mode or mode,
            resolution=self.params.resolution,
            scale=self.params.scale,
        )

    def render(self, page: np.ndarray, record: FaxRecord) -> np.ndarray:
        """Scan the page, make dots of it, lose lines, and print the dots at the page's size."""
        scene = scene_of(record)
        grey = page if page.ndim == 2 else cv2.cvtColor(page, cv2.COLOR_RGB2GRAY)
        dots = _dots(_scanned(grey, scene), record, scene)
        _lose_lines(dots, scene)
        printed = _printed(dots, grey.shape)
        if page.ndim == 3:
            printed = cv2.cvtColor(printed, cv2.COLOR_GRAY2RGB)
        share = min(1.0, record.intensity / FULL)
        return printed if share == 1 else cv2.addWeighted(page, 1 - share, printed, share, 0)

    def place(self, boxes: np.ndarray, record: FaxRecord) -> np.ndarray:
        """Upright hulls of the turned corners of each box."""
        matrix = _turn(scene_of(record).angle, record.shape)
        x, y = boxes[:, [0, 2, 2, 0]], boxes[:, [1, 1, 3, 3]]
        return hulls(*(row[0] * x + row[1] * y + row[2] for row in matrix))


@dataclass(frozen=True, slots=True)
class Disturbance:
    """Scan lines of which the end is lost."""

    down: float
    """Over the page's height; the others over its width."""
    across: float
    by: float
    lines: int
    """At 98 per inch."""
    kind: Loss


@dataclass(frozen=True, slots=True)
class Scene:
    """What happens to a page on its way, at its intensity."""

    size: tuple[int, int]
    """Width and height in dots."""
    angle: float
    threshold: float
    """Over the paper's brightness."""
    noise: float
    """Largest deviation in grey values."""
    disturbances: tuple[Disturbance, ...]
    streaks: tuple[tuple[float, int], ...]
    """Each line down the page: its place over the page's width, its width in dots."""
    coarse: float
    """Lines of dots for each at 98 per inch."""


@lru_cache(maxsize=2)
def scene_of(record: FaxRecord) -> Scene:
    """The transmission that a record stands for."""
    i = record.intensity
    height, width = record.shape[:2]
    dpi = BASE_DPI * record.scale
    resolution = (ACROSS / max(i, 1e-9), DOWN[record.resolution] / max(i, 1e-9))
    across, down = (min(dots / dpi, FINEST) for dots in resolution)
    size = (max(2, round(width * across)), max(2, round(height * down)))
    draws = iter(uniforms(record.seed, 4 + 3 * STREAKS).tolist())

    def draw_value(low: float, high: float) -> float:
        return low + (high - low) * float(next(draws))

    angle = i * draw_value(-ANGLE, ANGLE)
    threshold = BEST_THRESHOLD + i * (draw_value(*THRESHOLDS) - BEST_THRESHOLD)
    noise, amount = 255 * i * draw_value(*NOISES), draw_value(0, DISTURBANCES)
    streaks = []
    for _ in range(STREAKS):
        shown, position, wide = next(draws), next(draws), next(draws)
        if shown < i / 2:
            streaks.append((position, 1 + int(2 * wide)))
    count = min(MOST_DISTURBANCES, round(amount * height / (A4_HEIGHT * record.scale)))
    rows = uniforms(record.seed + 1, 6 * count).reshape(count, 6)
    disturbances = []
    for shown, position, lost, start, kind, by in rows.tolist():
        if shown < i:
            loss: Loss = "repeated" if kind < 0.4 else "white" if kind < 0.6 else "displaced"
            moved = (2 * by - 1) * DISPLACED * dpi / width
            lines = 1 + int(lost * MOST_LOST)
            disturbances.append(Disturbance(position, 0.9 * start, moved, lines, loss))
    coarse = size[1] * dpi / (height * DOWN["standard"])
    return Scene(size, angle, threshold, noise, tuple(disturbances), tuple(streaks), coarse)


def _turn(angle: float, shape: tuple[int, ...], centre: float = 0.0) -> np.ndarray:
    """The ``(2, 3)`` turn about the page's middle; ``centre`` is that of the first pixel."""
    cos, sin = math.cos(angle), math.sin(angle)
    x, y = shape[1] / 2 - centre, shape[0] / 2 - centre
    return np.array([[cos, sin, x - cos * x - sin * y], [-sin, cos, y + sin * x - cos * y]])


def _scanned(grey: np.ndarray, scene: Scene) -> np.ndarray:
    """The page at the resolution of the dots, askew."""
    height, width = grey.shape
    if scene.angle != 0:
        paper = float(np.median(grey[:, :: max(1, width // 64)]))
        grey = cv2.warpAffine(
            grey,
            _turn(scene.angle, grey.shape, 0.5),
            (width, height),
            flags=cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_CONSTANT,
            borderValue=(paper,),
        )
    # One way at a time: OpenCV averages only where both ways are reduced.
    for size in ((width, scene.size[1]), scene.size):
        smaller = size[0] <= grey.shape[1] and size[1] <= grey.shape[0]
        how = cv2.INTER_AREA if smaller else cv2.INTER_LINEAR
        grey = cv2.resize(grey, size, interpolation=how)
    return grey


def _dots(scan: np.ndarray, record: FaxRecord, scene: Scene) -> np.ndarray:
    """The scan in black (0) and white (255)."""
    paper = max(float(np.percentile(scan[::4, ::4], 90)), DARKEST_PAPER)
    height, width = scan.shape
    grain = Fields((record.seed, 3), height, width).smooth(1)
    share = 2 * scene.noise / 255
    noisy = cv2.addWeighted(scan, 255 / paper, grain, share, -127.5 * share)
    if record.mode == "text":
        _, dots = cv2.threshold(noisy, round(255 * scene.threshold), 255, cv2.THRESH_BINARY)
        return dots
    # Lighter or darker by the threshold; the steep middle keeps paper white and ink black.
    tone = (np.arange(256.0) - 255 * scene.threshold) * 1.6 + 127.5
    prepared = cv2.LUT(noisy, np.rint(tone.clip(0, 255)).astype(np.uint8))
    dithered: np.ndarray = np.array(Image.fromarray(prepared).convert("1"), dtype=np.uint8) * 255
    return dithered


def _lose_lines(dots: np.ndarray, scene: Scene) -> None:
    """Draw the lines of dirt and lose what was disturbed, in place."""
    for position, wide in scene.streaks:
        # Dirt moves on: it draws for three quarters of each eighth of the page.
        for part in np.array_split(np.arange(len(dots)), 8):
            column = int(position * dots.shape[1])
            dots[part[: 3 * len(part) // 4], column : column + wide] = 0
    for lost in scene.disturbances:
        first, count = int(lost.down * len(dots)), max(1, round(lost.lines * scene.coarse))
        for line in range(first, min(first + count, len(dots))):
            column = int(lost.across * dots.shape[1])
            rest = dots[line, column:]
            if lost.kind == "white":
                rest[:] = 255
            elif lost.kind == "displaced":
                rest[:] = np.roll(rest, round(lost.by * dots.shape[1]))
            elif line > 0:
                rest[:] = dots[line - 1, column:]


def _printed(dots: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The dots at the page's size; dots coarser than its pixels keep their edges."""
    height, width = shape
    times = [-(-side // count) for side, count in zip(shape, dots.shape, strict=True)]
    if max(times) > 1:
        size = (dots.shape[1] * times[1], dots.shape[0] * times[0])
        dots = cv2.resize(dots, size, interpolation=cv2.INTER_NEAREST)
    return cv2.resize(dots, (width, height), interpolation=cv2.INTER_AREA)
