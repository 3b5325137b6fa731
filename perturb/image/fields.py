"""Random fields on paper: smooth noise, grain, lines and specks, at 150 dpi.

A field is a uint8 plane ``(h, w)`` that depends on a seed alone: a smaller plane is the corner
of a larger one, and a page at another resolution shows the same field through
:func:`sample_pixels`. All sizes are in pixels at 150 dpi.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np

LARGEST = 2600
"""Sides of the largest sheet: 44 cm. Beyond it a page shows the sheet mirrored."""
MARGIN = 2
"""Lattice points past the edge, so that the edge of a plane is inside the lattice."""
REPEAT = 640
"""Lattice points before they repeat: only noise too fine for this to be seen repeats."""
SOFT = 4
"""How much coarser planes are for cells of at least ``SOFT`` x ``SOFT``."""
FINE = 8
"""Steps between lattice points that the cubic stage computes; the rest is linear."""


class Fields:
    """Planes of one size; each call draws the next stream of the seed."""

    def __init__(self, seed: int | tuple[int, ...], height: int, width: int) -> None:
        self.height, self.width = height, width
        self._seed = (seed,) if isinstance(seed, int) else seed
        self._streams = 0

    def draws(self, rows: int, columns: int, stride: int) -> np.ndarray:
        """Uniform bytes ``(rows, columns)``, the beginning of rows of ``stride`` bytes."""
        self._streams += 1
        stride += -stride % 8
        # The raw stream of a bit generator is what NumPy promises never to change (NEP 19).
        raw = np.random.PCG64([*self._seed, self._streams]).random_raw(rows * stride // 8)
        return raw.astype("<u8", copy=False).view(np.uint8).reshape(rows, stride)[:, :columns]

    def coarser(self, times: int) -> Fields:
        """Fields of a smaller plane, for :meth:`fitted`: quicker where all is soft."""
        self._streams += 1
        size = (-(-self.height // times) + MARGIN, -(-self.width // times) + MARGIN)
        return Fields((*self._seed, self._streams), *size)

    def fitted(self, plane: np.ndarray, times: int) -> np.ndarray:
        """A plane of :meth:`coarser` fields at this size."""
        return _enlarged(plane, times, times, cv2.INTER_LINEAR)[: self.height, : self.width]

    def smooth(self, tall: int, wide: int | None = None, top: int = 255) -> np.ndarray:
        """Smooth noise in [0, top] that changes over ``tall`` rows and ``wide`` columns."""
        wide = tall if wide is None else wide
        lattice = self._lattice(tall, wide, top)
        steps = [cell if cell < FINE else math.gcd(cell, FINE) for cell in (tall, wide)]
        lattice = _enlarged(lattice, steps[0], steps[1], cv2.INTER_CUBIC)
        plane = _enlarged(lattice, tall // steps[0], wide // steps[1], cv2.INTER_LINEAR)
        return plane[: self.height, : self.width]

    def cloud(self, cell: int, top: int, octaves: int = 3) -> np.ndarray:
        """Smooth noise of several cell sizes, each about half the last, summing up to ``top``."""
        share = top / (2 - 2.0 ** (1 - octaves))
        # Soft octaves are added up on a coarse plane and enlarged once.
        coarse, soft, plane = self.coarser(SOFT), None, None
        for _ in range(octaves):
            if cell >= SOFT * SOFT:
                octave = coarse.smooth(_stepped(cell / SOFT), top=round(share))
                soft = octave if soft is None else cv2.add(soft, octave)
            else:
                octave = self.smooth(_stepped(cell), top=round(share))
                plane = octave if plane is None else cv2.add(plane, octave)
            # An odd ratio: the edges of the octaves' cells seldom meet.
            cell, share = max(1, round(cell / 2.3)), share / 2
        if soft is not None:
            soft = self.fitted(soft, SOFT)
            return soft if plane is None else cv2.add(plane, soft)
        assert plane is not None
        return plane

    def grain(self, top: int) -> np.ndarray:
        """White noise in [0, top]."""
        return self.smooth(1, top=top)

    def _lattice(self, tall: int, wide: int, top: int) -> np.ndarray:
        """Uniform in [0, top], a byte for each cell that the plane touches, and a margin."""
        rows, columns = (
            -(-side // cell) + MARGIN for side, cell in ((self.height, tall), (self.width, wide))
        )
        drawn = scaled(self.draws(min(rows, REPEAT), min(columns, REPEAT), REPEAT), top)
        if rows <= REPEAT and columns <= REPEAT:
            return drawn
        more = (rows - drawn.shape[0], columns - drawn.shape[1])
        return cv2.copyMakeBorder(drawn, 0, more[0], 0, more[1], cv2.BORDER_WRAP)

    def offset(self, period: float) -> float:
        """A shift in [0, period), for lines."""
        low, high = self.draws(1, 2, 8)[0] / 256.0
        return period * float(high + low / 256.0)

    def lines(
        self,
        axis: int,
        period: float,
        table: np.ndarray,
        *,
        offset: float = 0.0,
        wander: np.ndarray | None = None,
    ) -> np.ndarray:
        """``table`` (256 bytes) repeated every ``period``, down (0) or across (1) the page.

        ``offset`` shifts the lines, ``wander`` each pixel's by shares of a period of 256.
        """
        side = (self.height, self.width)[axis]
        phase = np.floor((np.arange(side) + 0.5 + offset) * (256 / period))
        phase = phase.astype(np.int64).astype(np.uint8)
        across = phase[:, None] if axis == 0 else phase[None, :]
        if wander is None:
            row = np.broadcast_to(table[across], (self.height, self.width))
            return np.ascontiguousarray(row)
        looked_up: np.ndarray = cv2.LUT(across + wander, table)
        return looked_up


def scaled(plane: np.ndarray, top: int) -> np.ndarray:
    """Bytes scaled from [0, 255] to [0, top]."""
    return cv2.LUT(plane, _table(np.arange(256) * (top / 255)))


def ramp(points: Sequence[tuple[float, float]]) -> np.ndarray:
    """A table of 256 bytes: straight lines between (from, to) points."""
    start, value = zip(*points, strict=True)
    return _table(np.interp(np.arange(256), start, value))


def wave(top: int) -> np.ndarray:
    """A table of one cosine wave in [0, top]."""
    turn = np.arange(256) * (2 * math.pi / 256)
    return _table((1 - np.cos(turn)) * (top / 2))


def stroke(width: float, period: float, top: int, soft: float = 1.0) -> np.ndarray:
    """A table of one line in the middle of a period; its edges take ``soft`` pixels."""
    away = np.abs(np.arange(256) - 127.5) * (period / 256)
    return _table(np.clip((width / 2 - away) / soft + 0.5, 0, 1) * top)


def _table(values: np.ndarray) -> np.ndarray:
    table: np.ndarray = np.rint(values).astype(np.uint8)
    return table


def relief(plane: np.ndarray, step: int, gain: float) -> np.ndarray:
    """A surface lit from the top left: 128 where it is level."""
    moved = np.roll(plane, (step, step), axis=(0, 1))
    moved[:step], moved[:, :step] = plane[:step], plane[:, :step]
    return cv2.addWeighted(plane, gain, moved, -gain, 128)


def sheet_size(shape: Sequence[int], scale: float) -> tuple[int, int]:
    """Height and width of the planes that cover a page at ``scale`` pixels for each of theirs."""
    height, width = (min(LARGEST, math.ceil(side / scale) + 1) for side in shape[:2])
    return height, width


def reduced(plane: np.ndarray, scale: float) -> tuple[np.ndarray, float]:
    """A plane for :func:`sample_pixels`: averaged where pixels are coarser than its own."""
    times = math.floor(1 / scale + 1e-9)
    if times < 2:
        return plane, scale
    rows, columns = (-(-side // times) for side in plane.shape[:2])
    extra = (rows * times - plane.shape[0], columns * times - plane.shape[1])
    plane = cv2.copyMakeBorder(plane, 0, extra[0], 0, extra[1], cv2.BORDER_REPLICATE)
    return cv2.resize(plane, (columns, rows), interpolation=cv2.INTER_AREA), scale * times


def sample_pixels(plane: np.ndarray, scale: float, rows: tuple[int, int], width: int) -> np.ndarray:
    """Rows of a page that shows the plane, mirrored past its edges."""
    first, last = rows
    if scale == 1 and last <= plane.shape[0] and width <= plane.shape[1]:
        return plane[first:last, :width]
    half = 0.5 / scale - 0.5
    matrix = np.array([[1 / scale, 0, half], [0, 1 / scale, first / scale + half]])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    size = (width, last - first)
    shown: np.ndarray = cv2.warpAffine(
        plane, matrix, size, flags=flags, borderMode=cv2.BORDER_REFLECT
    )
    return shown


def _stepped(cell: float) -> int:
    return max(1, round(cell)) if cell < FINE else round(cell / FINE) * FINE


def _enlarged(plane: np.ndarray, down: int, across: int, how: int) -> np.ndarray:
    if down == across == 1:
        return plane
    size = (plane.shape[1] * across, plane.shape[0] * down)
    return cv2.resize(plane, size, interpolation=how)
