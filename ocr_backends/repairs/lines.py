"""Lines of letters on a page image: where they are, and how they slope.

Letters are marks of about one size. They differ in shape and follow one another along a line.
Strokes, borders, hatching, ticks and the markers of charts do not: they are long, or all the same.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

SEARCHED = 1600
"""Longer side in pixels of the picture in which lines are searched: letters of 6 points on A4 are
still 9 pixels high."""
NARROWEST = 12
"""Least shorter side of that picture."""
INK = 40
"""Grey values by which a mark differs from the ground around it."""
GROUND = 41
"""Side of the window whose median is the ground, in pixels of the halved picture: much wider than
the strokes of letters."""
LETTER = (5, 80)
"""Least and largest height of a letter in pixels of the searched picture."""
WIDEST = 12
"""Widest mark, in its heights: joined scripts write a word in one stroke."""
THINNEST = 0.12
"""Least share of its box that a letter fills: a diagonal stroke fills less."""
STEEPEST = 0.32
"""Largest slope of a line, about 18 degrees."""
REACH = 2.5
"""Farthest gap to the next mark of a line, in heights of a letter."""
SPAN = 3
"""Least length of a line, in heights of a letter."""
FEWEST = 4
"""Least number of marks in a line."""
LONGEST_FIT = 0.2
"""Largest median distance of a line's marks from the line, in heights of a letter."""
VARIED = 0.04
"""Least variation of the widths or heights in a line of letters. The marks of a dashed rule, of
ticks and of hatching vary by less than .02."""


@dataclass(frozen=True)
class Line:
    """A line of letters: its slope (downward to the right positive), the boxes of its marks,
    ``(n, 4)`` of left, top, right, bottom in pixels of the page, and whether they are lighter than
    the ground.
    """

    slope: float
    boxes: np.ndarray
    is_light: bool

    @property
    def length(self) -> float:
        """From its first mark to its last, in pixels."""
        return float(self.boxes[:, 2].max() - self.boxes[:, 0].min())


def grey_of(image: np.ndarray) -> np.ndarray:
    """A grey or RGB page as grey."""
    return image if image.ndim == 2 else cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)


def is_dark(image: np.ndarray) -> bool:
    """Whether a page is light ink on a dark ground: most of it is dark, most letters are light.

    A photograph in poor light is dark too, but its letters are darker.
    """
    grey = grey_of(image)
    if float(np.median(grey[:: grey.shape[0] // 400 + 1, :: grey.shape[1] // 400 + 1])) >= 128:
        return False
    lines = letter_lines(grey)
    light = sum(len(line.boxes) for line in lines if line.is_light)
    return 2 * light > sum(len(line.boxes) for line in lines)


def whiten(image: np.ndarray) -> np.ndarray:
    """The page with dark ink on a light ground: a dark page inverted, another as it is."""
    return cv2.bitwise_not(image) if is_dark(image) else image


def letter_lines(image: np.ndarray) -> list[Line]:
    """The lines of letters that run across a page within 18 degrees of level.

    ``image`` is uint8, ``(h, w)`` grey or ``(h, w, 3)`` RGB. Letters may be darker or lighter than
    the ground around them, so panels of both kinds are seen.
    """
    grey = grey_of(image)
    scale = min(1.0, SEARCHED / max(grey.shape))
    if min(grey.shape) * scale < NARROWEST:
        return []
    small = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    ground = _ground(small)
    lines = []
    inks = (cv2.subtract(ground, small), cv2.subtract(small, ground))
    for is_light, ink in zip((False, True), inks, strict=True):
        boxes = _letters((ink > INK).astype(np.uint8))
        for members in _chains(boxes):
            slope = _slope(boxes[members])
            if slope is not None:
                lines.append(Line(slope, boxes[members] / scale, is_light))
    return lines


def _ground(small: np.ndarray) -> np.ndarray:
    half = cv2.resize(small, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    side = min(GROUND, 2 * (min(half.shape) // 2) - 1)
    return cv2.resize(cv2.medianBlur(half, side), small.shape[::-1])


def _letters(ink: np.ndarray) -> np.ndarray:
    """Boxes of marks that may be letters: left, top, right, bottom, float ``(n, 4)``."""
    _, _, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    left_edge, top, width, height, area = (stats[1:, place].astype(float) for place in range(5))
    fits = (height >= LETTER[0]) & (height <= LETTER[1]) & (width >= 2)
    fits &= (width <= WIDEST * height) & (height <= WIDEST * width)
    fits &= area >= THINNEST * width * height
    boxes: np.ndarray = np.stack([left_edge, top, left_edge + width, top + height], axis=1)[fits]
    return boxes


def _chains(boxes: np.ndarray) -> list[list[int]]:
    """Marks that follow one another from left to right: each is the nearest to the right of the
    one before, and the other way round."""
    order = np.argsort(boxes[:, 0], kind="stable")
    heights = boxes[:, 3] - boxes[:, 1]
    middles = (boxes[:, :2] + boxes[:, 2:]) / 2
    lefts = boxes[order, 0]
    best: dict[int, tuple[float, int]] = {}
    for place, mark in enumerate(order):
        reach = REACH * heights[mark]
        end = int(np.searchsorted(lefts, boxes[mark, 2] + reach, "right"))
        rest = order[place + 1 : end]
        rest = rest[middles[rest, 0] > boxes[mark, 2] - 0.3 * heights[mark]]
        if not len(rest):
            continue
        across = np.abs(middles[rest, 1] - middles[mark, 1])
        along = middles[rest, 0] - middles[mark, 0]
        size = np.maximum(heights[rest], heights[mark])
        ratio = size / np.minimum(heights[rest], heights[mark])
        fits = (ratio <= 2.5) & (across <= 0.5 * size + STEEPEST * along)
        if not fits.any():
            continue
        gaps = np.maximum(boxes[rest, 0] - boxes[mark, 2], 0) + 2 * across
        gaps[~fits] = np.inf
        nearest = int(np.argmin(gaps))
        after, gap = int(rest[nearest]), float(gaps[nearest])
        if after not in best or gap < best[after][0]:
            best[after] = gap, int(mark)
    following = {before: after for after, (_, before) in best.items()}
    chains = []
    for start in map(int, order):
        if start in best or start not in following:
            continue
        chain = [start]
        while chain[-1] in following:
            chain.append(following[chain[-1]])
        if len(chain) >= FEWEST:
            chains.append(chain)
    return chains


def _slope(boxes: np.ndarray) -> float | None:
    """The slope of the line through marks; None if they are no letters or follow no line."""
    heights, widths = boxes[:, 3] - boxes[:, 1], boxes[:, 2] - boxes[:, 0]
    variation = max(_variation(each) for each in (heights, widths))
    size = float(np.median(heights))
    x = (boxes[:, 0] + boxes[:, 2]) / 2
    if variation < VARIED or np.ptp(x) < SPAN * size:
        return None
    # Lower edges lie on the baseline but for a few descenders, upper edges hang from the line of
    # many Indian scripts: the edge that fits better is taken.
    fits = []
    for edge in (boxes[:, 3], boxes[:, 1], (boxes[:, 1] + boxes[:, 3]) / 2):
        slope, start = _line_through(x, edge)
        fits.append((float(np.median(np.abs(edge - slope * x - start))), slope))
    off, slope = min(fits)
    if off > LONGEST_FIT * size or abs(slope) > STEEPEST:
        return None
    return slope


def _variation(sizes: np.ndarray) -> float:
    """How much the sizes of most marks vary, over their mean. Equal marks differ by a pixel when
    they are drawn, and a few are joined or cut.
    """
    low, high = np.percentile(sizes, (10, 90))
    return float((high - low) / 2 - 0.5) / float(np.mean(sizes))


def _line_through(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Slope and start of the line that most points are near to: least squares, three times, each
    time without the points that are far off."""
    inliers = np.ones(len(x), bool)
    slope = start = 0.0
    for _ in range(3):
        slope, start = np.polyfit(x[inliers], y[inliers], 1)
        off = np.abs(y - slope * x - start)
        near = off <= max(1.0, 1.5 * float(np.median(off)))
        if near.sum() < max(3, len(x) // 3) or np.ptp(x[near]) < 0.5 * np.ptp(x):
            break
        inliers = near
    return float(slope), float(start)
