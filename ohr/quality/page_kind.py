"""The kind of a page by what its picture, its text layer and its words show, never by its name.

A usable text layer makes a page *born-digital*. A photograph has no paper of one grey value, and
its light is uneven. Of what remains, a *slip* (a receipt) is so narrow that few letters fit beside
each other; the paper of a *clean* image is one grey value (rendered pages, and scans in black and
white), that of a *scan* is not. Forms and handwriting are not recognised: no page of these was at
hand whose truth is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ohr.documents.grey import grey_of
from ohr.quality.page_ink import letter_size
from ohr.types import Word

__all__ = ["PAGE_KINDS", "Picture", "line_letters", "page_kind", "picture_of"]

PAGE_KINDS: Mapping[str, str] = {
    "born-digital": "pages with a usable text layer",
    "clean": "page images on clean paper",
    "scan": "scans",
    "slip": "receipts and other slips",
    "photograph": "photographs",
}
"""The kinds, with their names for people."""

PHOTOGRAPH_PAPER = 0.05
"""Largest share of a photograph's pixels with its commonest grey value: cameras have noise."""
PHOTOGRAPH_SHADE = 0.18
"""Least unevenness of a photograph's light. On photographs of half of the documents it is .30 or
more, on scans .14 or less."""
CLEAN_PAPER = 0.5
"""Least share of the pixels with the commonest grey value on clean paper."""
SLIP_LETTERS = 52
"""Most letters of usual width that fit beside each other on a slip: tills print 24 to 48."""
_NARROW = 0.5
"""Largest width of a usual letter, in heights of a word's box: ideographs count as two letters."""
_BLOCKS = 16
_PAPER = 75
"""Percentile of the brightness of a part of the page that is paper, not ink."""


@dataclass(frozen=True)
class Picture:
    """``paper``: share of the pixels with the commonest grey value. ``shade``: how much darker the
    darker parts of the paper are than the brighter ones. Both are in [0, 1].
    """

    paper: float
    shade: float

    @property
    def is_photograph(self) -> bool:
        """Whether a camera took it."""
        return self.paper < PHOTOGRAPH_PAPER and self.shade >= PHOTOGRAPH_SHADE


def picture_of(image: np.ndarray) -> Picture:
    """The picture of a page image: uint8, grey ``(h, w)`` or RGB ``(h, w, 3)``."""
    grey = grey_of(image)
    if not grey.size:
        return Picture(0.0, 0.0)
    paper = np.bincount(grey.ravel(), minlength=256).max() / grey.size
    rows, columns = (
        np.linspace(0, size, min(_BLOCKS, size) + 1).astype(int) for size in grey.shape
    )
    light = [
        np.percentile(grey[top:bottom, start:end], _PAPER)
        for top, bottom in pairwise(rows.tolist())
        for start, end in pairwise(columns.tolist())
    ]
    dark, bright = np.percentile(light, [15, 90])
    return Picture(round(float(paper), 4), round(float((bright - dark) / max(1.0, bright)), 4))


def line_letters(words: Sequence[Word]) -> float | None:
    """How many letters of usual width fit beside each other in the words' common width.

    None of too few words.
    """
    size = letter_size(words)
    if size is None:
        return None
    boxes = [word.box for word in words if word.text.strip()]
    start = np.percentile([box[0] for box in boxes], 3)
    end = np.percentile([box[2] for box in boxes], 97)
    return float((end - start) / min(size[1], _NARROW * size[0]))


def page_kind(picture: Picture | None, letters: float | None, *, has_layer: bool = False) -> str:
    """A kind of :data:`PAGE_KINDS`; empty for a page without a layer whose picture is not known.

    ``letters`` are those of :func:`line_letters`, None if they are not known.
    """
    if has_layer:
        return "born-digital"
    if picture is None:
        return ""
    if picture.is_photograph:
        return "photograph"
    if letters is not None and letters <= SLIP_LETTERS:
        return "slip"
    return "clean" if picture.paper >= CLEAN_PAPER else "scan"
