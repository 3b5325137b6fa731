"""Text boxes into reading order: columns by recursive cuts, then lines.

A recursive XY-cut (Nagy and Seth, 1984) that looks for gutters first: the white strip between two
columns of running text. What crosses a gutter (a headline, a figure, a table) ends it, so a region
falls into what stands above the gutter, left of it, right of it and below, and each part is cut
again. A table is not cut: on one side of its gutters stand numbers, or cells too short for text.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

SHARE = 0.5
"""Two boxes stand on one line if they share this much of the height of the lower one."""
TALL = 3.0
"""A box so many times as tall as the median (a vertical stamp) is a line of its own."""
GUTTER = 0.5
"""Least width of a gutter, in heights of a line."""
LONG = 10.0
"""A line of a column is at least so many times as wide as it is high."""
LETTERS = 20
"""A line of a column has at least so many letters; numbers and signs have none."""
FULL = 0.75
"""A full line is at least this much of the width of the column."""
FULL_LINES = 3
"""Fewest full lines on each side of a gutter."""


@dataclass(frozen=True)
class _Boxes:
    """Boxes on the page set straight: n floats each."""

    left: np.ndarray
    top: np.ndarray
    right: np.ndarray
    bottom: np.ndarray
    height: np.ndarray
    long: np.ndarray
    """Whether the box holds a line of running text, as a column has them."""


def page_text(boxes: np.ndarray, texts: Sequence[str]) -> str:
    """The text of a page: a space between boxes of a line, a line break between lines.

    ``boxes``: ``(n, 4, 2)`` corners in pixels, from top left clockwise; ``texts``: n strings.
    """
    return "\n".join(
        " ".join(texts[box] for box in line)
        for part in reading_order(boxes, texts)
        for line in part
    )


def reading_order(boxes: np.ndarray, texts: Sequence[str]) -> list[list[list[int]]]:
    """Indices of the boxes as parts of the page, each a list of lines, each from left to right.

    ``boxes``: ``(n, 4, 2)`` corners in pixels, from top left clockwise. Follows the page's skew.
    """
    if len(boxes) == 0:
        return []
    page = _set_straight(boxes, texts)
    unit = max(float(np.median(page.height)), 1e-6)
    return [_lines(page, part) for part in _cut(page, np.arange(len(boxes)), unit)]


def slope_of(boxes: np.ndarray) -> float:
    """The page's skew: pixels that its lines fall a pixel to the right. ``boxes`` as above."""
    x, y = boxes[:, :, 0].astype(float), boxes[:, :, 1].astype(float)
    run, rise = x[:, 1] - x[:, 0], y[:, 1] - y[:, 0]
    # Only a box much wider than tall tells the slope of its line.
    wide = run > 2 * (y.max(axis=1) - y.min(axis=1))
    return float(np.median(rise[wide] / run[wide])) if wide.any() else 0.0


def _set_straight(boxes: np.ndarray, texts: Sequence[str]) -> _Boxes:
    x, y = boxes[:, :, 0].astype(float), boxes[:, :, 1].astype(float)
    slope = slope_of(boxes)
    x, y = x + slope * y, y - slope * x
    left, top, right, bottom = x.min(axis=1), y.min(axis=1), x.max(axis=1), y.max(axis=1)
    letters = np.array([_letters(text) for text in texts])
    long = (letters >= LETTERS) & (right - left >= LONG * (bottom - top))
    return _Boxes(left, top, right, bottom, bottom - top, long)


def _letters(text: str) -> int:
    """Letters of a text; one of full width counts as two."""
    return sum(1 + (unicodedata.east_asian_width(char) in "WF") for char in text if char.isalpha())


def _cut(page: _Boxes, part: np.ndarray, unit: float) -> list[np.ndarray]:
    """The part as it is, or cut at its best gutter, and so on."""
    gutter = _best_gutter(page, part, unit)
    if gutter is None:
        return [part] if len(part) else []
    x, top, bottom = gutter
    middle = (page.top[part] + page.bottom[part]) / 2
    above, below = part[middle <= top], part[middle >= bottom]
    between = part[(middle > top) & (middle < bottom)]
    on_left = (page.left[between] + page.right[between]) / 2 < x
    return [
        piece
        for half in (above, between[on_left], between[~on_left], below)
        for piece in _cut(page, half, unit)
    ]


def _best_gutter(page: _Boxes, part: np.ndarray, unit: float) -> tuple[float, float, float] | None:
    """Place, top and bottom of the gutter with most text beside it; None without columns."""
    left, right = page.left[part], page.right[part]
    middle = (page.top[part] + page.bottom[part]) / 2
    long = page.long[part]
    if long.sum() < 2 * FULL_LINES:
        return None
    half = GUTTER * unit / 2
    by_area: dict[float, tuple[float, float, float]] = {}
    for x in np.unique(np.ceil(right)) + half:  # a gutter begins where some box ends
        on_left, on_right = right <= x - half, left >= x + half
        stops = np.concatenate([[-np.inf], np.sort(middle[~(on_left | on_right)]), [np.inf]])
        for top, bottom in pairwise(stops):
            beside = (middle > top) & (middle < bottom)
            fewest = min((beside & long & on_left).sum(), (beside & long & on_right).sum())
            if fewest >= FULL_LINES:
                area = float(np.sum((right - left)[beside & (on_left | on_right)]))
                by_area.setdefault(area, (float(x), float(top), float(bottom)))
    for _, (x, top, bottom) in sorted(by_area.items(), reverse=True):
        beside = (middle > top) & (middle < bottom)
        sides = part[beside & (right <= x)], part[beside & (left >= x)]
        if all(_is_column(page, side, x) for side in sides):
            return x, top, bottom
    return None


def _is_column(page: _Boxes, side: np.ndarray, x: float) -> bool:
    """Whether the boxes of one side that adjoin the gutter at ``x`` hold running text."""
    nearer = np.abs(page.right[side] - x) if page.right[side[0]] <= x else page.left[side] - x
    top, bottom = page.top[side], page.bottom[side]
    middle = (top + bottom) / 2
    beside = (middle[:, None] > top) & (middle[:, None] < bottom)
    nearest = side[~(beside & (nearer[:, None] > nearer)).any(axis=1)]
    widths = page.right[nearest] - page.left[nearest]
    long = page.long[nearest]
    if long.sum() < FULL_LINES:
        return False
    full = long & (widths >= FULL * np.quantile(widths[long], 0.9))
    return int(full.sum()) >= FULL_LINES


def _lines(page: _Boxes, part: np.ndarray) -> list[list[int]]:
    """Boxes of one column, or of a table, line by line."""
    left, right, top, bottom, height = page.left, page.right, page.top, page.bottom, page.height
    tall = height > TALL * np.median(height)
    lines: list[list[int]] = []
    for box in part[np.argsort(left[part], kind="stable")]:
        best, most = None, SHARE
        for line in lines:
            last = line[-1]
            lower = max(min(height[box], height[last]), 1e-6)
            shared = (min(bottom[box], bottom[last]) - max(top[box], top[last])) / lower
            follows = left[box] >= right[last] - SHARE * lower
            if follows and shared >= most and not (tall[box] or tall[last]):
                best, most = line, shared
        if best is None:
            lines.append([int(box)])
        else:
            best.append(int(box))
    centre = (top + bottom) / 2
    return sorted(lines, key=lambda line: float(np.mean(centre[line])))
