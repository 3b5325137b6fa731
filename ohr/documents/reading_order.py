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
"""A box this many times as tall as the median (a vertical stamp) is a line of its own."""
DOWN = 1.5
"""A box this many times as tall as wide, with several characters, is a column that runs down."""
GUTTER = 0.5
"""Least width of a gutter, in heights of a line."""
LONG = 10.0
"""A line of a column is at least this many times as wide as it is high."""
LETTERS = 20
"""A line of a column has at least this many letters; numbers and signs have none."""
NARROW = 0.5
"""A line of a narrow column has at least this share of either."""
FULL = 0.75
"""A full line is at least this much of the width of the column."""
FULL_LINES = 3
"""Fewest full lines on each side of a gutter."""
FEW_LINES = 2
"""... of a short column, where lines go on with the sentence of the line above ..."""
GOING_ON = 0.3
"""... at least this share of them."""
ROWS = 3
"""Fewest rows of a table beside a column, each with a label of its own and a figure."""
LABEL = 4
"""Fewest letters of a label."""


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
    goes_on: np.ndarray
    """Whether it begins within a sentence: with a small letter."""
    figure: np.ndarray
    """Whether it has digits, and no more letters than digits."""
    label: np.ndarray
    """Whether it has letters enough to name a row, and more than digits."""


def page_text(boxes: np.ndarray, texts: Sequence[str]) -> str:
    """The text of a page: a space between boxes of a line, a line break between lines.

    ``boxes``: ``(n, 4, 2)`` corners in pixels, from top left clockwise; ``texts``: n strings. Of a
    page in columns of Chinese or Japanese the lines run down, from right to left.
    """
    if _runs_down(boxes, texts):
        boxes = _turned(boxes)
    return "\n".join(
        " ".join(texts[box] for box in line)
        for part in reading_order(boxes, texts)
        for line in part
    )


def reading_order(
    boxes: np.ndarray,
    texts: Sequence[str],
    *,
    beside_tables: bool = False,
    narrow: bool = False,
) -> list[list[list[int]]]:
    """Indices of the boxes as parts of the page, each a list of lines, each from left to right.

    ``boxes``: ``(n, 4, 2)`` corners in pixels, from top left clockwise. Follows the page's skew.
    ``beside_tables``: cut short columns too, and columns of text from tables beside them.
    ``narrow``: cut columns half as wide too, among which may be tables with texts in their cells.
    """
    if len(boxes) == 0:
        return []
    page = _set_straight(boxes, texts, NARROW if narrow else 1.0)
    unit = max(float(np.median(page.height)), 1e-6)
    parts = _cut(page, np.arange(len(boxes)), unit, beside_tables)
    return [_lines(page, part) for part in parts]


def _runs_down(boxes: np.ndarray, texts: Sequence[str]) -> bool:
    """Whether most characters stand in boxes of Chinese or Japanese that are taller than wide."""
    if len(boxes) == 0:
        return False
    width, height = np.ptp(boxes[:, :, 0], axis=1), np.ptp(boxes[:, :, 1], axis=1)
    tall = height > DOWN * width
    counts = np.array([len(text.strip()) for text in texts])
    wide = np.array([sum(unicodedata.east_asian_width(char) in "WF" for char in t) for t in texts])
    columns = tall & (counts > 1) & (2 * wide > counts)
    return bool(2 * counts[columns].sum() > counts.sum())


def _turned(boxes: np.ndarray) -> np.ndarray:
    """The corners of boxes, from top left clockwise, on the page turned counter-clockwise."""
    corners = np.roll(boxes, -1, axis=1)  # what was the top right is the top left then
    turned: np.ndarray = np.stack([corners[:, :, 1], -corners[:, :, 0]], axis=2)
    return turned


def slope_of(boxes: np.ndarray) -> float:
    """The page's skew: pixels that its lines fall a pixel to the right. ``boxes`` as above."""
    x, y = boxes[:, :, 0].astype(float), boxes[:, :, 1].astype(float)
    run, rise = x[:, 1] - x[:, 0], y[:, 1] - y[:, 0]
    # Only a box much wider than tall tells the slope of its line.
    wide = run > 2 * (y.max(axis=1) - y.min(axis=1))
    return float(np.median(rise[wide] / run[wide])) if wide.any() else 0.0


def _set_straight(boxes: np.ndarray, texts: Sequence[str], share: float) -> _Boxes:
    x, y = boxes[:, :, 0].astype(float), boxes[:, :, 1].astype(float)
    slope = slope_of(boxes)
    x, y = x + slope * y, y - slope * x
    left_edge, top, right, bottom = x.min(axis=1), y.min(axis=1), x.max(axis=1), y.max(axis=1)
    letters = np.array([_letters(text) for text in texts])
    long = (letters >= share * LETTERS) & (right - left_edge >= share * LONG * (bottom - top))
    goes_on = np.array([text.lstrip()[:1].islower() for text in texts])
    digits = np.array([sum(char.isdigit() for char in text) for text in texts])
    figure = (digits > 0) & (digits >= letters)
    label = (letters >= LABEL) & ~figure
    return _Boxes(left_edge, top, right, bottom, bottom - top, long, goes_on, figure, label)


def _letters(text: str) -> int:
    """Letters of a text; one of full width counts as two."""
    return sum(1 + (unicodedata.east_asian_width(char) in "WF") for char in text if is_letter(char))


def is_letter(character: str) -> bool:
    """Whether a character is a letter, or a vowel sign as the scripts of India have them."""
    if character.isalpha():
        return True
    return unicodedata.category(character)[0] == "M" and unicodedata.combining(character) == 0


def _cut(page: _Boxes, part: np.ndarray, unit: float, beside_tables: bool) -> list[np.ndarray]:
    """The part as it is, or cut at its best gutter, and so on."""
    gutter = _best_gutter(page, part, unit, beside_tables)
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
        for piece in _cut(page, half, unit, beside_tables)
    ]


def _best_gutter(
    page: _Boxes, part: np.ndarray, unit: float, beside_tables: bool
) -> tuple[float, float, float] | None:
    """Place, top and bottom of the gutter with most text beside it; None without columns."""
    left_edge, right = page.left[part], page.right[part]
    middle = (page.top[part] + page.bottom[part]) / 2
    long = page.long[part]
    if long.sum() < (FEW_LINES if beside_tables else 2 * FULL_LINES):
        return None
    half = GUTTER * unit / 2
    by_area: dict[float, tuple[float, float, float]] = {}
    for x in np.unique(np.ceil(right)) + half:  # a gutter begins where some box ends
        on_left, on_right = right <= x - half, left_edge >= x + half
        stops = np.concatenate([[-np.inf], np.sort(middle[~(on_left | on_right)]), [np.inf]])
        for top, bottom in pairwise(stops):
            beside = (middle > top) & (middle < bottom)
            fewest, most = sorted((beside & long & side).sum() for side in (on_left, on_right))
            if fewest >= FULL_LINES or (beside_tables and most >= FEW_LINES):
                area = float(np.sum((right - left_edge)[beside & (on_left | on_right)]))
                by_area.setdefault(area, (float(x), float(top), float(bottom)))
    for _, (x, top, bottom) in sorted(by_area.items(), reverse=True):
        beside = (middle > top) & (middle < bottom)
        sides = part[beside & (right <= x)], part[beside & (left_edge >= x)]
        if not all(map(len, sides)):
            continue
        if all(_is_column(page, side, x) for side in sides):
            return x, top, bottom
        if beside_tables and _are_beside(page, sides, x):
            return x, top, bottom
    return None


def _is_column(page: _Boxes, side: np.ndarray, x: float) -> bool:
    """Whether the boxes of one side that adjoin the gutter at ``x`` hold running text."""
    return _full_lines(page, _adjoining(page, side, x)) >= FULL_LINES


def _adjoining(page: _Boxes, side: np.ndarray, x: float) -> np.ndarray:
    """The boxes of one side with no other between them and the gutter at ``x``."""
    nearer = np.abs(page.right[side] - x) if page.right[side[0]] <= x else page.left[side] - x
    top, bottom = page.top[side], page.bottom[side]
    middle = (top + bottom) / 2
    beside = (middle[:, None] > top) & (middle[:, None] < bottom)
    adjoining: np.ndarray = side[~(beside & (nearer[:, None] > nearer)).any(axis=1)]
    return adjoining


def _full_lines(page: _Boxes, side: np.ndarray) -> int:
    """How many lines of running text are as wide as their column."""
    long = side[page.long[side]]
    if len(long) == 0:
        return 0
    widths = page.right[long] - page.left[long]
    return int((widths >= FULL * np.quantile(widths, 0.9)).sum())


def _are_beside(page: _Boxes, sides: tuple[np.ndarray, np.ndarray], x: float) -> bool:
    """Whether a column of text stands on one side of ``x``, and one or a table on the other."""
    columns = [_is_short_column(page, side, x) for side in sides]
    return all(columns) or (any(columns) and _is_table(page, sides[1] if columns[0] else sides[0]))


def _is_short_column(page: _Boxes, side: np.ndarray, x: float) -> bool:
    """Whether one side is text and nothing else, whose sentences run on from line to line."""
    if len(_adjoining(page, side, x)) < len(side):
        return False
    on = int(page.goes_on[side].sum())
    return _full_lines(page, side) >= FEW_LINES <= on >= GOING_ON * len(side)


def _is_table(page: _Boxes, side: np.ndarray) -> bool:
    """Whether one side has rows of its own: a label with figures to its right."""
    rows = [
        line for line in _lines(page, side) if page.label[line[0]] and page.figure[line[1:]].any()
    ]
    return len(rows) >= ROWS


def _lines(page: _Boxes, part: np.ndarray) -> list[list[int]]:
    """Boxes of one column, or of a table, line by line."""
    left_edge, right, top, bottom, height = (
        page.left,
        page.right,
        page.top,
        page.bottom,
        page.height,
    )
    tall = height > TALL * np.median(height)
    lines: list[list[int]] = []
    for box in part[np.argsort(left_edge[part], kind="stable")]:
        best, most = None, SHARE
        for line in lines:
            last = line[-1]
            lower = max(min(height[box], height[last]), 1e-6)
            shared = (min(bottom[box], bottom[last]) - max(top[box], top[last])) / lower
            follows = left_edge[box] >= right[last] - SHARE * lower
            if follows and shared >= most and not (tall[box] or tall[last]):
                best, most = line, shared
        if best is None:
            lines.append([int(box)])
        else:
            best.append(int(box))
    centre = (top + bottom) / 2
    return sorted(lines, key=lambda line: float(np.mean(centre[line])))
