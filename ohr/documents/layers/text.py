"""The text of a page from the places of its glyphs, word by word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ohr.documents.layers.bidi import has_right_to_left, logical, runs_right_to_left
from ohr.documents.layers.characters import Characters
from ohr.documents.layers.ink import Ink
from ohr.documents.layers.order import Lines, order_lines
from ohr.documents.layers.segments import Clear, Segment, find_segments
from ohr.documents.layers.units import Unit, make_units

_SOFT = "\xad"
_STEEP = 5.0
"""Degrees by which directions of one group of lines may differ."""


@dataclass(frozen=True, slots=True)
class PageWord:
    """A word of a page: its text, and its characters in :class:`Characters`."""

    text: str
    places: tuple[int, ...]
    line: int
    """Number of its line, in reading order."""
    incomplete: bool = False
    """Whether ink within it stands for nothing in the layer."""


@dataclass(frozen=True)
class PageWords:
    """The words of a page in reading order, and whether that order is known."""

    words: list[PageWord]
    order_known: bool


def page_words(characters: Characters, chosen: np.ndarray, ink: Ink | None = None) -> PageWords:
    """The words of the chosen characters, bool ``(n,)``, in reading order.

    Text in other directions than most of the page's follows after it. With the page's ``ink``, gaps
    in level lines are looked at.
    """
    words: list[PageWord] = []
    known_values = True
    line_no = 0
    for direction, part in _direction_groups(characters, chosen):
        units = make_units(characters, part, direction)
        if _runs_down(units):
            units = [_turned(unit) for unit in units]
        is_level = ink is not None and direction[0] > 0.999
        lines, mirrored = _lines_of(units, ink.clear if ink is not None and is_level else None)
        known_values &= lines.known
        for line in lines.lines:
            words += _line_words(line, line_no, mirrored and not _runs_left_to_right(line))
            line_no += 1
    return PageWords(words, known_values)


def _direction_groups(
    characters: Characters, chosen: np.ndarray
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Directions of lines, the most frequent first, and the characters of each."""
    if not chosen.any():
        return []
    x, y = characters.directions.T
    angles = np.degrees(np.arctan2(y, x))
    rounded = (np.round(angles / _STEEP).astype(int)) % round(360 / _STEEP)
    counts = Counter(rounded[chosen].tolist())
    groups = []
    for angle, _ in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
        part = chosen & (rounded == angle)
        direction = np.median(characters.directions[part], axis=0)
        length = float(np.hypot(*direction)) or 1.0
        groups.append((direction / length, part))
    return groups


def _runs_down(units: Sequence[Unit]) -> bool:
    """Whether most ideographs stand below the one before, as in columns of Chinese."""
    down = across = 0
    for before, after in pairwise(units):
        if not (_is_wide(before.text) and _is_wide(after.text)):
            continue
        drop = (before.base - after.base) / max(before.size, 1e-6)
        step = abs(after.start - before.start) / max(before.size, 1e-6)
        down += 0.5 < drop < 2 and step < 0.3
        across += abs(drop) < 0.3 and 0.5 < step < 2
    return down > 2 * across and down > 5


def _is_wide(text: str) -> bool:
    return ord(text[0]) > 0x2E7F


def _turned(unit: Unit) -> Unit:
    """A unit on the page turned counter-clockwise, so that columns become lines."""
    return Unit(
        unit.text,
        unit.places,
        -unit.high,
        -unit.low,
        unit.start,
        unit.left,
        unit.right,
        -unit.high,
        -unit.low,
        unit.size,
        unit.blank_before,
    )


def _lines_of(units: Sequence[Unit], clear: Clear | None) -> tuple[Lines, bool]:
    segments = find_segments(units, clear)
    mirrored = runs_right_to_left([unit.text for unit in units])
    texts = [_segment_text(segment, mirrored) for segment in segments]
    return order_lines(segments, texts, mirrored=mirrored), mirrored


def _segment_text(segment: Segment, mirrored: bool) -> str:
    return " ".join(word.text for word in _line_words([segment], 0, mirrored))


def _runs_left_to_right(line: Sequence[Segment]) -> bool:
    """Whether a line has letters, and none of them is written from right to left."""
    texts = [unit.text for segment in line for unit in segment.units]
    has_letters = any(text[:1].isalpha() for text in texts)
    return has_letters and not any(has_right_to_left(text) for text in texts)


_BLANK = None


def _line_words(line: Sequence[Segment], line_no: int, mirrored: bool) -> list[PageWord]:
    """The words of a line, its segments in reading order, letters in the order of reading."""
    visual = list(reversed(line)) if mirrored else list(line)
    items: list[Unit | None] = []
    for segment in visual:
        for units in segment.words:
            items += [_BLANK, *units] if items else units
    if mirrored or any(item is not None and has_right_to_left(item.text) for item in items):
        items = logical(items, _item_text, right_to_left=mirrored)
    words: list[PageWord] = []
    word: list[Unit] = []
    for item in [*items, _BLANK]:
        if item is not None:
            word.append(item)
        elif word:
            places = tuple(place for unit in word for place in unit.all_places)
            incomplete = any(unit.missing_before for unit in word)
            words.append(PageWord(_word_text(word), places, line_no, incomplete))
            word = []
    return _hyphened(words)


def _item_text(item: Unit | None) -> str:
    return item.text if item is not None else " "


def _word_text(word: Sequence[Unit]) -> str:
    return "".join(unit.full_text for unit in word)


def _hyphened(words: list[PageWord]) -> list[PageWord]:
    """The words of a line with soft hyphens as hyphens, but for the one at the line's end."""
    if not any(_SOFT in word.text for word in words):
        return words
    return [
        replace(
            word,
            text=word.text[:-1].replace(_SOFT, "-")
            + (word.text[-1] if word is words[-1] else word.text[-1].replace(_SOFT, "-")),
        )
        for word in words
    ]
