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

GREY = 128
_CONTRAST = 30
"""Grey values in a neighbourhood of 3 x 3 pixels that differ by so much belong to ink."""
_LEAST_INK = 0.02
"""A box with less ink shows no word: a text layer can have words that are not drawn."""
_MARGIN, _LEAST_MARGIN = 0.15, 3
"""Margin of a cover, as a share of a word's height, and its least pixels."""
_LONGEST_RUN = 6


@dataclass(frozen=True)
class Covered:
    """A page image with covered words, and the mask of what was covered: bool ``(h, w)``.

    ``hidden`` are the indices of the pieces of which nothing remains.
    """

    image: np.ndarray
    mask: np.ndarray
    hidden: tuple[int, ...]


def ink_of(image: np.ndarray) -> np.ndarray:
    """Where ink is, dark on light or light on dark, with a pixel around it: bool ``(h, w)``."""
    grey = image if image.ndim == 2 else cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
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


def cover(
    image: np.ndarray,
    pieces: Sequence[Piece],
    units: Sequence[tuple[int, ...]],
    kind: str,
    noise: np.ndarray,
) -> Covered:
    """Cover the pieces of some units, in ``white``, ``grey`` or the paper's ``texture``. ``noise`` is the page's texture from :func:`paper_noise`."""
    mask = cover_mask(image.shape[:2], pieces, units, ink_of(image))
    result = image.copy()
    if kind == "white":
        result[mask] = 255
    elif kind == "grey":
        result[mask] = GREY
    else:
        result[mask] = _paper(image, noise)[mask]
    return Covered(result, mask, tuple(sorted(index for unit in units for index in unit)))


def cover_mask(
    shape: tuple[int, int],
    pieces: Sequence[Piece],
    units: Sequence[tuple[int, ...]],
    ink: np.ndarray,
) -> np.ndarray:
    """What has to be covered to hide some units: their boxes with a margin, and whole letters.

    A connected mark of which more than half is in the boxes is covered as a whole, since an edge
    that cuts a line leaves readable halves of letters.
    """
    boxes, mask = np.zeros(shape, np.uint8), np.zeros(shape, np.uint8)
    for unit in units:
        for index in unit:
            _fill(boxes, pieces[index].box, 1)
        edges = np.array([pieces[index].box for index in unit])
        hull = (edges[:, 0].min(), edges[:, 1].min(), edges[:, 2].max(), edges[:, 3].max())
        heights = edges[:, 3] - edges[:, 1]
        _fill(mask, hull, max(_LEAST_MARGIN, round(_MARGIN * float(np.median(heights)))))
    count, labels = cv2.connectedComponents(ink.astype(np.uint8), connectivity=8)
    sizes = np.bincount(labels.ravel(), minlength=count)
    inside = np.bincount(labels[boxes > 0], minlength=count)
    whole = 2 * inside > sizes
    whole[0] = False  # the background
    letters = whole[labels].astype(np.uint8)
    mask |= cv2.dilate(letters, np.ones((5, 5), np.uint8))
    return mask > 0


def paper_noise(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """How the page's background differs from its mean: float32 of the image's shape.

    Differences of pixels without ink, drawn for every pixel at once, so that a larger cover has
    the pixels of a smaller one.
    """
    grey = cv2.dilate(ink_of(image).astype(np.uint8), np.ones((7, 7), np.uint8)) == 0
    flat = image[grey].astype(np.float32)
    if not len(flat):
        return np.zeros(image.shape, np.float32)
    smooth = cv2.blur(image, (9, 9))[grey].astype(np.float32)
    residuals = flat - smooth
    places = rng.integers(len(residuals), size=image.shape[:2])
    return np.asarray(residuals[places])


def _paper(image: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """The page as if there were only paper: the colour around, and the texture of the paper."""
    ink = cv2.dilate(ink_of(image).astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
    weights = (~ink).astype(np.float32)
    size = (61, 61)
    known_share = cv2.blur(weights, size)
    pixels = image.astype(np.float32)
    if image.ndim == 3:
        weights, known_share = weights[..., None], known_share[..., None]
    sums = cv2.blur(pixels * weights, size)
    everywhere = np.median(image[~ink] if (~ink).any() else image.reshape(-1, *image.shape[2:]), 0)
    colour = np.where(known_share > 0.01, sums / np.maximum(known_share, 1e-6), everywhere)
    return np.clip(np.rint(colour + noise), 0, 255).astype(np.uint8)


def _has_ink(piece: Piece, ink: np.ndarray) -> bool:
    left, top, right, bottom = _edges(ink.shape, piece.box, 0)
    inside = ink[top:bottom, left:right]
    return inside.size > 0 and float(inside.mean()) >= _LEAST_INK


def _fill(mask: np.ndarray, box: Sequence[float], margin: int) -> None:
    left, top, right, bottom = _edges(mask.shape, box, margin)
    mask[top:bottom, left:right] = 1


def _edges(shape: tuple[int, ...], box: Sequence[float], margin: int) -> tuple[int, int, int, int]:
    height, width = shape[:2]
    return (
        max(0, int(np.floor(box[0])) - margin),
        max(0, int(np.floor(box[1])) - margin),
        min(width, max(0, int(np.ceil(box[2])) + margin)),
        min(height, max(0, int(np.ceil(box[3])) + margin)),
    )
