"""A bent sheet of paper in front of a camera, and where each of its points is seen.

Lengths are in units of the page's longer side, and the origin is the middle of the page. A point of
the sheet at (x, y) has a height z(x, y) toward the camera. It is turned, moved to the camera's
distance, projected through a pinhole, and fitted into the frame, which has the size of the page.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

DISTANCE = 1.6
"""From the camera to the middle of the page: 48 cm for A4."""
STEEPEST = 0.85
"""Bound of the slope, times how strongly a height shifts a point: at 1 the sheet could hide a part
of itself."""
ROUNDS, CLOSE = 60, 3e-5
"""Steps of the inversion at most; the step that ends it."""
WAVES = 5
MOST_CREASES = 6

Vector = tuple[float, float]
Draw = Callable[[float, float], float]
"""Draws uniformly between two numbers."""


@dataclass(frozen=True, slots=True)
class Bend:
    """A parabola across the page: ``height`` at ``reach`` from its axis."""

    normal: Vector
    reach: float
    height: float


@dataclass(frozen=True, slots=True)
class Fold:
    """A straight ridge, or a valley if its height is negative."""

    normal: Vector
    offset: float
    height: float
    reach: float


@dataclass(frozen=True, slots=True)
class Ripple:
    """A sine, by its angular frequencies, phase and height."""

    frequency: Vector
    phase: float
    height: float


@dataclass(frozen=True, slots=True)
class Sheet:
    """The form of a sheet."""

    bend: Bend
    folds: tuple[Fold, ...]
    ripples: tuple[Ripple, ...]

    def heights(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """The heights at points; shapes are broadcast."""
        (nx, ny), bend = self.bend.normal, self.bend
        # Beyond the page the bend goes on straight, so that its slope keeps its bound.
        away = np.abs(nx * x + ny * y) / bend.reach
        inside = np.minimum(away, 1)
        heights: np.ndarray = bend.height * (inside * inside + 2 * (away - inside))
        for ripple in self.ripples:
            fx, fy = ripple.frequency
            heights = heights + ripple.height * np.sin(fx * x + fy * y + ripple.phase)
        for fold in self.folds:
            nx, ny = fold.normal
            rounding = 0.1 * fold.reach
            away = np.hypot(nx * x + ny * y - fold.offset, rounding) - rounding
            heights = heights + fold.height * np.exp(-away / fold.reach)
        return heights

    def steepest(self) -> float:
        """A bound of the slope."""
        return (
            2 * abs(self.bend.height) / self.bend.reach
            + sum(abs(fold.height) / fold.reach for fold in self.folds)
            + sum(math.hypot(*ripple.frequency) * abs(ripple.height) for ripple in self.ripples)
        )

    def times(self, factor: float) -> Sheet:
        """The sheet with all heights multiplied."""
        return Sheet(
            replace(self.bend, height=factor * self.bend.height),
            tuple(replace(fold, height=factor * fold.height) for fold in self.folds),
            tuple(replace(ripple, height=factor * ripple.height) for ripple in self.ripples),
        )


def draw_sheet(between: Draw, size: Vector, conditions: Collection[str]) -> Sheet:
    """A sheet of the conditions ``bend``, ``crease`` and ``wrinkle``; flat without them.

    ``size`` is the page's width and height. A bend is 5 to 12 % of the page's extent high, a crease
    slopes by .1 to .3, ripples by .02 to .06 each (with ``wrinkle``; else a fifth of that).
    """
    short = min(size)

    def sign() -> float:
        return 1.0 if between(0, 1) < 0.5 else -1.0

    across = between(0, 1) < 0.5  # books and held pages bend about their long or short axis
    angle = between(-0.2, 0.2) + (0.0 if across else math.pi / 2)
    normal = math.cos(angle), math.sin(angle)
    reach = (abs(normal[0]) * size[0] + abs(normal[1]) * size[1]) / 2
    share = between(0.05, 0.12) if "bend" in conditions else between(0, 0.01)
    bend = Bend(normal, reach, sign() * share * 2 * reach)
    count = 1 + int(between(0, MOST_CREASES / 2)) if "crease" in conditions else 0
    count += 2 + int(between(0, MOST_CREASES - 2)) if "wrinkle" in conditions else 0
    folds = []
    for _ in range(count):
        turn = between(0, math.pi)
        towards = math.cos(turn), math.sin(turn)
        extent = (abs(towards[0]) * size[0] + abs(towards[1]) * size[1]) / 2
        width = between(0.03, 0.09) * short
        slope = sign() * between(0.1, 0.3)
        folds.append(Fold(towards, between(-0.8, 0.8) * extent, slope * width, width))
    ripples = []
    for _ in range(WAVES):
        length, turn = between(0.25, 0.8) * short, between(0, math.pi)
        per = 2 * math.pi / length
        slope = between(0.02, 0.06) * (1 if "wrinkle" in conditions else 0.2)
        frequency = per * math.cos(turn), per * math.sin(turn)
        ripples.append(Ripple(frequency, between(0, 2 * math.pi), slope / per))
    return Sheet(bend, tuple(folds), tuple(ripples))


@dataclass(frozen=True, slots=True)
class View:
    """A sheet as a camera sees it; ``turn`` is a rotation ``(3, 3)``.

    ``scale`` and ``shift`` fit the projection into the frame, in pixels.
    """

    sheet: Sheet
    turn: np.ndarray
    scale: float
    shift: Vector

    def seen(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where points of the sheet are in the frame, in pixels from its corner."""
        return self._projected(x, y, self.sheet.heights(x, y))

    def source(self, column: np.ndarray, row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The points of the sheet that are seen at places of the frame; shapes are broadcast, the
        dtype stays.

        Beyond the sheet they are points of its plane. A fixed point: the plane's point there, less
        what the height shifts.
        """
        column, row = np.broadcast_arrays(column, row)
        x, y = self._plane_points(column, row)
        for _ in range(ROUNDS):
            raised = self.seen(x, y)
            flat = self._projected(x, y, np.zeros_like(x))
            nearer_x, nearer_y = self._plane_points(
                column - (raised[0] - flat[0]), row - (raised[1] - flat[1])
            )
            step = max(float(np.abs(nearer_x - x).max()), float(np.abs(nearer_y - y).max()))
            x, y = nearer_x, nearer_y
            if step < CLOSE:
                break
        return x, y

    def _projected(
        self, x: np.ndarray, y: np.ndarray, z: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        (a, b, c), (d, e, f), (g, h, k) = self.turn.tolist()
        scale = self.scale * DISTANCE / (DISTANCE - (g * x + h * y + k * z))
        column = scale * (a * x + b * y + c * z) + self.shift[0]
        row = scale * (d * x + e * y + f * z) + self.shift[1]
        return column, row

    def _plane_points(self, column: np.ndarray, row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The points with height 0 that are seen at places of the frame."""
        (a, b, _), (c, d, _), (e, f, _) = self.turn.tolist()
        u = (column - self.shift[0]) / (self.scale * DISTANCE)
        v = (row - self.shift[1]) / (self.scale * DISTANCE)
        # u (D - e x - f y) = a x + b y, and the same for v.
        p, q, r, s = a + u * e, b + u * f, c + v * e, d + v * f
        divisor = p * s - q * r
        x = DISTANCE * (u * s - v * q) / divisor
        y = DISTANCE * (v * p - u * r) / divisor
        return x, y


def place_view(
    sheet: Sheet,
    angles: Sequence[float],
    size: Vector,
    frame: Vector,
    fill: float,
    position: Vector,
) -> View:
    """A view of a sheet that is turned by ``angles`` (roll, pitch, yaw; radians).

    The sheet covers ``fill`` of the frame in the tighter direction; ``at``, in [-1, 1] each, is its
    place in what is left.
    """
    turn = _rotation(*angles)
    tame = min(1.0, STEEPEST / max(1e-9, sheet.steepest() * _shift_of_heights(turn, size)))
    view = View(sheet.times(tame), turn, 1.0, (0.0, 0.0))
    side = np.linspace(-0.5, 0.5, 33)
    half = np.full_like(side, 0.5)
    x = np.concatenate([side, side, -half, half]) * size[0]
    y = np.concatenate([-half, half, side, side]) * size[1]
    column, row = view.seen(x, y)
    width, height = float(np.ptp(column)), float(np.ptp(row))
    scale = fill * min(frame[0] / width, frame[1] / height)
    shift = [
        whole / 2 + place * (whole - scale * extent) / 2 - scale * (low + extent / 2)
        for whole, place, extent, low in zip(
            frame, position, (width, height), (float(column.min()), float(row.min())), strict=True
        )
    ]
    return replace(view, scale=scale, shift=(shift[0], shift[1]))


def _shift_of_heights(turn: np.ndarray, size: Vector) -> float:
    """A bound of how far a point moves on the plane, over its height: the tangent of the angle at
    which the camera sees it."""
    sine = math.hypot(float(turn[2, 0]), float(turn[2, 1]))
    slant = sine / max(0.2, float(turn[2, 2]))
    return slant + math.hypot(*size) / 2 / (DISTANCE - math.hypot(*size) / 2 * sine)


def _rotation(roll: float, pitch: float, yaw: float) -> np.ndarray:
    (cr, sr), (cp, sp), (cy, sy) = ((math.cos(a), math.sin(a)) for a in (roll, pitch, yaw))
    about_z = np.array([[cr, sr, 0], [-sr, cr, 0], [0, 0, 1]])
    about_x = np.array([[1, 0, 0], [0, cp, sp], [0, -sp, cp]])
    about_y = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    turn: np.ndarray = about_z @ about_x @ about_y
    return turn
