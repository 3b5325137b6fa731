"""The lines of a page in reading order, and whether that order is known.

There are two witnesses: the places of the segments, which give columns and lines
(:mod:`ohr.documents.reading_order`), and the order of the file, in which most producers write what
is read first. On a page without columns the places decide, and where both agree on running text:
files often draw tables column by column. Where they do not agree, the order is taken in which
sentences go on from line to line; if they do so in both, or the script does not tell, it is not
known.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ohr.documents.layers.segments import Segment
from ohr.documents.reading_order import is_letter, reading_order

RUNNING = 20
"""Fewest letters of a segment of running text."""
PROSE = 10
"""Fewest letters of a line that may go on in the next."""
AGREE = 0.9
"""Two orders agree if this share of neighbours in one are neighbours in the other."""
BACKWARDS = 0.25
"""Most steps of an order that may go up in a column, or back in a line."""
CROSSING = 0.5
"""Share of running text from which a file is taken to be written across columns."""
CLEARER = 0.1
"""Sentences must go on by this much more often, as a share, to decide between two orders."""
FEWEST_CASELESS = 3
"""Fewest lines of a script without capitals whose order is taken to be open."""
MUCH_CLEARER, FEWEST_STEPS = 0.25, 8
"""On a page on which the places show no columns, by this much, in at least so many steps."""
_ENDS = frozenset(".!?:;。！？：；।؟۔")


@dataclass(frozen=True)
class Lines:
    """Segments by line, in reading order, and whether that order is known."""

    lines: list[list[Segment]]
    known: bool


def order_lines(segments: Sequence[Segment], texts: Sequence[str], *, mirrored: bool) -> Lines:
    """The lines of some segments. ``mirrored``: columns and lines go from right to left."""
    if not segments:
        return Lines([], True)
    parts = _lines_by_place(segments, texts, mirrored)
    by_place = [line for part in parts for line in part]
    by_file = _lines_by_file(segments, mirrored)
    running = [number for number, text in enumerate(texts) if _letters(text) >= RUNNING]
    is_sane = _backward_steps(segments, by_file, mirrored) <= BACKWARDS
    (place_score, _), (file_score, count) = (_goes_on(o, texts) for o in (by_place, by_file))
    if len(parts) == 1:  # lines go from top to bottom, unless there are narrow columns
        narrow = _lines_by_place(segments, texts, mirrored, narrow=True)
        columns = [line for part in narrow for line in part]
        alternatives = [by_file] * is_sane + [columns] * (len(narrow) > 1)
        order = _clearest(by_place, alternatives, texts)
        is_open = any(_differ_without_case(by_place, other, texts) for other in alternatives)
        is_open &= not count and order is by_place
        return _lines(segments, order, known=not (is_open or _overlaid(segments)))
    if _agreement(by_place, by_file, running) >= AGREE:
        return _lines(segments, by_place, known=not _overlaid(segments))
    if is_sane and file_score > place_score + CLEARER:
        return _lines(segments, by_file, known=True)
    crosses = _crossings(by_file, running) > CROSSING and place_score >= file_score - CLEARER
    if not is_sane or crosses or place_score > file_score + CLEARER:
        return _lines(segments, by_place, known=not _overlaid(segments))
    return _lines(segments, by_file, known=False)


def _lines(segments: Sequence[Segment], order: Sequence[Sequence[int]], *, known: bool) -> Lines:
    return Lines([[segments[number] for number in line] for line in order], known)


def _letters(text: str) -> int:
    return sum(2 if ord(c) > 0x2E7F else 1 for c in text if is_letter(c))


def _lines_by_place(
    segments: Sequence[Segment], texts: Sequence[str], mirrored: bool, *, narrow: bool = False
) -> list[list[list[int]]]:
    """Parts of the page as lines of indices, by the places of the segments."""
    corners = np.zeros((len(segments), 4, 2))
    for number, segment in enumerate(segments):
        left_edge, right = segment.left, segment.right
        if mirrored:
            left_edge, right = -right, -left_edge
        # Boxes of lines, not of ink: the ink of a dash has no height.
        top, bottom = -segment.base - 0.7 * segment.size, -segment.base + 0.2 * segment.size
        corners[number] = (left_edge, top), (right, top), (right, bottom), (left_edge, bottom)
    return reading_order(corners, texts, narrow=narrow)


def _lines_by_file(segments: Sequence[Segment], mirrored: bool) -> list[list[int]]:
    """Lines of indices, in the order of the file."""
    order = sorted(range(len(segments)), key=lambda number: segments[number].first_place)
    lines: list[list[int]] = []
    for number in order:
        if lines and _follows(segments[lines[-1][-1]], segments[number], mirrored):
            lines[-1].append(number)
        else:
            lines.append([number])
    return lines


def _follows(before: Segment, after: Segment, mirrored: bool) -> bool:
    """Whether a segment is on the line of another, and further along."""
    if abs(before.base - after.base) > 0.3 * min(before.size, after.size):
        return False
    return after.right <= before.left if mirrored else after.left >= before.right


def _agreement(first: list[list[int]], second: list[list[int]], chosen: Sequence[int]) -> float:
    """Share of neighbours among the chosen in one order that are neighbours in the other."""
    members = set(chosen)
    orders = [[n for line in order for n in line if n in members] for order in (first, second)]
    pairs = [set(pairwise(order)) for order in orders]
    return len(pairs[0] & pairs[1]) / max(1, len(pairs[0]))


def _backward_steps(
    segments: Sequence[Segment], order: Sequence[Sequence[int]], mirrored: bool
) -> float:
    """Share of the steps of an order that go up in the same column, or back in the same line."""
    flat = [segments[number] for line in order for number in line]
    backwards = 0
    for before, after in pairwise(flat):
        overlap = min(before.right, after.right) - max(before.left, after.left)
        shared = overlap > 0.3 * min(before.right - before.left, after.right - after.left)
        rise = (after.base - before.base) / max(min(before.size, after.size), 1e-6)
        if abs(rise) < 0.3:
            back = after.left > before.left if mirrored else after.left < before.left
            backwards += back
        elif rise > 0 and shared:
            backwards += 1
    return backwards / max(1, len(flat) - 1)


def _differ_without_case(
    first: list[list[int]], second: list[list[int]], texts: Sequence[str]
) -> bool:
    """Whether two orders differ on lines side by side, in a script without capitals.

    Capitals would tell where sentences begin.
    """
    prose = {number for number, text in enumerate(texts) if _letters(text) >= PROSE}
    rows = [sum(number in prose for number in line) for line in first]
    caseless = sum(unicodedata.category(texts[number][0]) == "Lo" for number in prose)
    is_side_by_side = sum(count > 1 for count in rows) >= FEWEST_CASELESS <= caseless
    return is_side_by_side and _agreement(first, second, sorted(prose)) < AGREE


def _crossings(order: Sequence[Sequence[int]], running: Sequence[int]) -> float:
    """Share of the segments of running text that share their line with another, in an order.

    Only columns do: the places have cut them, so they are no table.
    """
    members = set(running)
    lines = [sum(number in members for number in line) for line in order]
    return sum(count for count in lines if count > 1) / max(1, sum(lines))


def _goes_on(order: Sequence[Sequence[int]], texts: Sequence[str]) -> tuple[float, int]:
    """How often lines go on as sentences do, as a share, .5 if unknown; and the number of steps.

    A line that does not end a sentence goes on with a small letter; one that does, with a capital.
    """
    flat = [texts[number] for line in order for number in line]
    right = total = 0
    for before, after in pairwise(flat):
        if _letters(before) < PROSE or not after or not before:
            continue
        initial = after[0]
        if not (initial.islower() or initial.isupper()):
            continue
        total += 1
        right += initial.isupper() if before.rstrip()[-1:] in _ENDS else initial.islower()
    return (right / total if total >= 2 else 0.5), total


def _clearest(
    order: list[list[int]], alternatives: Sequence[list[list[int]]], texts: Sequence[str]
) -> list[list[int]]:
    """An order, or the one of its alternatives in which sentences go on much more clearly."""
    best, score = order, _goes_on(order, texts)[0] + MUCH_CLEARER
    for other in alternatives:
        value, steps = _goes_on(other, texts)
        if steps >= FEWEST_STEPS and value >= score:
            best, score = other, value
    return best


def _overlaid(segments: Sequence[Segment]) -> bool:
    """Whether segments of text lie over one another, so that no order is right."""
    over = 0
    ordered = sorted(segments, key=lambda segment: -segment.base)
    for number, segment in enumerate(ordered):
        for other in ordered[number + 1 :]:
            drop = segment.base - other.base
            if drop > 0.4 * segment.size:
                break
            shared = min(segment.right, other.right) - max(segment.left, other.left)
            size = min(segment.size, other.size)
            if shared > 2 * size and drop < 0.4 * size:
                over += 1
                break
    return over * 10 > len(segments)
