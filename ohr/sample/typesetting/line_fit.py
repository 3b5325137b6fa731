"""Where each transcribed line of a page is drawn, and how large, from the boxes of all of them.

A box is drawn by hand around the ink of a line, with more or less air, and clipped now and then.
Its width says how wide the letters are; its height says only roughly how tall. So the page's own
lines decide: most have letters of one shape (width for height), and near sizes are one size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ohr.errors import DatasetError
from ohr.sample.typesetting.faces import Extent, Face, extent
from ohr.types import Line

_AIR = 0.92  # of a box's height is ink
_TALL, _WIDE = 0.6, 1.8
"""Letters narrower or wider, for their height, than the page's median by these factors are another
print (of double height, of double width), or their box is not tight: then the size changes."""
_NEAR = 1.2  # sizes within this factor are one size
_SAME_PITCH, _ROUGH = 1.05, 0.3
"""Letters whose widths differ by less are of one print, as a typewriter's: 5 %, and what the air
around the line makes, a part of an em."""
_SAME_PRINT = 1.6  # even then, sizes beyond this factor are two: print of double height
_STRETCHED = 1.5, 0.6, 3.0
"""Letters are widened at most so many times their usual width: for a line without length, for each
em of it, and at most. In the box of a letter or two, air is a large part."""
_LONG = 2.4  # em (four letters) from which a line's width tells the letters' width
_TURNED = 3.0  # times a text is too long for its box before it stands upright in it
_GAP = 0.15, 0.1
"""Of the shorter side of a box: what is free beside a line, so that the words of two do not run
together, and how near the next row is at most to crowd it."""
_SOLID = 1.0  # times the distance of crowded rows is the largest type that printers use for them
_LEAST = 0.3  # of a box that overlaps another is left at least, or it stays as it is


@dataclass(frozen=True, slots=True)
class Placed:
    """A line on the page: pixels of the scan, from the top left corner.

    ``x`` and ``y`` are where its baseline begins, ``width`` is how long it becomes, ``size`` is the
    size of the type. A ``turned`` line runs upwards.
    """

    text: str
    family: str
    x: float
    y: float
    width: float
    size: float
    turned: bool


def place_lines(lines: Sequence[Line], size: tuple[int, int], face: Face) -> list[Placed]:
    """Fit the lines of a page of ``size`` (width and height in pixels) into their boxes.

    White space in a line is collapsed; lines without text are left out. Raises DatasetError for a
    box without area on the page, or a character that no font has.
    """
    texts = [" ".join(line.text.split()) for line in lines]
    written = [number for number, text in enumerate(texts) if text]
    if not written:
        return []
    boxes = np.array([_clipped(lines[number], size) for number in written], float)
    extents = [extent(texts[number], face) for number in written]
    turned = np.array(
        [_is_turned(each, box) for each, box in zip(extents, boxes, strict=True)], bool
    )
    boxes, crowded = _apart(boxes)
    widths, heights = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    lengths, thicknesses = np.where(turned, (heights, widths), (widths, heights))
    largest = np.where(crowded & ~turned, thicknesses * _SOLID, np.inf)
    sizes, usual = _sizes(extents, lengths, thicknesses, largest)
    advances = np.array([room.advance for room in extents])
    stretch = np.minimum(_STRETCHED[0] + _STRETCHED[1] * advances, _STRETCHED[2])
    longest = advances * sizes * usual * stretch
    placed: list[Placed] = []
    for number, room, box, is_turned, points, width in zip(
        written,
        extents,
        boxes.tolist(),
        turned.tolist(),
        sizes.tolist(),
        np.minimum(lengths, longest).tolist(),
        strict=True,
    ):
        x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        below = points * (room.band_top + room.band_bottom) / 2  # the baseline, from the middle
        x, y = (x + below, y + width / 2) if is_turned else (x - width / 2, y + below)
        placed.append(Placed(texts[number], room.family, x, y, width, points, is_turned))
    return placed


def _clipped(line: Line, size: tuple[int, int]) -> tuple[int, int, int, int]:
    west, north, east, south = line.box
    box = max(west, 0), max(north, 0), min(east, size[0]), min(south, size[1])
    if box[0] >= box[2] or box[1] >= box[3]:
        raise DatasetError(
            f"the box {line.box} of the line {line.text[:40]!r} has no area on a page of "
            f"{size[0]} x {size[1]} pixels"
        )
    return box


def _is_turned(room: Extent, box: np.ndarray) -> bool:
    """Whether a text fits a box only if it runs upwards."""
    shape = (box[2] - box[0]) / (box[3] - box[1])
    aspect = room.advance / (room.band_top - room.band_bottom)
    too_long = aspect / shape
    return bool(too_long > _TURNED and abs(np.log(aspect * shape)) < np.log(too_long))


def _apart(boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The boxes, each cut back to the middle of what it shares with another, and which are crowded.

    Two boxes are parted along the side on which they overlap by the smaller share. Side by side, a
    gap remains between them; a box is crowded if another is above or below it without a gap. A
    box of which little would be left, such as one inside another, stays as it is.
    """
    parted = boxes.copy()
    crowded = np.zeros(len(boxes), bool)
    sides = boxes[:, 2:] - boxes[:, :2]
    middles = (boxes[:, :2] + boxes[:, 2:]) / 2
    reach = sides.min(axis=1, keepdims=True) * _GAP
    lows, highs = boxes[:, :2] - reach, boxes[:, 2:] + reach
    gaps = reach * (1, 0)
    for number in range(len(boxes)):
        low, high = np.maximum(lows, lows[number]), np.minimum(highs, highs[number])
        shared = high - low
        for other in np.flatnonzero((shared > 0).all(axis=1)).tolist():
            shares = shared[other] / np.minimum(sides[other], sides[number])
            side = 0 if shares[0] < shares[1] else 1
            cut, gap = (low[other, side] + high[other, side]) / 2, gaps[number, side]
            crowded[number] |= side == 1 and other != number
            if middles[number, side] < middles[other, side]:
                parted[number, side + 2] = min(parted[number, side + 2], cut - gap)
            elif middles[number, side] > middles[other, side]:
                parted[number, side] = max(parted[number, side], cut + gap)
    for side in (0, 1):
        small = parted[:, side + 2] - parted[:, side] < _LEAST * sides[:, side]
        parted[small, side], parted[small, side + 2] = boxes[small, side], boxes[small, side + 2]
    return parted, crowded


def _sizes(
    extents: Sequence[Extent], widths: np.ndarray, heights: np.ndarray, largest: np.ndarray
) -> tuple[np.ndarray, float]:
    """The size of the type of each line in pixels, and how wide letters usually are drawn."""
    advances = np.array([room.advance for room in extents])
    bands = np.array([room.band_top - room.band_bottom for room in extents])
    inks = np.array([max(room.top - room.bottom, 0.05) for room in extents])
    tallest = np.minimum(_AIR * heights / inks, largest)
    sizes = np.minimum(_AIR * heights / bands, largest)
    pitches = widths / advances  # the size that the width alone asks for
    is_long = advances >= min(_LONG, advances.max())
    usual = float(np.median((pitches / sizes)[is_long]))
    by_width = pitches / usual
    sizes = np.clip(sizes, np.minimum(tallest, by_width / _WIDE), by_width / _TALL)
    air = np.log(_SAME_PITCH + _ROUGH / advances)
    pooled = sizes.copy()
    for number in range(len(sizes)):
        pitch_apart = np.abs(np.log(pitches / pitches[number]))
        size_apart = np.abs(np.log(sizes / sizes[number]))
        alike = (pitch_apart < np.maximum(air, air[number])) & (size_apart < np.log(_SAME_PRINT))
        alike |= size_apart < np.log(_NEAR)
        pooled[number] = np.median(sizes[alike])
    return np.minimum(pooled, tallest), usual
