"""Text that a generative model writes again and again: cut to one turn, with a note.

Only engines that are ``generative`` write loops; a page that another engine reads repeats what is
printed. Short true repetition (rows of ``N/A``, a form's ``Yes No``) is kept for both: a loop has
to be longer than a page would be. Every step is linear in the text's length.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

TAIL = 40
"""Characters that must have come before for a loop to be looked for."""
STEP = 200
"""Characters between the places at which it is looked for; fewer than the shortest loop has."""
LONGEST_UNIT = 4000
LOOP_TIMES = 6
"""A loop's unit comes this many times at least, and the loop has this many characters:"""
LOOP_CHARS = 300
"""... within a line, or of long paragraphs;"""
LINES_CHARS, MOST_LINES = 2000, 100
"""... of short lines or counted items, or there are this many of them;"""
RULE_CHARS = 3000
"""... without a letter: dotted lines and rows of zeros are no loop;"""
TABLE_CHARS = 4000
"""... of a table's rows: more than a page holds."""
SHORT_LINE = 120
"""Characters of a short line."""
SHARED = 4
"""A turn that is broken off before this part of it, its first quarter, is not begun."""
LOOP = "repeats itself"
"""In the detail of every outcome whose text was cut for a loop."""

_ROW = re.compile(r"\||</?t[rdh]\b|[^\\]&|\t", re.IGNORECASE)
_DIGITS = re.compile(r"\d{1,18}")
_NUMBER = "\x00"
"""Stands for a number where loops that count are looked for."""


@dataclass(frozen=True, slots=True)
class _Loop:
    """``text[start:end]`` repeats its first ``unit`` characters, the last time perhaps in part."""

    start: int
    end: int
    unit: int

    @property
    def times(self) -> int:
        return (self.end - self.start) // self.unit


def cut_loops(text: str) -> tuple[str, str]:
    """The text with each loop cut to one turn, and a line that says so, or none.

    A loop is a unit of at most :data:`LONGEST_UNIT` characters again and again, the same to the
    letter or but for numbers that count (``1. foo 2. foo 3. foo``); what follows it is kept.

    >>> without_loop("A page. " + "and so on, " * 100)
    ('A page. and so on,', "repeats itself: 11 characters 100 times, cut to one")
    """
    notes: list[str] = []
    text = _cut_exact(text, notes)
    text = _cut_counted(text, notes)
    if not notes:
        return text, ""
    more = f", and {len(notes) - 1} more" if len(notes) > 1 else ""
    return text, f"{LOOP}: {notes[0]}{more}, cut to one"


def _cut_exact(text: str, notes: list[str]) -> str:
    parts: list[str] = []
    position = 0
    for loop in _loops(text):
        turn = text[loop.end - loop.unit : loop.end]
        if not _is_long_enough(turn, loop.end - loop.start, loop.times):
            continue
        notes.append(f"{loop.unit} characters {loop.times} times")
        position = _keep_one(text, loop, position, parts)
    parts.append(text[position:])
    return "".join(parts) if notes else text


def _keep_one(text: str, loop: _Loop, position: int, parts: list[str]) -> int:
    """Append the text before the loop and one turn; returns where the text goes on."""
    partial = (loop.end - loop.start) % loop.unit
    # What comes before the first turn may end as a turn does, and belongs to the last one then.
    shared = partial if partial <= loop.unit // SHARED else 0
    if not text[loop.end :].strip():
        parts.append(text[position : loop.start + loop.unit + shared].rstrip())
        return len(text)
    # A turn that the tail breaks off is kept as far as it goes.
    parts.append(text[position : loop.start + loop.unit + partial])
    return loop.end


def _is_long_enough(turn: str, chars: int, times: int, *, counted: bool = False) -> bool:
    if times < LOOP_TIMES:
        return False
    if _ROW.search(turn):
        return chars >= TABLE_CHARS
    if not any(char.isalpha() for char in turn):
        return chars >= RULE_CHARS
    lines = max(turn.count("\n"), int(counted))
    if lines and len(turn) <= SHORT_LINE * lines:
        return chars >= LINES_CHARS or times * lines >= MOST_LINES
    return chars >= LOOP_CHARS


def _loops(text: str) -> Iterator[_Loop]:
    """Parts that repeat a unit, in order, none within another; short ones too."""
    size = len(text.rstrip())
    place, done = TAIL, 0
    while place <= size:
        key = text[place - TAIL : place]
        position = text.rfind(key, max(done, place - TAIL - LONGEST_UNIT), place - 1)
        if position < 0:
            # The last look is at the very end.
            place = min(place + STEP, size) if place < size else size + 1
            continue
        unit = place - TAIL - position
        start = max(_periodic_from(text, unit, place), done)
        end = _periodic_to(text, unit, place, size)
        if end - start >= LOOP_TIMES * unit:
            yield _Loop(start, end, unit)
            done = end
        if end >= size:
            return
        # The next look takes in what ended the repetition, which may be part of a longer unit.
        place = min(end + TAIL // 2, size)


def _periodic_from(text: str, unit: int, end: int) -> int:
    """Where the part begins that repeats every ``unit`` characters up to ``end``."""
    start, size = end - unit, unit
    # Steps that double, then halve: slices compare fast, characters one by one do not.
    while size >= 1:
        first = start - size
        if first >= 0 and text[first:start] == text[first + unit : start + unit]:
            start -= size
            size *= 2
        else:
            size //= 2
    return start


def _periodic_to(text: str, unit: int, end: int, most: int) -> int:
    """Where the part ends that repeats every ``unit`` characters from before ``end``."""
    size = unit
    while size >= 1:
        last = end + size
        if last <= most and text[end:last] == text[end - unit : last - unit]:
            end = last
            size *= 2
        else:
            size //= 2
    return end


def _cut_counted(text: str, notes: list[str]) -> str:
    """The text without loops whose turns differ by numbers that go up by the same each time."""
    masked = _Masked.from_text(text)
    parts: list[str] = []
    position = 0
    for loop in _loops(masked.text):
        for part in masked.counting(loop):
            start, first, end = map(masked.original, (part.start, part.start + part.unit, part.end))
            turn = masked.text[part.start : part.start + part.unit].replace(_NUMBER, "1")
            if not _is_long_enough(turn, end - start, part.times, counted=True):
                continue
            notes.append(f"{part.unit} characters {part.times} times but for numbers that count")
            last = loop.end - part.end
            if last < part.unit and not text[masked.original(loop.end) :].strip():
                shared = last if last <= part.unit // SHARED else 0
                first = masked.original(part.start + part.unit + shared)
                parts.append(text[position:first].rstrip())
                position = len(text)
            else:
                parts.append(text[position:first])
                position = end
    if not position:
        return text
    parts.append(text[position:])
    return "".join(parts)


@dataclass(frozen=True, slots=True)
class _Masked:
    """A text with one sign for each number; where the signs stand, and what they stand for."""

    text: str
    places: Sequence[int]
    values: Sequence[str]
    longer: Sequence[int]
    """By how many characters the original is longer before each number, and at the end."""

    @classmethod
    def from_text(cls, text: str) -> _Masked:
        places, longer, values = array("q"), array("q", [0]), []
        for match in _DIGITS.finditer(text):
            places.append(match.start() - longer[-1])
            longer.append(longer[-1] + len(match[0]) - 1)
            values.append(match[0])
        return cls(_DIGITS.sub(_NUMBER, text), places, values, longer)

    def original(self, place: int) -> int:
        """The place in the original text."""
        return place + self.longer[bisect_left(self.places, place)]

    def counting(self, loop: _Loop) -> Iterator[_Loop]:
        """The parts of a loop, whole turns, whose numbers go up by the same from turn to turn."""
        first, end = (bisect_left(self.places, position) for position in (loop.start, loop.end))
        each = bisect_left(self.places, loop.start + loop.unit) - first
        if not each:
            return
        turns = [
            [int(value) for value in self.values[position : position + each]]
            for position in range(first, end - each + 1, each)
        ][: loop.times]
        steps = [[b - a for a, b in zip(*pair, strict=True)] for pair in pairwise(turns)]
        begin = 0
        for position in range(1, len(steps) + 1):
            if position == len(steps) or steps[position] != steps[begin]:
                if any(steps[begin]):
                    start = loop.start + begin * loop.unit
                    yield _Loop(start, start + (position - begin + 1) * loop.unit, loop.unit)
                begin = position
