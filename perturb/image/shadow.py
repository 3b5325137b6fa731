"""Shadow: the page was photographed under a lamp, with something in its light (appendix III.2, a
strong distortion).

The light falls off across the page from one side. One or two shadows lie on it: a straight edge
(a shelf, the photographer), a hand with its arm, or the phone that takes the picture. Their
edges are soft, and they are a little bluer or redder than the light. Intensity i takes i times
the light that the page's one field of shadow takes at intensity 1; the paper gives no number.

Calibration: 21 pages with evidence (45 questions) of a filing at 150 dpi, seed 0. Edit distance
to the ground truth, then r_noise on the words as written:

=========  =============  =============
intensity  Tesseract 5.3  RapidOCR 3.10
=========  =============  =============
clean      .188  .178     .158  .067
0.25       .199  .222     .158  .089
0.5        .479  .622     .158  .089
1          .540  .689     .158  .089
=========  =============  =============

Tesseract binarizes the page by one threshold, so it loses what lies in the shadow, all at once;
RapidOCR is not affected. Augraphy's default ShadowCast and LightingGradient give Tesseract an
r_noise of .556 and .578 on these pages, so intensity 0.5 stands for the paper.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Annotated, ClassVar

import cv2
import numpy as np
from pydantic import Field, StrictInt

from ohr.plugins.perturbation import PageDistortion, PageParams, PageRecord
from perturb.image.coarse import CELL, enlarged, nodes, strips, uniforms

SEVERE_OPACITY = 0.75
"""Share of the light that the darkest shadow takes at intensity 1."""
OPACITIES = (0.6, 1.0)
"""Opacities of shadows, over that of the darkest."""
SECOND = 0.4
"""Share of the pages with two shadows."""
EDGE, HAND = 0.4, 0.4
"""Shares of the shadows that are straight edges and hands; the others are phones."""
FALLOFFS = (0.2, 0.55)
"""Light lost at the far end of the page at intensity 1, without shadows, over the opacity."""
SOFTNESS = (25.0, 160.0)
"""Width of a shadow's soft edge, in pixels at 150 dpi."""
REACHING = math.radians(110)
"""Hands reach in from below, or from a side to within this angle."""
TINT = 0.05
"""How much more or less of the red a shadow takes, and less or more of the blue."""

JOINT = 0.02
"""How far the parts of a hand grow together, over the page's shorter side."""

Vector = tuple[float, float]
Shape = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""Distance to a shape, negative inside, of points in units of the page's shorter side."""


class ShadowParams(PageParams):
    """The end of the scale: share of the light that the darkest shadow takes at intensity 1."""

    opacity: Annotated[float, Field(gt=0, le=1)] = SEVERE_OPACITY


class ShadowRecord(PageRecord):
    """The seed of the page's field of shadow, the share of light it takes, pixels for each pixel at
    150 dpi."""

    seed: Annotated[StrictInt, Field(ge=0, lt=2**53)]
    opacity: Annotated[float, Field(ge=0, le=1, strict=True)]
    scale: Annotated[float, Field(ge=0.2, le=8, strict=True)]


class Shadow(PageDistortion[ShadowRecord, ShadowParams]):
    """Uneven light and cast shadows: one field per page, its opacity scaled by the intensity."""

    name = "shadow"
    paper_intensity: ClassVar[float] = 0.5
    """The intensity that does the damage of Augraphy's defaults."""

    def plan(self, head: PageRecord, rng: np.random.Generator) -> ShadowRecord:
        """Draw the seed and scale the opacity."""
        seed = int(rng.integers(2**53))
        opacity = self.params.opacity * head.intensity
        return ShadowRecord(
            **head.model_dump(), seed=seed, opacity=opacity, scale=self.params.scale
        )

    def render(self, page: np.ndarray, record: ShadowRecord) -> np.ndarray:
        """Multiply by the light that is left."""
        dark, tint = darkness(record)
        shares = [1 + tint, 1.0, 1 - tint] if page.ndim == 3 else [1.0]
        lost = np.stack([dark * np.float32(record.opacity * share) for share in shares], axis=2)
        light = np.rint(255 * (1 - np.clip(lost, 0, 1))).astype(np.uint8)
        height, width = page.shape[:2]
        out = np.empty_like(page)
        for rows in strips(height):
            cv2.multiply(page[rows], enlarged(light, rows, width), dst=out[rows], scale=1 / 255)
        return out


def darkness(record: ShadowRecord) -> tuple[np.ndarray, float]:
    """The field at the page's nodes, float32 in [0, 1], and its tint.

    It depends on seed, page size and scale, not on the opacity.
    """
    draws = iter(uniforms(record.seed, 64).tolist())
    short = min(record.shape[:2])
    x, y = (axis / np.float32(short) for axis in nodes(record.shape))
    size = (record.shape[1] / short, record.shape[0] / short)

    def draw_value(low: float, high: float) -> float:
        return low + (high - low) * float(next(draws))

    tint = draw_value(-TINT, TINT)
    light = 1 - draw_value(*FALLOFFS) * falloff(
        x, y, size, draw_value(0, 2 * math.pi), draw_value(0.6, 2)
    )
    count = 2 if next(draws) < SECOND else 1
    for _ in range(count):
        kind, angle = next(draws), draw_value(-REACHING, REACHING) - math.pi / 2
        opacity, softness = draw_value(*OPACITIES), draw_value(*SOFTNESS)
        position = (draw_value(0.2, 0.8) * size[0], draw_value(0.2, 0.8) * size[1])
        bend, spread = draw_value(-1, 1), draw_value(-1, 1)
        if kind < EDGE:
            shape = edge(position, angle * math.pi / REACHING, bend)
        elif kind < EDGE + HAND:
            shape = hand(position, angle, bend, spread)
        else:
            shape = phone(position, angle, bend)
        # Nodes are too far apart for edges sharper than this.
        soft = max(softness * record.scale, 1.5 * CELL) / short
        inside = np.clip(0.5 - shape(x, y) / soft, 0, 1)
        light = light * (1 - opacity * inside * inside * (3 - 2 * inside))
    return (1 - light).astype(np.float32), tint


def falloff(x: np.ndarray, y: np.ndarray, size: Vector, angle: float, away: float) -> np.ndarray:
    """Light lost with the distance from a lamp beside the page: 0 at the nearest corner, 1 at
    the farthest. ``away`` is the lamp's distance from the middle of the page."""
    lamp = (size[0] / 2 + away * math.cos(angle), size[1] / 2 + away * math.sin(angle))
    squared = (x - lamp[0]) ** 2 + (y - lamp[1]) ** 2
    # The lamp is as high above the page as it is beside it.
    light = 1 / (squared + away**2)
    near, far = float(light.max()), float(light.min())
    lost: np.ndarray = (near - light) / (near - far)
    return lost


def edge(position: Vector, angle: float, bend: float) -> Shape:
    """Everything beyond a nearly straight line through a point."""
    cos, sin = math.cos(angle), math.sin(angle)

    def distance(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        across, along = (
            cos * (x - position[0]) + sin * (y - position[1]),
            cos * (y - position[1]) - sin * (x - position[0]),
        )
        return across + 0.1 * bend * along**2

    return distance


def hand(position: Vector, angle: float, bend: float, spread: float) -> Shape:
    """An arm that reaches in from outside, its hand at a point, its fingers spread."""
    parts = [
        _capsule((-2.5, 0.2 * bend), (-0.2, 0.0), 0.1),
        _capsule((-0.12, 0.01), (0.0, 0.0), 0.11),
        _capsule((-0.1, 0.08), (0.09, 0.17 + 0.03 * spread), 0.035),
    ]
    for number, length in enumerate((0.2, 0.25, 0.23, 0.16)):
        place = (1.5 - number) / 1.5
        root, turn = (0.04, 0.075 * place), place * (0.11 + 0.09 * spread) - 0.1 * bend
        tip = (root[0] + length * math.cos(turn), root[1] + length * math.sin(turn))
        parts.append(_capsule(root, tip, 0.029))
    return _joined(parts, position, angle)


def phone(position: Vector, angle: float, bend: float) -> Shape:
    """A phone, and the arm and fist that hold it over the page."""

    def body(u: np.ndarray, v: np.ndarray) -> np.ndarray:
        beyond = np.hypot(np.maximum(np.abs(u) - 0.27, 0), np.maximum(np.abs(v) - 0.12, 0))
        distance: np.ndarray = beyond - 0.04
        return distance

    fist, elbow = (-0.22, 0.12 * bend), (-2.5, 0.8 * bend)
    return _joined(
        [body, _capsule(elbow, fist, 0.12), _capsule(fist, (-0.1, 0), 0.15)], position, angle
    )


def _joined(parts: Sequence[Shape], position: Vector, angle: float) -> Shape:
    """The parts grown together, their origin at a point, their first axis along the angle."""
    cos, sin = math.cos(angle), math.sin(angle)

    def distance(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        u = cos * (x - position[0]) + sin * (y - position[1])
        v = cos * (y - position[1]) - sin * (x - position[0])
        near = [np.exp(-np.minimum(part(u, v), 1) / JOINT) for part in parts]
        joined: np.ndarray = -JOINT * np.log(np.sum(near, axis=0))
        return joined

    return distance


def _capsule(start: Vector, end: Vector, radius: float) -> Shape:
    """All points within a radius of a line."""
    (x0, y0), (dx, dy) = start, (end[0] - start[0], end[1] - start[1])

    def distance(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        share = np.clip(((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy), 0, 1)
        return np.hypot(x - x0 - share * dx, y - y0 - share * dy) - radius

    return distance
