"""From the order on the page to the order of reading, in lines with Arabic or Hebrew.

The inverse of the rules of Unicode's bidirectional algorithm (UAX 9) that matter for text without
explicit controls: letters from right to left are reversed, numbers and Latin words are not.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")

_LEFT = frozenset({"L"})
_RIGHT = frozenset({"R", "AL"})
_NUMBER = frozenset({"EN", "AN"})
_WITHIN_NUMBER = frozenset({"ES", "CS", "ET"})


def runs_right_to_left(texts: Sequence[str]) -> bool:
    """Whether most letters are of scripts written from right to left."""
    right = left_side = 0
    for text in texts:
        if text.isascii():
            left_side += sum(map(str.isalpha, text))
            continue
        for character in text:
            kind = unicodedata.bidirectional(character)
            right += kind in _RIGHT
            left_side += kind in _LEFT
    return right > left_side


def has_right_to_left(text: str) -> bool:
    """Whether a text has a letter written from right to left."""
    return not text.isascii() and any(unicodedata.bidirectional(c) in _RIGHT for c in text)


def logical(items: Sequence[T], text_of: Callable[[T], str], *, right_to_left: bool) -> list[T]:
    """Items of a line, given from left to right, in the order of reading.

    ``right_to_left``: the direction of the paragraph.
    """
    kinds = _directions([text_of(item) for item in items], right_to_left)
    if not right_to_left:
        return _reversed_runs(items, kinds, "R")
    backwards = list(reversed(items))
    return _reversed_runs(backwards, list(reversed(kinds)), "L")


def _directions(texts: Sequence[str], right_to_left: bool) -> list[str]:
    """The direction of each item, ``L`` or ``R``; numbers are ``L``."""
    kinds = [_kind(text) for text in texts]
    count = len(kinds)
    for place, kind in enumerate(kinds):
        if kind == "S":  # a sign within a number, or a sign of currency beside it
            before = kinds[place - 1] if place else ""
            after = kinds[place + 1] if place + 1 < count else ""
            kinds[place] = "N" if before == "N" and after == "N" else "W"
    base = "R" if right_to_left else "L"
    result = ["L" if kind in ("N", "L") else "R" if kind == "R" else "" for kind in kinds]
    place = 0
    while place < count:
        if result[place]:
            place += 1
            continue
        end = place
        while end < count and not result[end]:
            end += 1
        before = _strong(kinds, result, place - 1, base)
        after = _strong(kinds, result, end, base)
        for neutral in range(place, end):
            result[neutral] = before if before == after else base
        place = end
    return result


def _strong(kinds: Sequence[str], result: Sequence[str], place: int, base: str) -> str:
    """The direction that a neighbour lends to neutral characters: numbers count as ``R`` there."""
    if not 0 <= place < len(kinds):
        return base
    return "R" if kinds[place] == "N" and base == "R" else result[place]


def _kind(text: str) -> str:
    for character in text:
        kind = unicodedata.bidirectional(character)
        if kind in _LEFT:
            return "L"
        if kind in _RIGHT:
            return "R"
        if kind in _NUMBER:
            return "N"
        if kind in _WITHIN_NUMBER:
            return "S"
    return "W"


def _reversed_runs(items: Sequence[T], kinds: Sequence[str], which: str) -> list[T]:
    result: list[T] = []
    run: list[T] = []
    for item, kind in zip(items, kinds, strict=True):
        if kind == which:
            run.append(item)
            continue
        result += reversed(run)
        run = []
        result.append(item)
    return result + list(reversed(run))
