"""Whether a page image stands upright, by how its letters line up and by Tesseract's detection."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ohr.documents.osd import detect_orientation
from ohr.errors import EngineError, MissingDependencyError

Turn = Literal[90, 180, 270]
"""Degrees clockwise by which a page was turned."""
FEWEST = 120
"""With fewer letters, no orientation is reported."""
MOST = 6000
"""Largest number of letters to look at."""
CLEAR = 0.12
"""Least difference between the shares of neighbours that agree on one edge and on the other."""
ALONG = 0.7
"""Least share of letters whose nearest neighbour is along the line."""
NEIGHBOURS = 4
"""Number of neighbours that each letter is compared with ..."""
REACH = 2.5
"""... within this distance, in sizes of a letter."""
SURE = 2.0
"""Least confidence of Tesseract's detection that counts as a sign, where it sees Latin script."""
SURE_OF_OTHERS = 10.0
"""The same where it sees another script, or hardly any: the letters then say little. Of pages in
a font that its model does not know (Tamil in FreeSerif, seen as Malayalam, Han, Korean or Latin),
those whose letters agreed with a wrong turn had at most 7.2. Of 69 turned pages in Latin letters,
all but one had more, or a script that is sure."""
LATIN = ("Latin", "Fraktur")
"""Scripts whose letters stand on a line."""
SURE_SCRIPT = 1.0
"""Least confidence of the script; Tamil that was taken for Latin had .6."""
LEVEL = 0.08
"""Edges agree if they are at most this far apart, in sizes of a letter."""
SAYS = {
    90: "lies on its right side, turned clockwise",
    180: "stands on its head",
    270: "lies on its left side, turned counter-clockwise",
}


def turn_of(image: np.ndarray) -> Turn | None:
    """How far a page is turned; None if it is upright or not known.

    ``image``: uint8, ``(h, w)`` grey or ``(h, w, 3)`` RGB. Two signs must agree: how the letters
    line up, and Tesseract's detection. The letters alone are no sign: those of Tamil hang from a
    line, and many pages of Greek and Cyrillic look upside down by them. So they count with a script
    that the detection sees as Latin, else only with a high confidence. Where they differ, a sure
    detection is believed in scripts other than Latin. Without Tesseract nothing is known.
    """
    by_letters = _turn_by_letters(image)
    if by_letters is None:  # most pages: the detection takes half a second
        return None
    try:
        detected = detect_orientation(image)
    except (MissingDependencyError, EngineError):
        return None
    if detected is None:
        return None
    turn = _TURNS[detected.turns]
    is_latin = detected.script in LATIN and detected.script_confidence >= SURE_SCRIPT
    least = SURE if is_latin else SURE_OF_OTHERS
    agree = turn == by_letters and detected.confidence >= least
    return turn if agree or detected.is_sure else None


_TURNS: tuple[Turn | None, ...] = (None, 270, 180, 90)
"""How far a page is turned that so many quarter turns clockwise make upright."""


def _turn_by_letters(image: np.ndarray) -> Turn | None:
    """How far a page is turned by its letters; None if upright or unclear.

    Method: most Latin letters stand on the baseline, and neighbours differ in height, so their
    lower edges agree more often than the upper ones.
    """
    from scipy.spatial import KDTree  # half a second: only where it is needed

    boxes = _letters(image)
    if len(boxes) < FEWEST:
        return None
    centres = (boxes[:, :2] + boxes[:, 2:]) / 2
    distances, rest = KDTree(centres).query(centres, k=NEIGHBOURS + 1)
    apart = np.abs(centres[rest[:, 1]] - centres)
    along = int(apart[:, 0].sum() < apart[:, 1].sum())  # 0: lines run across; 1: down
    if np.mean(apart[:, along] > apart[:, 1 - along]) < ALONG:
        return None
    size = float(np.median(np.max(boxes[:, 2:] - boxes[:, :2], axis=1)))
    apart = np.abs(centres[rest] - centres[:, None])
    paired = (apart[:, :, along] > apart[:, :, 1 - along]) & (distances < REACH * size)
    letter, place = np.nonzero(paired)
    if len(letter) < FEWEST:
        return None
    edges = np.abs(boxes[rest[letter, place]] - boxes[letter]) <= max(1.0, LEVEL * size)
    # For horizontal lines, the upper and lower edges; for vertical lines, left and right.
    first, second = edges[:, 1 - along].mean(), edges[:, 3 - along].mean()
    if abs(first - second) <= CLEAR:
        return None
    if along:
        return 90 if first > second else 270
    return 180 if first > second else None


def _letters(image: np.ndarray) -> np.ndarray:
    """Boxes of marks that have the size of letters: left, top, right, bottom; float ``(n, 4)``."""
    import cv2

    from ohr.documents.grey import grey_of

    grey = grey_of(image)
    _, ink = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY_INV | cv2.THRESH_OTSU)
    if ink.mean() > 127:
        ink = 255 - ink
    _, _, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    left_edge, top, width, height = (stats[1:, position].astype(float) for position in range(4))
    size = np.maximum(width, height)
    seen = (size >= 6) & (np.minimum(width, height) >= 2)
    if not seen.any():
        return np.empty((0, 4))
    usual = float(np.median(size[seen]))
    fits = seen & (size >= 0.5 * usual) & (size <= 2 * usual)
    boxes = np.stack([left_edge, top, left_edge + width, top + height], axis=1)[fits]
    some: np.ndarray = boxes[:: len(boxes) // MOST + 1]
    return some
