"""Ink between the glyphs of a page: where words end, and glyphs that the layer has no text for."""

from __future__ import annotations

from functools import cached_property

import cv2
import numpy as np

from ohr.documents.layers.characters import Characters
from ohr.documents.layers.drawn import Drawings
from ohr.documents.layers.marks import ink_of
from ohr.documents.layers.units import Unit

_INNER = 0.1
"""Share of the type's size, at each end of a blank, into which letters beside it may reach."""
_FOOT, _HEIGHT = 0.12, 0.7
"""Heights above the baseline, in sizes, between which ink is looked for."""
_RULE = 24
"""Length in points from which on a level line is a rule, and no part of a glyph."""
_NARROW = 0.15
"""Blanks narrower than this, in sizes, are not looked at."""
_INKED = 0.6
"""Share of a blank's columns that have ink if a glyph stands there."""
_LEAST_OUTLINE, _OUTLINE_INK = 0.03, 0.2
"""Least sides, in sizes, of what a font draws for a blank, and least share of it that has ink."""


class Ink:
    """The ink of a page. Gaps can be looked at on pages that are not turned."""

    def __init__(self, drawings: Drawings, characters: Characters) -> None:
        self.pixels = drawings.pixels
        """Boxes of the characters, a pixel wider on each side: int ``(n, 4)``."""
        self.scale = drawings.scale
        rest = cv2.cvtColor(drawings.without, cv2.COLOR_BGR2GRAY)
        self.seen = drawings.ink | _erase_rules(ink_of(rest, self.scale), self.scale)
        """1 where there is ink, of text or anything else of its contrast but rules: uint8."""
        self._drawings = drawings
        self._north = float(drawings.page.get_bbox()[3])
        self._characters = characters

    @cached_property
    def _unexplained(self) -> np.ndarray:
        """Ink of text in no character's box: bool ``(h, w)``."""
        rest: np.ndarray = self._drawings.ink.astype(bool)
        characters = self._characters
        for place in np.flatnonzero(self._drawings.seen & ~characters.blank).tolist():
            left_edge, top, right, bottom = self.pixels[place].tolist()
            rest[top:bottom, left_edge:right] = False
        return rest

    def clear(self, before: Unit, after: Unit) -> float:
        """The widest strip without ink between two glyphs of a level line, in sizes.

        Infinite if there is no ink at all.
        """
        first, second = self.pixels[before.all_places], self.pixels[after.all_places]
        left_edge, right = int(first[:, 2].max()) - 1, int(second[:, 0].min()) + 1
        size = min(before.size, after.size) * self.scale
        # Above the baseline: rules and leaders stand on it or below.
        baseline = (self._north - before.base) * self.scale
        bottom = max(0, round(baseline - _FOOT * size))
        top = max(0, round(baseline - _HEIGHT * size))
        part = self.seen[top:bottom, left_edge:right]
        columns = part.any(axis=0)
        if not columns.any():
            return np.inf
        inked = np.flatnonzero(np.concatenate([[True], columns, [True]]))
        # Ink that is drawn softly reaches into the pixel beside it.
        return float(np.diff(inked).max()) / max(size, 1e-6)

    def is_inked(self, place: int) -> bool:
        """Whether a glyph stands where the file has a blank, on a level line."""
        if self._has_outline(place):
            return True
        characters = self._characters
        size = float(characters.sizes[place])
        width = float(characters.ends[place, 0] - characters.origins[place, 0])
        if characters.directions[place, 0] < 0.999 or width < _NARROW * size:
            return False
        left_edge, _, right, bottom = self.pixels[place].tolist()
        inner = max(1, round(_INNER * size * self.scale)) + 1
        top = max(bottom - 1 - round(_HEIGHT * size * self.scale), 0)
        if right - left_edge - 2 * inner < 2 or bottom - 1 - top < 2:
            return False
        if not self._drawings.ink[top : bottom - 1, left_edge + inner : right - inner].any():
            return False
        part = self._unexplained[top : bottom - 1, left_edge + inner : right - inner]
        return bool(part.any(axis=0).mean() > _INKED)

    def _has_outline(self, place: int) -> bool:
        """Whether the font draws something for a blank, and it is seen."""
        box = self._characters.boxes[place]
        if (box[2:] - box[:2]).min() < _LEAST_OUTLINE * self._characters.sizes[place]:
            return False
        left_edge, top, right, bottom = self.pixels[place].tolist()
        part = self._unexplained[top + 1 : bottom - 1, left_edge + 1 : right - 1]
        return bool(part.size and part.mean() > _OUTLINE_INK)


def _erase_rules(ink: np.ndarray, scale: float) -> np.ndarray:
    """Ink without level lines: uint8 ``(h, w)``."""
    line = np.ones((1, max(3, round(_RULE * scale))), np.uint8)
    rules = cv2.morphologyEx(ink, cv2.MORPH_OPEN, line)
    wide: np.ndarray = cv2.dilate(rules, np.ones((3, 3), np.uint8))
    return np.where(wide > 0, np.uint8(0), ink)
