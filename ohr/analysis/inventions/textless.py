"""Draws pages without text: whatever an engine writes of them is invented."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import cv2
import numpy as np

PAPER = 246.0
"""Grey of scanned paper."""
_GRAIN = 1.5


def blank(shape: tuple[int, int], rng: np.random.Generator, page: np.ndarray) -> np.ndarray:
    """Empty paper, with the grain of a scanner."""
    return _finish(_paper(shape, rng))


def specks(shape: tuple[int, int], rng: np.random.Generator, page: np.ndarray) -> np.ndarray:
    """Empty paper with dust: dots of one to four pixels, and a few hairs."""
    result = _paper(shape, rng)
    height, width = shape
    for _ in range(int(rng.integers(150, 400))):
        centre = (int(rng.integers(width)), int(rng.integers(height)))
        cv2.circle(result, centre, int(rng.integers(0, 3)), float(rng.uniform(40, 170)), -1)
    for _ in range(int(rng.integers(3, 8))):
        start = np.array([rng.integers(width), rng.integers(height)], float)
        steps = rng.normal(0, 5, (int(rng.integers(6, 14)), 2)) + rng.normal(0, 5, 2)
        hair = (start + np.cumsum(steps, axis=0)).astype(np.int32)
        cv2.polylines(result, [hair], isClosed=False, color=110.0, lineType=cv2.LINE_AA)
    return _finish(result)


def bleed_through(shape: tuple[int, int], rng: np.random.Generator, page: np.ndarray) -> np.ndarray:
    """Empty paper through which the text of its other side shows: mirrored, faint and blurred.

    The marks are letters, but of another page: the front of this one says nothing.
    """
    other = cv2.resize(page, shape[::-1], interpolation=cv2.INTER_AREA)[:, ::-1]
    faint = float(rng.uniform(0.15, 0.35))
    ink = cv2.GaussianBlur(255.0 - other.astype(np.float32), (0, 0), float(rng.uniform(0.7, 1.3)))
    return _finish(_paper(shape, rng) - faint * ink)


def black(shape: tuple[int, int], rng: np.random.Generator, page: np.ndarray) -> np.ndarray:
    """A black page, as of a scanner with an open lid."""
    return _finish(rng.normal(12, 4, shape).astype(np.float32))


def scanner_lines(shape: tuple[int, int], rng: np.random.Generator, page: np.ndarray) -> np.ndarray:
    """Empty paper with the lines of a dirty scanner: thin, vertical and horizontal."""
    result = _paper(shape, rng)
    height, width = shape
    for _ in range(int(rng.integers(4, 10))):
        x, wide = int(rng.integers(width)), int(rng.integers(1, 4))
        result[:, x : x + wide] -= float(rng.uniform(40, 180))
    for _ in range(int(rng.integers(1, 4))):
        y = int(rng.integers(height))
        result[y : y + int(rng.integers(1, 3))] -= float(rng.uniform(40, 180))
    return _finish(result)


def photograph(shape: tuple[int, int], rng: np.random.Generator, page: np.ndarray) -> np.ndarray:
    """A drawn landscape without letters, in colour: sky, hills with texture, a few stones."""
    height, width = shape
    ground = np.linspace(0, 1, height, dtype=np.float32)[:, None]
    sky = np.array([150, 185, 225], np.float32) + ground[..., None] * np.array([70, 45, 15])
    result = sky + 25 * _field(shape, rng, 5)[..., None]
    across = np.arange(width)
    for layer in range(4):
        ridge = height * (0.3 + 0.15 * layer) + height * 0.08 * _curve(width, rng)
        below = np.arange(height)[:, None] > ridge[across][None, :]
        colour = np.array([70, 105, 60], np.float32) * (0.75 + 0.15 * layer)
        texture = colour + 40 * _field(shape, rng, 7)[..., None]
        result = np.where(below[..., None], texture, result)
    for _ in range(int(rng.integers(4, 9))):
        centre = (int(rng.integers(width)), int(rng.integers(int(0.7 * height), height)))
        axes = (int(width * rng.uniform(0.02, 0.08)), int(width * rng.uniform(0.01, 0.04)))
        shade = float(rng.uniform(70, 150))
        cv2.ellipse(result, centre, axes, 0, 0, 360, (shade, shade * 0.97, shade * 0.9), -1)
    soft = cv2.GaussianBlur(result, (0, 0), 1.2) + rng.normal(0, 3, (*shape, 1))
    return _finish(soft)


Drawer = Callable[[tuple[int, int], np.random.Generator, np.ndarray], np.ndarray]
KINDS: Mapping[str, Drawer] = {
    "blank": blank,
    "specks": specks,
    "bleed_through": bleed_through,
    "black": black,
    "scanner_lines": scanner_lines,
    "photograph": photograph,
}
"""Kinds of pages without text. Each gets height and width, a generator, and a grey page uint8
``(h, w)`` for what shows through; it returns uint8, grey or RGB."""


def _paper(shape: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    return np.asarray(PAPER + rng.normal(0, _GRAIN, shape), np.float32)


def _field(shape: tuple[int, int], rng: np.random.Generator, octaves: int) -> np.ndarray:
    """A smooth random field, about normal: noise of several scales, the coarse ones stronger."""
    result = np.zeros(shape, np.float32)
    for octave in range(octaves):
        cells = 3 * 2**octave
        small = rng.normal(0, 0.6**octave, (cells, cells)).astype(np.float32)
        result += cv2.resize(small, shape[::-1], interpolation=cv2.INTER_CUBIC)
    return result


def _curve(width: int, rng: np.random.Generator) -> np.ndarray:
    """The line of a ridge, about from -1 to 1, at each of ``width`` places."""
    places = np.linspace(0, 2 * np.pi, width)
    waves = [np.sin(k * places + rng.uniform(0, 6.3)) / k for k in (1, 2, 5, 11)]
    return np.asarray(np.sum(waves, axis=0) / 1.5)


def _finish(pixels: np.ndarray) -> np.ndarray:
    return np.asarray(np.clip(np.rint(pixels), 0, 255), np.uint8)
