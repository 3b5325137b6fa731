"""Ink of a page image that looks like text, and the lines of it that no known word explains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np

from ohr.documents.grey import grey_of
from ohr.types import Word

__all__ = ["Box", "InkLine", "PageInk", "letter_size"]

Box = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels."""

_BACKGROUND = 25  # heights of letters over which the paper's own grey is a median
_CONTRAST = 40
"""Least difference from the paper, of 255, for a pixel to be ink. Text that a camera or a scanner
bleached has 60 or more; shadows and paper have less."""
_SMALLEST, _LARGEST = 0.25, 3.0  # heights of a letter, in those of a usual word's box
_WIDEST = 12.0  # letters that touch, up to a whole word
_SOLID = 0.9  # share of ink in the box of a large component, from which it is a picture or a bar
_EXPLAINED = 0.5
"""Share of a component in the boxes of words from which these explain it."""
_JOIN = 1.2  # heights between two words of a line
_FEWEST_LETTERS = 3  # components of a line
_TILTED = 1.7  # heights of a line, in those of a word's box, from which it is read in pieces
_INKED = 0.9
"""Letters per width of a letter's cell that has ink: some letters are two components."""
_TALL = 1 / 110
"""Height of a usual word's box as a share of the page's height, where no word is known."""
_TO_BOX = 1.5  # height of a word's box in those of its letters, most of which are low
_ASPECT = 0.5
"""Width of a letter, as a share of the height of a word's box, where no word is known."""


@dataclass(frozen=True, slots=True)
class InkLine:
    """A line of ink that looks like text, and about how many letters it may have."""

    box: Box
    letters: float


def letter_size(words: Sequence[Word]) -> tuple[float, float] | None:
    """Height of a usual word's box, and width of a letter, in pixels; None of too few words."""
    sized = [word for word in words if word.text.strip() and word.box[3] > word.box[1]]
    if len(sized) < 5:
        return None
    heights = [word.box[3] - word.box[1] for word in sized]
    widths = [(word.box[2] - word.box[0]) / len(word.text) for word in sized]
    return max(6.0, float(np.median(heights))), max(2.0, float(np.median(widths)))


class PageInk:
    """The ink of a page image: uint8, grey ``(h, w)`` or RGB ``(h, w, 3)``.

    ``words`` are what engines read on it; they give the size of its letters.
    """

    def __init__(self, image: np.ndarray, words: Sequence[Word] = ()) -> None:
        self.grey = grey_of(image)
        self.height = max(8.0, _TALL * image.shape[0])
        self.width = _ASPECT * self.height
        self.height, self.width = letter_size(words) or self._ink_size()

    def _ink_size(self) -> tuple[float, float]:
        """The size of letters by the ink alone, or what is usual if there is too little."""
        _, _, stats, _ = cv2.connectedComponentsWithStats(self.mask, connectivity=8)
        tall = stats[1:, 3]
        tall = tall[(tall >= 5) & (tall <= self.grey.shape[0] / 20)]
        height = _TO_BOX * float(np.median(tall)) if len(tall) >= 20 else self.height
        # The paper was sought around letters of the usual size.
        self.__dict__.pop("mask", None)
        return height, _ASPECT * height

    @cached_property
    def mask(self) -> np.ndarray:
        """1 where a pixel differs from the paper around it, darker or lighter: uint8 ``(h, w)``."""
        # The median of a small picture of the page is the paper: text is never half of it.
        factor = max(1.0, self.height / 4)
        shape = self.grey.shape
        size = max(1, round(shape[1] / factor)), max(1, round(shape[0] / factor))
        small = cv2.resize(self.grey, size, interpolation=cv2.INTER_AREA)
        paper = cv2.medianBlur(small, 2 * round(_BACKGROUND * self.height / factor / 4) + 1)
        paper = cv2.resize(paper, (shape[1], shape[0]), interpolation=cv2.INTER_LINEAR)
        mask: np.ndarray = (cv2.absdiff(self.grey, paper) > _CONTRAST).astype(np.uint8)
        return mask

    @cached_property
    def _components(self) -> tuple[np.ndarray, np.ndarray]:
        """Label of each pixel ``(h, w)``, and the boxes and areas ``(n, 5)``; 0 is the paper."""
        _, labels, stats, _ = cv2.connectedComponentsWithStats(self.mask, connectivity=8)
        return labels, stats

    @cached_property
    def _letters(self) -> np.ndarray:
        """Numbers of the components that may be letters."""
        _, stats = self._components
        wide, tall, area = stats[:, 2], stats[:, 3], stats[:, 4]
        fits = (tall >= _SMALLEST * self.height) & (tall <= _LARGEST * self.height)
        fits &= wide <= _WIDEST * self.height
        solid = (area > _SOLID * wide * tall) & (wide > 2 * self.height)
        fits &= ~solid
        fits[0] = False
        return np.flatnonzero(fits)

    def lines(self, explained: Sequence[Box] = ()) -> list[InkLine]:
        """Lines of ink that looks like text and lies in none of the boxes, from top to bottom."""
        labels, stats = self._components
        letters = self._letters
        if not len(letters):
            return []
        covered = np.zeros(self.grey.shape, np.uint8)
        margin = max(1, round(0.15 * self.height))
        for x0, y0, x1, y1 in explained:
            covered[max(0, y0 - margin) : y1 + margin, max(0, x0 - margin) : x1 + margin] = 1
        inside = np.bincount(labels[covered > 0], minlength=len(stats))
        free = letters[inside[letters] < _EXPLAINED * stats[letters, 4]]
        if not len(free):
            return []
        drawn: np.ndarray = np.zeros(self.grey.shape, np.uint8)
        # Boxes, lower than the letters, so that lines close to each other stay apart.
        for x, y, wide, tall, _ in stats[free].tolist():
            inset = round(0.2 * tall)
            drawn[y + inset : max(y + inset + 1, y + tall - inset), x : x + wide] = 1
        # A word that is explained ends a line.
        drawn = cv2.morphologyEx(
            drawn, cv2.MORPH_CLOSE, np.ones((1, 2 * round(_JOIN * self.height / 2) + 1), np.uint8)
        )
        drawn[covered > 0] = 0
        _, groups = cv2.connectedComponents(drawn, connectivity=8)
        centres = stats[free, 1] + stats[free, 3] // 2, stats[free, 0] + stats[free, 2] // 2
        which = groups[centres]
        ink_lines = []
        for group in np.unique(which[which > 0]).tolist():
            for boxes in self._pieces(stats[free[which == group]]):
                inked = float(boxes[:, 2].sum())
                if len(boxes) >= _FEWEST_LETTERS or inked >= 3 * self.width:
                    ink_lines.append(InkLine(_hull(boxes), _INKED * inked / self.width))
        return sorted(ink_lines, key=lambda line: (line.box[1], line.box[0]))

    def _pieces(self, boxes: np.ndarray) -> list[np.ndarray]:
        """The letters of a line in pieces that are not much higher than a letter: of a tilted line,
        several.
        """
        ordered = boxes[np.argsort(boxes[:, 0], kind="stable")]
        pieces, start = [], 0
        for end in range(1, len(ordered)):
            piece = ordered[start : end + 1]
            tall = (piece[:, 1] + piece[:, 3]).max() - piece[:, 1].min()
            is_gap = (
                ordered[end, 0] - (ordered[:end, 0] + ordered[:end, 2]).max() > 0.2 * self.height
            )
            if tall > _TILTED * self.height and is_gap and end - start >= _FEWEST_LETTERS:
                pieces.append(ordered[start:end])
                start = end
        return [*pieces, ordered[start:]]

    def fits(self, word: Word) -> bool:
        """Whether a word's box has a size that its text can have."""
        x0, y0, x1, y1 = word.box
        wide = _LARGEST * self.width * max(2, len(word.text))
        return bool(y1 - y0 <= _LARGEST * self.height and x1 - x0 <= wide)


def _hull(boxes: np.ndarray) -> Box:
    x0, y0 = boxes[:, 0].min(), boxes[:, 1].min()
    x1, y1 = (boxes[:, 0] + boxes[:, 2]).max(), (boxes[:, 1] + boxes[:, 3]).max()
    return int(x0), int(y0), int(x1), int(y1)
