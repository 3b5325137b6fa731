"""Does a letter have the accent that the layer says?

An accent is a small part of its letter's picture: ``ă`` and ``ã`` are alike in all the rest, and
code pages have them in one place. So the accent is compared by itself, with those that its letter
may have.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

import cv2
import numpy as np

from ohr.documents.layers.faces import faces_of

SIDE = 24
"""Pixels of the side of an accent's picture."""
SOFT = 1.2
"""Standard deviation, in pixels, of the blur that forgives small differences of faces."""
INK = 70
"""Least darkness, of 255, of ink."""
LOWEST = 0.6
"""An accent is in this upper share of its letter."""
LIKE_OTHER = 0.85
"""An accent is another if it is this much like it, ..."""
CLEARLY = 0.15
"""... and more so than like the claimed one by this much."""
SAME = 0.9
"""Accents that faces draw this much alike cannot be distinguished."""
_RARE = range(0x180, 0x250)
"""Letters of no code page."""
_ABOVE = tuple(chr(0x300 + code) for code in (0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12))


def accent_of(ink: np.ndarray) -> np.ndarray | None:
    """What is drawn above a letter, apart from it, as a vector of length 1; None if nothing is.

    ``ink``: uint8 ``(h, w)``, cropped to what is drawn, 255 full ink.
    """
    dark = ink > INK
    blank = np.flatnonzero(~dark[: int(len(dark) * LOWEST)].any(axis=1))
    if not len(blank) or not dark[: blank[-1]].any():
        return None
    above = dark[: blank[-1]]
    rows, columns = np.flatnonzero(above.any(axis=1)), np.flatnonzero(above.any(axis=0))
    cut = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    scale = (SIDE - 4) / max(cut.shape)
    height, width = (max(1, round(side * scale)) for side in cut.shape)
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    canvas = np.zeros((SIDE, SIDE), np.float32)
    top, left_edge = (SIDE - height) // 2, (SIDE - width) // 2
    canvas[top : top + height, left_edge : left_edge + width] = cv2.resize(
        cut, (width, height), interpolation=method
    )
    soft = cv2.GaussianBlur(canvas, (0, 0), SOFT)
    flat = soft.ravel() - soft.mean()
    vector: np.ndarray = flat / max(float(np.linalg.norm(flat)), 1e-6)
    return vector


def other_accent(seen: np.ndarray, text: str) -> tuple[str, float, float] | None:
    """The letter whose accent is seen in place of the claimed letter's, if another one is.

    Returned with the likeness of the accents: with the other letter's, and with the claimed.
    """
    claim = _likeness(seen, text) if others_of(text) else None
    if claim is None:
        return None
    values = {other: _likeness(seen, other) for other in others_of(text)}
    alike = {other: value for other, value in values.items() if value is not None}
    if not alike:
        return None
    other = max(alike, key=lambda name: alike[name])
    if alike[other] < LIKE_OTHER or alike[other] < claim + CLEARLY:
        return None
    return other, alike[other], claim


@lru_cache(maxsize=1 << 12)
def accents_differ(first: str, second: str) -> bool:
    """Whether two characters are one letter with accents that can be distinguished by eye."""
    if second not in others_of(first):
        return False
    mine, yours = _drawn(first), _drawn(second)
    return bool(len(mine) and len(yours) and mine[0] @ yours[0] < SAME)


@lru_cache(maxsize=1 << 12)
def others_of(text: str) -> tuple[str, ...]:
    """The characters that differ from a letter with one accent above in the accent alone."""
    if len(text) != 1:
        return ()
    decomposed = unicodedata.normalize("NFD", text)
    base, marks = decomposed[0], decomposed[1:]
    if len(marks) != 1 or not base.isalpha() or marks not in _ABOVE:
        return ()
    composed = {unicodedata.normalize("NFC", base + mark) for mark in _ABOVE}
    usual = {other for other in composed if len(other) == 1 and ord(other) not in _RARE}
    return tuple(sorted(usual - {text}))


def _likeness(seen: np.ndarray, text: str) -> float | None:
    drawn = _drawn(text)
    return float((drawn @ seen).max()) if len(drawn) else None


@lru_cache(maxsize=1 << 12)
def _drawn(text: str) -> np.ndarray:
    """The accent of a letter in the reference faces: float ``(n, SIDE * SIDE)``."""
    pictures = [face.draw(text) for face in faces_of(text)]
    vectors = [accent_of(picture[0]) for picture in pictures if picture is not None]
    return np.array([vector for vector in vectors if vector is not None]).reshape(-1, SIDE * SIDE)
