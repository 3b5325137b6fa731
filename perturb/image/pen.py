"""Pen: what people leave on paper: ticks, rings, handwriting, lines, stamps, holes.
Not in the paper.

Marks are as large as the page's letters ask for: lengths are in heights of its capitals, found on
the page. They lie over the text wherever they come to lie; in the ink of a pen or a stamp, which
darkens what is below it.

At intensity 1, uniform and independent:

===============  ================================================================================
quantity         range
===============  ================================================================================
marks            0 to 5 for each stretch of page as long as it is wide, spread along the page
kind             tick .2, ring .2, handwriting .25, line under or through text .2, stamp .05,
                 hole or blot .1 (shares)
size             tick 1.5 to 4 capitals, ring 4 to 12 wide and 2 to 4 high, handwriting 5 to 16
                 long and 1.2 to 3 high, line 5 to 25, stamp 8 to 16, hole .7 to 2
stroke           .07 to .16 of a capital
ink              black, blue or red; takes .55 to .95 of the light, a stamp .3 to .7
===============  ================================================================================

Shares and sizes are estimates by eye from 48 scanned receipts, of which 20 had marks.
Intensity i shows the share i of the marks. A page has one set of draws, whatever the intensity.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Annotated

import cv2
import numpy as np
from pydantic import Field, StrictInt

from ohr.plugins.perturbation import PageDistortion, PageRecord
from perturb.image.coarse import uniforms
from perturb.image.letters import capital_height, grey_of

MARKS, MOST_MARKS = 5.0, 64
"""For a stretch of page as long as it is wide; on any page."""
DRAWS = 48
"""Draws of a mark."""
STROKES = (0.07, 0.16)
LIGHT, STAMP_LIGHT = (0.55, 0.95), (0.3, 0.7)
INKS = ((0.1, 0.1, 0.12), (0.1, 0.1, 0.12), (0.12, 0.2, 0.65), (0.75, 0.1, 0.15))
"""Red, green and blue over white; black is as frequent as the others together."""
WORDS = ("PAID", "RECEIVED", "COPY", "APPROVED", "CHECKED", "POSTED")
SIDE_HOLES = 0.5
FINE = 16
"""Parts of a pixel in which OpenCV takes places."""

Draw = Callable[[float, float], float]


class PenRecord(PageRecord):
    """The seed of the marks, and pixels for each pixel at 150 dpi."""

    seed: Annotated[StrictInt, Field(ge=0, lt=2**53)]
    scale: Annotated[float, Field(ge=0.2, le=8, strict=True)]


class Pen(PageDistortion[PenRecord]):
    """Writes on the page: ticks, rings, handwriting, lines, stamps, holes."""

    name = "pen"

    def plan(self, head: PageRecord, rng: np.random.Generator) -> PenRecord:
        """Draw the seed."""
        seed = int(rng.integers(2**53))
        return PenRecord(**head.model_dump(), seed=seed, scale=self.params.scale)

    def render(self, page: np.ndarray, record: PenRecord) -> np.ndarray:
        """Find the letters' height and draw the marks that show."""
        capital = capital_height(grey_of(page), record.scale)
        out = page.copy(order="C")
        height, width = page.shape[:2]
        amount = float(uniforms(record.seed, 1)[0]) * MARKS
        count = min(MOST_MARKS, round(amount * height / width))
        rows = uniforms(record.seed + 1, DRAWS * MOST_MARKS).reshape(MOST_MARKS, DRAWS)
        for number, draws in enumerate(rows[:count].tolist()):
            shown, across, down, *others = draws
            if shown < record.intensity:
                place = (across * width, (number + down) / count * height)
                _mark(out, place, capital, iter(others))
        return out


def _mark(
    page: np.ndarray, place: tuple[float, float], capital: float, draws: Iterator[float]
) -> None:
    """Draw one mark about a place, in place."""

    def draw_value(low: float, high: float) -> float:
        return low + (high - low) * next(draws)

    kind, colour = next(draws), INKS[int(next(draws) * len(INKS))]
    stroke, light = capital * draw_value(*STROKES), draw_value(*LIGHT)
    shares = np.cumsum([share for share, _ in KINDS])
    outline = KINDS[int(np.searchsorted(shares, kind * shares[-1], "right"))][1]
    if outline is _stamp:
        light = (light - LIGHT[0]) / (LIGHT[1] - LIGHT[0])
        light = STAMP_LIGHT[0] + light * (STAMP_LIGHT[1] - STAMP_LIGHT[0])
    cover, middle = outline(capital, stroke, draw_value)
    if outline is _hole:
        # Seen through it is what lies behind the sheet; half of the holes are near its sides.
        colour, light = INKS[0], 1.0
        if next(draws) < SIDE_HOLES:
            near = capital * draw_value(1, 3)
            place = (near if place[0] < page.shape[1] / 2 else page.shape[1] - near, place[1])
    _ink(page, cover, (round(place[0]) - middle[0], round(place[1]) - middle[1]), colour, light)


def _ink(
    page: np.ndarray,
    cover: np.ndarray,
    corner: tuple[int, int],
    colour: tuple[float, ...],
    light: float,
) -> None:
    """Darken a part of the page where the ink covers it, in place; what is outside is cut."""
    height, width = page.shape[:2]
    x, y = corner
    first_x, first_y = max(x, 0), max(y, 0)
    end_x, end_y = min(x + cover.shape[1], width), min(y + cover.shape[0], height)
    if first_x >= end_x or first_y >= end_y:
        return
    share = cover[first_y - y : end_y - y, first_x - x : end_x - x].astype(np.float32)
    share *= light / 255
    tints = np.array(colour if page.ndim == 3 else [sum(colour) / 3], dtype=np.float32)
    remaining = 1 - share[..., None] * (1 - tints)
    below = page[first_y:end_y, first_x:end_x]
    below[:] = np.rint(below * (remaining if page.ndim == 3 else remaining[..., 0]))


def _drawn(lines: list[np.ndarray], stroke: float) -> tuple[np.ndarray, tuple[int, int]]:
    """How much strokes along points ``(n, 2)`` cover, uint8, and where the middle is in it."""
    points = np.concatenate(lines)
    margin = math.ceil(stroke) + 2
    low = np.floor(points.min(0)).astype(int) - margin
    size = np.ceil(points.max(0)).astype(int) + margin - low
    cover = np.zeros((size[1], size[0]), np.uint8)
    scaled = [np.rint((line - low) * FINE).astype(np.int32) for line in lines]
    # Strokes of less than a pixel are paler instead.
    cv2.polylines(
        cover,
        scaled,
        isClosed=False,
        color=(255 * min(1.0, stroke),),
        thickness=max(1, round(stroke)),
        lineType=cv2.LINE_AA,
        shift=FINE.bit_length() - 1,
    )
    return cover, (-int(low[0]), -int(low[1]))


Cover = tuple[np.ndarray, tuple[int, int]]


def _tick(capital: float, stroke: float, draw_value: Draw) -> Cover:
    size, lean = capital * draw_value(1.5, 4), draw_value(0.6, 1.1)
    path = np.array([[-0.35, -0.1], [-0.1, 0.35], [0.5 * lean, -0.6]]) * size
    return _drawn([path], 1.3 * stroke)


def _ring(capital: float, stroke: float, draw_value: Draw) -> Cover:
    wide, high = capital * draw_value(4, 12) / 2, capital * draw_value(2, 4) / 2
    start, over, drift = draw_value(0, 2 * math.pi), draw_value(0.95, 1.25), draw_value(-0.2, 0.2)
    turn = start + np.linspace(0, 2 * math.pi * over, 48)
    grown = 1 + drift * np.linspace(0, 1, 48)
    return _drawn(
        [np.stack([wide * np.cos(turn), high * np.sin(turn)], 1) * grown[:, None]], stroke
    )


def _handwriting(capital: float, stroke: float, draw_value: Draw) -> Cover:
    length, high = capital * draw_value(5, 16), capital * draw_value(1.2, 3)
    slope = math.tan(draw_value(-0.2, 0.1))
    letters = max(2, round(length / (0.55 * high)))
    heights = np.interp(
        np.linspace(0, 1, letters * 16),
        np.linspace(0, 1, 16),
        [draw_value(0.3, 1) for _ in range(16)],
    )
    t = np.linspace(0, 2 * math.pi * letters, letters * 16)
    loops, wander = draw_value(0.2, 0.5), draw_value(1.4, 2.6)
    x = t / t[-1] * length + loops * high * 0.5 * np.sin(t + 0.6)
    y = -high / 2 * heights * np.sin(t * wander / 2) * (0.6 + 0.4 * np.cos(t)) + slope * x
    return _drawn([np.stack([x - length / 2, y], 1)], stroke)


def _line(capital: float, stroke: float, draw_value: Draw) -> Cover:
    length, slope, bow = capital * draw_value(5, 25), draw_value(-0.05, 0.05), draw_value(-0.3, 0.3)
    x = np.linspace(-0.5, 0.5, 16)
    return _drawn(
        [np.stack([x * length, slope * x * length + bow * capital * x * x * 4], 1)], stroke
    )


def _stamp(capital: float, stroke: float, draw_value: Draw) -> Cover:
    wide = capital * draw_value(8, 16)
    word = WORDS[int(draw_value(0, len(WORDS)))]
    face, thick = cv2.FONT_HERSHEY_SIMPLEX, max(1, round(1.5 * stroke))
    (own, _), _ = cv2.getTextSize(word, face, 1.0, 1)
    times = 0.8 * wide / own
    high = round(3.2 * 22 * times)
    side = math.ceil(math.hypot(wide, high)) + 4 * thick + 8
    cover = np.zeros((side, side), np.uint8)
    left, top = round((side - wide) / 2), (side - high) // 2
    cv2.rectangle(cover, (left, top), (round(left + wide), top + high), (255,), thick, cv2.LINE_AA)
    origin = (round(left + 0.1 * wide), round(top + 0.66 * high))
    cv2.putText(cover, word, origin, face, times, (255,), thick, cv2.LINE_AA)
    turn = cv2.getRotationMatrix2D((side / 2, side / 2), draw_value(-20, 20), 1)
    stamp = cv2.warpAffine(cover, turn, (side, side), flags=cv2.INTER_LINEAR)
    return stamp, (side // 2, side // 2)


def _hole(capital: float, stroke: float, draw_value: Draw) -> Cover:
    radius = capital * draw_value(0.7, 2) / 2
    side = 2 * math.ceil(radius) + 5
    cover = np.zeros((side, side), np.uint8)
    middle = side // 2
    cv2.circle(
        cover,
        (middle * FINE,) * 2,
        round(radius * FINE),
        (255,),
        -1,
        cv2.LINE_AA,
        FINE.bit_length() - 1,
    )
    return cover, (middle, middle)


KINDS: tuple[tuple[float, Callable[[float, float, Draw], Cover]], ...] = (
    (0.2, _tick),
    (0.2, _ring),
    (0.25, _handwriting),
    (0.2, _line),
    (0.05, _stamp),
    (0.1, _hole),
)
"""The share of each kind of mark, and what draws it."""
