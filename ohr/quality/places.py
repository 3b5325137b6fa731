"""Where on the page a stretch of text would have to be, by the words around it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ohr.metrics.supporting_text import FEWEST_LETTERS
from ohr.metrics.word_keys import word_key
from ohr.quality.support import JudgedWord
from ohr.types import Word

__all__ = ["Box", "Region", "WordPlaces", "whole_page"]

Box = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels."""
_CONTEXT = 14  # words before and after a passage that are looked up
_SPREAD = 16  # words of a witness between which those of a context are together
_FEWEST = 3  # words of a context that are together, to know the place


class Region:
    """Parts of a page, as boxes in pixels."""

    def __init__(self, boxes: Iterable[Box]) -> None:
        self.boxes = [box for box in boxes if box[2] > box[0] and box[3] > box[1]]

    def share_of(self, box: Box) -> float:
        """The share of a box that is in the region, in [0, 1]."""
        area = max(1, (box[2] - box[0]) * (box[3] - box[1]))
        inside = 0
        for x0, y0, x1, y1 in self.boxes:
            wide, tall = min(x1, box[2]) - max(x0, box[0]), min(y1, box[3]) - max(y0, box[1])
            inside += max(0, wide) * max(0, tall)
        return min(1.0, inside / area)


def whole_page(shape: tuple[int, ...]) -> Region:
    """All of a page image."""
    return Region([(0, 0, shape[1], shape[0])])


class WordPlaces:
    """The places of a witness's words on the page, in its order."""

    def __init__(self, words: Sequence[Word]) -> None:
        keyed = [(word_key(word.text), word.box) for word in words]
        self._boxes = [box for key, box in keyed if key]
        self._places: dict[str, list[int]] = {}
        for place, key in enumerate(key for key, _ in keyed if key):
            self._places.setdefault(key, []).append(place)

    def region(
        self,
        words: Sequence[JudgedWord],
        first: int,
        last: int,
        slack: float,
        shape: tuple[int, ...],
    ) -> Region | None:
        """The part of the page between the words before ``first`` and those after ``last``.

        It is as wide as the page, and by ``slack`` pixels higher and lower, since lines may be
        tilted. None if neither place is known, or the words after are above
        those before, as where a column ends: then it may be anywhere.
        """
        before = self._find([word.key for word in reversed(words[:first])])
        after = self._find([word.key for word in words[last + 1 :]])
        height, width = shape[:2]
        more = round(slack)
        if before is None or after is None:
            # A text that begins or ends with the passage has no words there.
            if before is None and after is not None and first <= 1:
                return Region([(0, 0, width, after[3] + more)])
            if after is None and before is not None and last >= len(words) - 2:
                return Region([(0, before[1] - more, width, height)])
            return None
        tall = max(before[3] - before[1], after[3] - after[1])
        if after[1] < before[1] - 0.5 * tall:
            return None
        if after[1] < before[1] + 0.5 * tall:  # of one line
            if after[0] < before[0]:
                return None
            top, bottom = min(before[1], after[1]), max(before[3], after[3])
            return Region([(before[2], top - more, after[0], bottom + more)])
        middle = max(before[3], after[1])
        return Region(
            [
                (before[2], before[1] - more, width, before[3]),
                (0, before[3], width, middle),
                (0, middle, after[0], after[3] + more),
            ]
        )

    def _find(self, keys: Sequence[str]) -> Box | None:
        """The place of the nearest of some words, of which several are together there."""
        near = [key for key in keys if len(key) >= FEWEST_LETTERS][:_CONTEXT]
        seen = [np.array(self._places[key]) for key in near if key in self._places]
        for places in seen:
            votes = [
                sum(bool((np.abs(other - place) <= _SPREAD).any()) for other in seen)
                for place in places
            ]
            best = int(np.argmax(votes))
            if votes[best] >= min(_FEWEST, len(seen)) and votes.count(votes[best]) == 1:
                return self._boxes[int(places[best])]
        return None
