"""Covers words of a page, so that no pixel of them remains.

Words are covered in a drawn order of units (single words, runs of a line, whole lines), so that
what a dose of .05 covers, a dose of .1 covers too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import cv2
import numpy as np

from ohr.analysis.inventions.pages import Piece
from ohr.documents.grey import grey_of
from ohr.metrics.word_keys import keyed_words

GREY = 128
_CONTRAST = 30
"""Grey values in a neighbourhood of 3 x 3 pixels that differ by so much belong to ink."""
_LEAST_INK = 0.02
"""A box with less ink shows no word: a text layer can have words that are not drawn."""
_MARGIN, _LEAST_MARGIN = 0.15, 3
"""Margin of a cover, as a share of a word's height, and its least pixels."""
_LETTERS = (20, 3)
"""A mark of letters is at most so many times as wide and as high as a word is high: letters may
touch, but rules and drawings are larger."""
_LONGEST_RUN = 6
_AROUND = (61, 61)
"""Pixels around a place whose paper gives the colour of a cover."""


@dataclass(frozen=True)
class Covered:
    """A page image with covered words, and the mask of what was covered: bool ``(h, w)``.

    ``hidden`` are the indices of the pieces of which nothing remains.
    """

    image: np.ndarray
    mask: np.ndarray
    hidden: tuple[int, ...]


class Covering:
    """Covers words of one page, in ``white``, ``grey`` or the paper's ``texture``.

    ``image`` is uint8, ``(h, w)`` or ``(h, w, 3)``. What ``rng`` draws does not depend on a dose.
    """

    def __init__(
        self, image: np.ndarray, pieces: Sequence[Piece], kind: str, rng: np.random.Generator
    ) -> None:
        self._image, self._pieces = image, pieces
        ink = ink_of(image)
        self._marks = Marks(ink)
        self._units = hiding_order(pieces, ink, rng)
        self._words = [len(keyed_words(piece.text)) for piece in pieces]
        noise = paper_noise(image, ink, rng)
        if kind == "texture":
            self._fill = _paper(image, ink, noise)
        else:
            self._fill = np.full_like(image, 255 if kind == "white" else GREY)

    def cover(self, dose: float) -> Covered:
        """The page with at least a share ``dose`` of its words covered, in (0, 1]."""
        units = units_of_dose(self._units, self._words, dose)
        mask = cover_mask(self._marks, self._pieces, units)
        result = self._image.copy()
        result[mask] = self._fill[mask]
        return Covered(result, mask, tuple(sorted(index for unit in units for index in unit)))


class Marks:
    """The connected marks of a page's ink, a bool ``(h, w)``."""

    def __init__(self, ink: np.ndarray) -> None:
        marks = cv2.connectedComponentsWithStats(ink.astype(np.uint8), connectivity=8)
        self.shape = ink.shape
        self._labels, self._stats = np.asarray(marks[1]), np.asarray(marks[2])

    def belonging(self, hidden: np.ndarray, visible: np.ndarray, height: float) -> np.ndarray:
        """The marks that belong to hidden words: bool ``(h, w)``, like the boxes of both.

        A mark belongs to the words with more of it in their boxes, whether the boxes hold all of a
        letter or not. A mark of more than some letters' size, such as a rule or a drawing, must be
        inside by more than half. ``height`` is that of a word.
        """
        in_hidden, in_visible = (
            np.bincount(self._labels[area], minlength=len(self._stats))
            for area in (hidden, visible)
        )
        sides = self._stats[:, [cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT]]
        is_letter = (sides <= np.array(_LETTERS) * height).all(axis=1)
        most = 2 * in_hidden > self._stats[:, cv2.CC_STAT_AREA]
        whole = most | (is_letter & (in_hidden > in_visible))
        whole[0] = False  # the background
        return np.asarray(whole[self._labels])


def ink_of(image: np.ndarray) -> np.ndarray:
    """Where ink is, dark on light or light on dark, with a pixel around it: bool ``(h, w)``."""
    grey = grey_of(image)
    kernel = np.ones((3, 3), np.uint8)
    gradient = cv2.morphologyEx(grey, cv2.MORPH_GRADIENT, kernel)
    return np.asarray(gradient > _CONTRAST)


def hiding_order(
    pieces: Sequence[Piece], ink: np.ndarray, rng: np.random.Generator
) -> list[tuple[int, ...]]:
    """Units of pieces in the order in which they are covered: together all pieces that have ink.

    Of the lines, about a third are units, a third are cut into runs of two to six pieces, and a
    third into single pieces.
    """
    units: list[tuple[int, ...]] = []
    visible = [i for i, piece in enumerate(pieces) if _has_ink(piece, ink)]
    for _, group in groupby(visible, key=lambda index: pieces[index].line):
        members = list(group)
        kind, starts = rng.integers(3), rng.integers(2, _LONGEST_RUN + 1, len(members))
        if kind == 0:
            units.append(tuple(members))
        elif kind == 1:
            units += _runs(members, starts)
        else:
            units += [(index,) for index in members]
    return [units[place] for place in rng.permutation(len(units))]


def _runs(members: Sequence[int], lengths: np.ndarray) -> Iterator[tuple[int, ...]]:
    start = 0
    for length in lengths:
        if run := tuple(members[start : start + length]):
            yield run
        start += length


def units_of_dose(
    units: Sequence[tuple[int, ...]], words: Sequence[int], dose: float
) -> list[tuple[int, ...]]:
    """The first units that together have at least the share ``dose`` of the page's words.

    ``words`` is the number of words of each piece.
    """
    total = sum(words)
    chosen: list[tuple[int, ...]] = []
    count = 0
    for unit in units:
        if count >= dose * total:
            break
        chosen.append(unit)
        count += sum(words[index] for index in unit)
    return chosen


def cover_mask(
    marks: Marks, pieces: Sequence[Piece], units: Sequence[tuple[int, ...]]
) -> np.ndarray:
    """What has to be covered to hide some units: their boxes with a margin, and whole letters.

    Letters are covered as a whole, since an edge that cuts a line leaves readable halves of
    letters. Bool ``(h, w)``.
    """
    boxes, visible, mask = (np.zeros(marks.shape, bool) for _ in range(3))
    hidden = {index for unit in units for index in unit}
    for index, piece in enumerate(pieces):
        _fill(boxes if index in hidden else visible, piece.box, 0)
    for unit in units:
        edges = np.array([pieces[index].box for index in unit])
        hull = (edges[:, 0].min(), edges[:, 1].min(), edges[:, 2].max(), edges[:, 3].max())
        heights = edges[:, 3] - edges[:, 1]
        _fill(mask, hull, max(_LEAST_MARGIN, round(_MARGIN * float(np.median(heights)))))
    height = float(np.median([piece.box[3] - piece.box[1] for piece in pieces]))
    letters = marks.belonging(boxes, visible, height).astype(np.uint8)
    return np.asarray(mask | (cv2.dilate(letters, np.ones((5, 5), np.uint8)) > 0))


def paper_noise(image: np.ndarray, ink: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """How the page's background differs from its mean: float32 of the image's shape.

    Differences of pixels without ink, drawn for every pixel at once, so that a larger cover has
    the pixels of a smaller one.
    """
    flat = cv2.dilate(ink.astype(np.uint8), np.ones((7, 7), np.uint8)) == 0
    if not flat.any():
        return np.zeros(image.shape, np.float32)
    smooth = np.asarray(cv2.blur(image, (9, 9)))
    residuals = image[flat].astype(np.float32) - smooth[flat].astype(np.float32)
    places = rng.integers(len(residuals), size=image.shape[:2])
    return np.asarray(residuals[places])


def _paper(image: np.ndarray, ink: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """The page as if there were only paper: the colour around, and the texture of the paper."""
    free = cv2.dilate(ink.astype(np.uint8), np.ones((5, 5), np.uint8)) == 0
    weights = free.astype(np.float32)
    known_share = np.asarray(cv2.blur(weights, _AROUND))
    if image.ndim == 3:
        weights, known_share = weights[..., None], known_share[..., None]
    sums = np.asarray(cv2.blur(image * weights, _AROUND)).reshape(image.shape)
    everywhere = np.median(image[free] if free.any() else image[~free], axis=0)
    colour = np.where(known_share > 0.01, sums / np.maximum(known_share, 1e-6), everywhere)
    return np.asarray(np.clip(np.rint(colour + noise), 0, 255), np.uint8)


def _has_ink(piece: Piece, ink: np.ndarray) -> bool:
    left, top, right, bottom = _edges(ink.shape, piece.box, 0)
    inside = ink[top:bottom, left:right]
    return inside.size > 0 and float(inside.mean()) >= _LEAST_INK


def _fill(mask: np.ndarray, box: Sequence[float], margin: int) -> None:
    left, top, right, bottom = _edges(mask.shape, box, margin)
    mask[top:bottom, left:right] = True


def _edges(shape: tuple[int, ...], box: Sequence[float], margin: int) -> tuple[int, int, int, int]:
    height, width = shape[:2]
    return (
        max(0, int(np.floor(box[0])) - margin),
        max(0, int(np.floor(box[1])) - margin),
        min(width, max(0, int(np.ceil(box[2])) + margin)),
        min(height, max(0, int(np.ceil(box[3])) + margin)),
    )
