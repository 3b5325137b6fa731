"""Segments of lines: glyphs beside one another on a baseline, without a wide gap between them.

PDFium has its own idea of words and lines, which fails for letter-spaced text, one-line pages and
raised marks. So words come from the gaps between glyphs, compared with the gaps within the same
segment, and from the blanks of the file.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from ohr.documents.layers.scripts import is_joined, is_without_blanks
from ohr.documents.layers.units import Unit

SAME_LINE = 0.2
"""Baselines that differ by no more than this, in sizes of the type, are one."""
WIDE_GAP = 1.6
"""A gap wider than this, in sizes of the type, ends a segment: another cell or column begins."""
WORD_GAP = 0.14
"""A gap ends a word if it is wider, by this many sizes, than the usual gap of the segment."""
UNSPACED_GAP = 0.5
"""... in scripts without blanks, whose letters justified lines spread, ..."""
PHRASE_GAP, SPREAD = 0.25, 0.15
"""... of which Thai and its like have gaps between phrases: from the first on, unless a fifth of
the gaps of the segment are over the second, ..."""
GAP_WITHOUT_BLANK = 0.35
"""... and where the file has blanks between words, but not here."""
JOINED_GAP = 0.2
"""... but for scripts of joined letters."""
LAST_GAP = 0.03
"""... after a letter that ends a word."""
BY_BLANKS = 8
"""Blanks for each gap without one from which on a file is taken to have them between words."""
BLANK_GAP = 0.45
"""A gap with a blank, in sizes, from which on it is looked for ink."""
LETTER_SPACED = 0.1
"""Usual gap, in sizes, from which letters count as spaced ..."""
FEWEST_SPACED = 4
"""... of at least so many gaps, ..."""
UNEVEN = 0.08
"""... most of which differ by no more than this."""
CLEAR = 0.6
"""Least share of the gap's width that must have no ink in one strip."""
HOLE = 0.65
"""Least room beside ink, as a share of the gaps between words, in which a word may end."""
MISSING = 0.2
"""Ink in a gap wider than this, in sizes, is a glyph that the layer has no text for."""
SMALL = 0.85
"""A raised or lowered mark is at most this many times as large as its line, ..."""
SMALL_DIGIT, RAISED_DIGIT, LOWERED_DIGIT = 0.56, 0.2, 0.08
"""A digit no higher than the first, in sizes, is raised or lowered if it begins this far from the
baseline."""
RISE = 0.75
"""... its baseline at most this far above, in sizes, ..."""
FALL = 0.35
"""... or this far below that of the line."""


_LAST_LETTERS = ("\u0629", "\u0649")
"""Arabic letters that end words."""

Clear = Callable[[Unit, Unit], float]
"""The widest strip without ink between two glyphs, in sizes of the type."""


@dataclass(slots=True)
class Segment:
    """A piece of a line: units from left to right, on one baseline but for raised marks."""

    units: list[Unit]
    base: float
    size: float
    words: list[list[Unit]] = field(default_factory=list)

    @property
    def left(self) -> float:
        """Where it begins along the line."""
        return min(unit.left for unit in self.units)

    @property
    def right(self) -> float:
        """Where its ink ends."""
        return max(unit.right for unit in self.units)

    @property
    def first_place(self) -> int:
        """The first of its characters in the file."""
        return min(unit.places[0] for unit in self.units)


def find_segments(units: Sequence[Unit], clear: Clear | None = None) -> list[Segment]:
    """The segments of units, with their words, from top to bottom."""
    _raise_small(units)
    segments = [
        Segment(piece, statistics.median(unit.base for unit in piece), _size(piece))
        for band in _bands(units)
        for piece in _pieces(band)
    ]
    segments = _attach_scripts(segments)
    for segment in segments:
        segment.units.sort(key=lambda unit: (unit.start, unit.places[0]))
    gaps = [_gaps(segment.units, clear) for segment in segments]
    spacing = Spacing.from_lines([segment.units for segment in segments], gaps)
    for segment, own in zip(segments, gaps, strict=True):
        segment.words = split_words(segment.units, own, spacing)
    return sorted(segments, key=lambda segment: (-segment.base, segment.left))


def _raise_small(units: Sequence[Unit]) -> None:
    """Mark digits that a font draws small and raised, or small and lowered."""
    for unit in units:
        if unit.text.isdecimal() and unit.size > 0:
            height = (unit.high - unit.low) / unit.size
            rise = (unit.low - unit.base) / unit.size
            if height < SMALL_DIGIT and rise > RAISED_DIGIT:
                unit.raised = 1
            elif height < SMALL_DIGIT and rise < -LOWERED_DIGIT:
                unit.raised = -1


def _size(units: Sequence[Unit]) -> float:
    return statistics.median(unit.size for unit in units)


def _bands(units: Sequence[Unit]) -> list[list[Unit]]:
    """Units by baseline, from the top; units of one band may be far apart."""
    bands: list[list[Unit]] = []
    for unit in sorted(units, key=lambda unit: -unit.base):
        if bands:
            last = bands[-1][-1]
            near = SAME_LINE * min(unit.size, last.size)
            first = bands[-1][0]
            if last.base - unit.base <= near and first.base - unit.base <= 2 * near:
                bands[-1].append(unit)
                continue
        bands.append([unit])
    return bands


def _pieces(band: Sequence[Unit]) -> list[list[Unit]]:
    """The units of one baseline, cut at wide gaps; those of other sizes stand apart."""
    pieces: list[list[Unit]] = []
    for unit in sorted(band, key=lambda unit: (unit.start, unit.places[0])):
        if pieces:
            last = pieces[-1][-1]
            end = max(member.end for member in pieces[-1][-3:])
            if unit.start - end <= WIDE_GAP * min(unit.size, last.size):
                pieces[-1].append(unit)
                continue
        pieces.append([unit])
    return pieces


def _attach_scripts(segments: list[Segment]) -> list[Segment]:
    """Join small segments above or below a baseline to the line that they belong to."""
    lines: list[Segment] = []
    small: list[Segment] = []
    for segment in sorted(segments, key=lambda segment: -segment.size):
        host = _host(segment, lines)
        if host is None:
            lines.append(segment)
            continue
        raised = 1 if segment.base > host.base else -1
        for unit in segment.units:
            unit.raised = raised
        host.units += segment.units
        small.append(segment)
    return _rejoin(lines) if small else segments


def _rejoin(lines: list[Segment]) -> list[Segment]:
    """Join pieces of a line that a raised mark stands between."""
    joined: list[Segment] = []
    for line in sorted(lines, key=lambda line: (-line.base, line.left)):
        before = joined[-1] if joined else None
        if (
            before is not None
            and any(unit.raised for unit in before.units)
            and abs(before.base - line.base) <= SAME_LINE * min(before.size, line.size)
            and abs(line.left - before.right) <= WIDE_GAP * line.size
        ):
            before.units += line.units
        else:
            joined.append(line)
    return joined


def _host(segment: Segment, lines: Sequence[Segment]) -> Segment | None:
    """The line that a small segment is a mark of."""
    best, least = None, float("inf")
    for line in lines:
        rise = (segment.base - line.base) / max(line.size, 1e-6)
        if not -FALL <= rise <= RISE or abs(rise) < 0.02:
            continue
        if segment.size > SMALL * line.size and not (abs(rise) <= 0.45 and len(segment.units) <= 4):
            continue
        gaps = [
            max(segment.left - unit.right, unit.left - segment.right, 0.0) / line.size
            for unit in line.units
            if not unit.raised
        ]
        gap = min(gaps, default=float("inf"))
        if gap <= 0.35 and gap + abs(rise) < least:
            best, least = line, gap + abs(rise)
    return best


@dataclass(frozen=True)
class Spacing:
    """How a page spaces letters and words.

    ``letters``: the usual gap between letters, in sizes, by size of the type, where it is wide.
    ``by_blanks``: whether the file has blanks between nearly all words.
    """

    letters: Mapping[float, float] = field(default_factory=dict)
    by_blanks: bool = False

    @classmethod
    def from_lines(
        cls, lines: Sequence[Sequence[Unit]], gaps: Sequence[Sequence[float]]
    ) -> Spacing:
        """The spacing of some lines; ``gaps`` has that before each unit but the first."""
        within: dict[float, list[float]] = {}
        blanks = without = 0
        for units, own in zip(lines, gaps, strict=True):
            for (before, after), gap in zip(pairwise(units), own, strict=True):
                if after.blank_before:
                    blanks += 1
                elif not (before.raised or after.raised):
                    within.setdefault(round(after.size, 1), []).append(gap)
                    without += gap > WORD_GAP
        letters = {
            size: usual for size, own in within.items() if (usual := _usual(own)) >= LETTER_SPACED
        }
        return cls(letters, not letters and blanks >= 10 and blanks >= BY_BLANKS * without)


def _usual(gaps: Sequence[float]) -> float:
    """The gap that most are close to; 0 if there are few, or most differ."""
    if len(gaps) < FEWEST_SPACED:
        return 0.0
    ordered = sorted(gaps)
    usual = ordered[len(ordered) * 2 // 5]
    close = sum(abs(gap - usual) <= UNEVEN for gap in ordered)
    return usual if close * 5 >= 3 * len(ordered) else 0.0


def split_words(units: Sequence[Unit], gaps: Sequence[float], spacing: Spacing) -> list[list[Unit]]:
    """Units of a segment, from left to right, as words.

    A word ends at a blank of the file, and at a gap wider than usual, by the segment or by all type
    of its size on the page. ``gaps`` are those before each unit but the first, in sizes. Text whose
    letters are spaced evenly, with blanks in the file or without, is divided at wider gaps alone.
    """
    if not units:
        return []
    blanks = [unit.blank_before for unit in units[1:]]
    usual, counts_blanks = _usual_gap(units, gaps, blanks, spacing)
    is_spread = statistics.quantiles(gaps, n=10)[7] > SPREAD if len(gaps) > 1 else True
    words = [[units[0]]]
    for before, after, gap, blank in zip(units, units[1:], gaps, blanks, strict=False):
        least = WORD_GAP
        if _is_unspaced(before) or _is_unspaced(after):
            is_wide = max(ord(before.text[0]), ord(after.text[0])) >= 0x2E80
            least = UNSPACED_GAP if is_wide or is_spread else PHRASE_GAP
        elif _ends_arabic_word(before, after):
            least = LAST_GAP
        elif spacing.by_blanks and not _is_number_at_joined(before, after):
            # Letters that join leave no gaps in a word.
            joined = is_joined(before.text) and is_joined(after.text)
            least = JOINED_GAP if joined else GAP_WITHOUT_BLANK
        ends_word = gap > usual + least or (blank and counts_blanks and gap > 0.02)
        if ends_word or _is_raised_number(before, after):
            words.append([after])
        else:
            words[-1].append(after)
    return words


def _gaps(units: Sequence[Unit], clear: Clear | None) -> list[float]:
    """The gap before each unit but the first, in sizes; of a gap with ink, its widest strip."""
    gaps: list[float] = []
    reach = float("-inf")
    for before, after in pairwise(units):
        # A raised mark may begin where the letter under it has not ended.
        reach = max(reach, before.end) if not before.raised else before.end
        gaps.append((after.start - reach) / max(min(before.size, after.size), 1e-6))
    if clear is None:
        return gaps
    wide = [
        (number, before, after)
        for number, (before, after) in enumerate(pairwise(units))
        if gaps[number] > (BLANK_GAP if after.blank_before else WORD_GAP)
    ]
    strips = {number: clear(before, after) for number, before, after in wide}
    empty = [gaps[number] for number, strip in strips.items() if math.isinf(strip)]
    usual = statistics.median(empty) if empty else 0.0
    sides = _side_room(units, gaps)
    for number, before, after in wide:
        strip = strips[number]
        is_missing = gaps[number] - strip > MISSING
        if strip >= CLEAR * gaps[number]:
            after.missing_before = is_missing and gaps[number] > BLANK_GAP
            continue
        if after.blank_before:  # a glyph beside the blank that is mapped to another
            after.missing_before = is_missing
            continue
        if not is_missing and not is_joined(before.text + after.text):
            continue  # too narrow for a glyph: letters lean into it
        after.missing_before = is_missing
        room = max(strip - sides, 0.0)
        # Less room than between words is a hole in a glyph.
        gaps[number] = room if room >= HOLE * usual else 0.0
    return gaps


def _side_room(units: Sequence[Unit], gaps: Sequence[float]) -> float:
    """The usual room between the ink of letters that are not apart, in sizes."""
    close = [
        max(after.left - before.right, 0.0) / max(before.size, 1e-6)
        for (before, after), gap in zip(pairwise(units), gaps, strict=True)
        if gap <= WORD_GAP
    ]
    return statistics.median(close) if close else 0.0


def _usual_gap(
    units: Sequence[Unit], gaps: Sequence[float], blanks: Sequence[bool], spacing: Spacing
) -> tuple[float, bool]:
    """The usual gap between letters of a word, and whether blanks of the file end words."""
    within = [
        gap
        for gap, before, after, blank in zip(gaps, units, units[1:], blanks, strict=False)
        if not (blank or before.raised or after.raised)
    ]
    counts_blanks = True
    if blanks and sum(blanks) > 0.7 * len(blanks) and len(gaps) >= 2 * FEWEST_SPACED:
        within, counts_blanks = list(gaps), False  # a blank after every letter
    on_page = spacing.letters.get(round(_size(units), 1), 0.0)
    if on_page and statistics.median(within or [on_page]) > on_page - UNEVEN:
        return on_page, counts_blanks
    usual = _usual(within)
    letters = sum(unit.text[:1].isalpha() for unit in units)
    if usual >= LETTER_SPACED and letters * 2 >= len(units):
        return usual, counts_blanks
    if len(within) < FEWEST_SPACED:
        return 0.0, True
    middle = sorted(within)[len(within) * 2 // 5]
    return min(max(middle, -0.1), 0.05), True


def _is_unspaced(unit: Unit) -> bool:
    """Whether a glyph is of a script without blanks between words."""
    return is_without_blanks(unit.text)


def _ends_arabic_word(before: Unit, after: Unit) -> bool:
    """Whether the glyph on the right ends in a letter that ends words, with a letter beside it."""
    return (
        after.text.endswith(_LAST_LETTERS) and before.text[:1].isalpha() and is_joined(before.text)
    )


def _is_number_at_joined(before: Unit, after: Unit) -> bool:
    """Whether a digit stands beside a letter of a script of joined letters."""
    first, second = before.text[-1:], after.text[:1]
    return (first.isdecimal() and is_joined(second)) or (second.isdecimal() and is_joined(first))


def _is_raised_number(before: Unit, after: Unit) -> bool:
    """Whether a raised mark begins or ends between two digits: 45.3¹ is not 45.31."""
    is_small = min(before.size, after.size) < SMALL * max(before.size, after.size)
    is_raised = before.raised != after.raised and min(before.raised, after.raised) >= 0
    if not (is_small or is_raised):
        return False
    return before.text[-1:].isdecimal() and after.text[:1].isdecimal()
