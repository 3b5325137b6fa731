"""Glyphs of a page as units: what is drawn at once, with all that the layer says it stands for.

A ligature stands for several characters, which share its place. A vowel sign or an accent that is
drawn by itself belongs to the letter that it is drawn on.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ohr.documents.layers.bidi import has_right_to_left
from ohr.documents.layers.characters import REPLACEMENT, SAME_PLACE, Characters
from ohr.documents.layers.scripts import is_joined

SAME_OUTLINE = 0.02
"""Most difference of outlines of one glyph, in sizes of the type."""
FEWEST_WIDTHS = 8
"""Fewest letters of a page by which others are judged."""
NARROW = 0.8
"""A glyph narrower than this share of a letter does not draw it."""
STROKE = 0.35
"""A stroke that joins letters is at most this share of a letter's height."""
_DRAWN_BEFORE = frozenset(
    "\u093f\u094e\u09bf\u09c7\u09c8\u0a3f\u0abf\u0b47\u0bc6\u0bc7\u0bc8\u0d46\u0d47\u0d48"
    "\u0dd9\u0dda\u0ddb"
)
"""Vowel signs that are drawn before the letter that they follow (Unicode's position "left")."""


@dataclass(slots=True)
class Unit:
    """A glyph, and the marks drawn on it. Places are in points along and above the baseline."""

    text: str
    places: list[int]
    """The characters in :class:`Characters`, in its order."""
    start: float
    end: float
    """Where it begins, and where the next would: along the line."""
    base: float
    """Height of its baseline."""
    low: float
    high: float
    """Lowest and highest ink."""
    left: float
    right: float
    """Outermost ink along the line."""
    size: float
    blank_before: bool = False
    """Whether the file has a blank before it."""
    raised: int = 0
    """1 for a small character above the baseline of its line, -1 below."""
    marks: list[Unit] = field(default_factory=list)
    missing_before: bool = False
    """Whether ink before it stands for nothing in the layer."""

    @property
    def full_text(self) -> str:
        """The glyph's characters, with those of the marks on it."""
        return self.text + "".join(mark.text for mark in self.marks)

    @property
    def all_places(self) -> list[int]:
        """The characters of the glyph and of its marks."""
        return self.places + [place for mark in self.marks for place in mark.places]


def glyph_groups(characters: Characters, chosen: np.ndarray) -> list[list[int]]:
    """The chosen characters, in the order of the file, those of one glyph together."""
    groups: list[list[int]] = []
    places = np.flatnonzero(chosen).tolist()
    if not places:
        return groups
    some = np.array(places)
    step = np.abs(np.diff(characters.origins[some], axis=0)).max(axis=1)
    near = step <= SAME_PLACE * characters.sizes[some[1:]]
    blank = characters.blank[some]
    # PDFium divides the box of a glyph among its characters: all are as high.
    near &= (np.diff(characters.boxes[some][:, [1, 3]], axis=0) == 0).all(axis=1)
    same = near & (np.diff(characters.owners[some]) == 0) & ~blank[1:] & ~blank[:-1]
    for place, goes_on in zip(places, [False, *same.tolist()], strict=True):
        if goes_on:
            groups[-1].append(place)
        else:
            groups.append([place])
    return [_mapped_order(group, characters) if len(group) > 1 else group for group in groups]


def _mapped_order(group: list[int], characters: Characters) -> list[int]:
    """The characters of a glyph in the order in which they are read.

    PDFium reverses text from right to left, since nearly all producers draw it from the left: with
    the letters it reverses those of a ligature. The text of a span it divides from the right.
    """
    if not has_right_to_left("".join(characters.texts[place] for place in group)):
        return group
    if np.ptp(characters.boxes[group, 0]) > 0:
        return sorted(group, key=lambda place: -characters.boxes[place, 0])
    return group[::-1]


def make_units(characters: Characters, chosen: np.ndarray, direction: np.ndarray) -> list[Unit]:
    """The units of the chosen characters, in the order of the file.

    ``direction`` is the unit vector along the lines.
    """
    groups = glyph_groups(characters, chosen)
    if not groups:
        return []
    across = np.array([-direction[1], direction[0]])
    corners = characters.boxes[:, [0, 1, 0, 3, 2, 1, 2, 3]].reshape(-1, 4, 2)
    u, v = corners @ direction, corners @ across
    flat = np.array([place for group in groups for place in group])
    starts = np.cumsum([0, *(len(group) for group in groups[:-1])])
    first = flat[starts]
    columns = (
        (characters.origins @ direction)[first],
        np.maximum.reduceat((characters.ends @ direction)[flat], starts),
        (characters.origins @ across)[first],
        np.minimum.reduceat(v.min(axis=1)[flat], starts),
        np.maximum.reduceat(v.max(axis=1)[flat], starts),
        np.minimum.reduceat(u.min(axis=1)[flat], starts),
        np.maximum.reduceat(u.max(axis=1)[flat], starts),
        characters.sizes[first],
    )
    units: list[Unit] = []
    blanks: list[tuple[float, float]] = []
    texts = characters.texts
    # A blank without width is PDFium's, not the file's.
    wide = np.abs(characters.boxes[:, 2] - characters.boxes[:, 0]) > 0
    is_wide = wide[first].tolist()
    is_blank = characters.blank[first].tolist()
    for group, blank_here, wide_here, *values in zip(
        groups, is_blank, is_wide, *(column.tolist() for column in columns), strict=True
    ):
        start, end, base, low, high, left_edge, right, size = values
        if blank_here:
            blanks += [(base, (start + end) / 2)] if wide_here else []
            continue
        text = texts[group[0]] if len(group) == 1 else "".join(texts[place] for place in group)
        units.append(Unit(text, group, start, end, base, low, high, left_edge, right, size))
    _set_blanks(units, blanks)
    return _attach_marks(_join_clusters(_drop_repeats(units)))


def _set_blanks(units: list[Unit], blanks: list[tuple[float, float]]) -> None:
    """Note before which units the file has a blank, by the places of the blanks.

    Not by the order of the file, which is another where letters go from right to left.
    """
    lines: dict[int, list[tuple[float, int]]] = {}
    for number, unit in enumerate(units):
        lines.setdefault(round(unit.base), []).append((unit.start, number))
    for line in lines.values():
        line.sort()
    for base, middle in blanks:
        for near in (round(base), round(base) - 1, round(base) + 1):
            line = lines.get(near, [])
            place = bisect_left(line, (middle, 0))
            if place < len(line) and abs(units[line[place][1]].base - base) < 1:
                units[line[place][1]].blank_before = True
                break


def _drop_repeats(units: list[Unit]) -> list[Unit]:
    """The units without parts of a cluster that repeat the text of the whole.

    Some producers give each glyph of an Indic cluster all its characters: the letter and its sign
    both stand for both. So have strokes that join two Arabic letters the text of one.
    """
    remaining: list[Unit] = []
    for unit in units:
        if remaining and _is_stroke(unit, remaining[-1]):
            remaining[-1].places += unit.places
            continue
        if remaining and _is_stroke(remaining[-1], unit):
            unit.places += remaining.pop().places
        if len(unit.text) > 1 and not unit.text.isascii():
            middle = (unit.left + unit.right) / 2
            whole = [
                other
                for other in remaining[-3:]
                if other.text == unit.text
                and other.left - 0.1 * unit.size <= middle <= other.right + 0.1 * unit.size
                and abs(other.base - unit.base) < 0.3 * unit.size
            ]
            if whole:
                whole[-1].places += unit.places
                continue
        remaining.append(unit)
    return remaining


def _join_clusters(units: list[Unit]) -> list[Unit]:
    """The units, without letters that a glyph stands for and does not draw.

    Producers that give one glyph of an Indic cluster all its characters may choose a vowel sign,
    which is narrower than the letter. The letter is the glyph beside it; if that is another letter,
    the sign has its text from another cluster of the document, and what it stands for is not known.
    """
    widths: dict[str, float] = {}
    for unit in units:
        if len(unit.text) == 1 and unicodedata.category(unit.text) == "Lo" and unit.size > 0:
            widths.setdefault(unit.text, (unit.end - unit.start) / unit.size)
    narrowest = min(widths.values()) if len(widths) >= FEWEST_WIDTHS else 0.0
    outlines = {unit.text: _outline(unit) for unit in units if len(unit.text) == 1}
    joined: list[Unit] = []
    for number, unit in enumerate(units):
        if joined and _is_second_half(joined[-1], unit, outlines):
            half = joined[-1]
            half.places += unit.places
            half.end, half.right = max(half.end, unit.end), max(half.right, unit.right)
            half.low, half.high = min(half.low, unit.low), max(half.high, unit.high)
            continue
        letter = _last_letter(unit.text)
        width = (unit.end - unit.start) / max(unit.size, 1e-6)
        if not letter or width >= NARROW * widths.get(letter, narrowest):
            joined.append(unit)
            continue
        before = joined[-1] if joined else None
        after = units[number + 1] if number + 1 < len(units) else None
        if before is not None and before.text == letter and _is_beside(before, unit):
            before.text = unit.text
            before.places += unit.places
            before.end, before.right = max(before.end, unit.end), max(before.right, unit.right)
        elif after is not None and after.text == letter and _is_beside(after, unit):
            after.text = unit.text
            after.places = unit.places + after.places
            after.start, after.left = min(after.start, unit.start), min(after.left, unit.left)
            after.blank_before |= unit.blank_before
        else:
            joined.append(unit)
            if not any(
                other is not None and other.text == REPLACEMENT and _is_beside(other, unit)
                for other in (before, after)
            ):
                unit.text = REPLACEMENT
    return joined


def _is_second_half(first: Unit, unit: Unit, outlines: Mapping[str, np.ndarray]) -> bool:
    """Whether a glyph without a character is the letter that ends the one before it.

    A Thai sara am is drawn as a ring over a letter and a stroke beside it: as its second half by
    itself, which elsewhere on the page has the same outline.
    """
    if unit.text != REPLACEMENT or len(first.text) != 1:
        return False
    halves = unicodedata.normalize("NFKD", first.text)
    known_outline = outlines.get(halves[-1])
    if len(halves) < 2 or known_outline is None or not _is_beside(first, unit):
        return False
    return bool(np.abs(_outline(unit) - known_outline).max() <= SAME_OUTLINE)


def _outline(unit: Unit) -> np.ndarray:
    """Advance, and lowest and highest ink above the baseline, in sizes of the type."""
    sides = np.array([unit.end - unit.start, unit.low - unit.base, unit.high - unit.base])
    return sides / max(unit.size, 1e-6)


def _last_letter(text: str) -> str:
    """The last letter of a cluster with vowel signs or marks, which is drawn whole; "" if none."""
    letters = [n for n, c in enumerate(text) if unicodedata.category(c) == "Lo"]
    if not letters or letters[-1] + 1 == len(text) == 1:
        return ""
    last = letters[-1]
    if last + 1 < len(text) and unicodedata.combining(text[last + 1]) == 9:
        return ""
    has_marks = any(unicodedata.category(c) in ("Mn", "Mc") for c in text)
    return text[last] if has_marks and is_joined(text) else ""


def _is_beside(first: Unit, second: Unit) -> bool:
    gap = max(first.start - second.end, second.start - first.end)
    near = 0.1 * first.size
    return gap <= near and abs(first.base - second.base) <= near


def _is_stroke(unit: Unit, letter: Unit) -> bool:
    """Whether a unit is a low stroke beside a joined letter, and said to be that letter."""
    return (
        unit.text == letter.text
        and is_joined(unit.text)
        and unit.high - unit.low < STROKE * (letter.high - letter.low)
        and max(unit.left - letter.right, letter.left - unit.right) < 0.1 * unit.size
    )


def _attach_marks(units: list[Unit]) -> list[Unit]:
    """The units, with marks that are drawn by themselves moved to the letters under them."""
    loose = [number for number, unit in enumerate(units) if _is_mark(unit.text)]
    if not loose:
        return units
    marks = set(loose)
    hosts: dict[int, int] = {}
    letters = sorted(
        (unit.left, number) for number, unit in enumerate(units) if number not in marks
    )
    for number in loose:
        mark = units[number]
        # Beside it in the file, or on the page, where a raised mark is drawn after its line.
        places = {*range(max(0, number - 4), min(len(units), number + 5))} - marks
        start = bisect_left(letters, (mark.left - 2 * mark.size, 0))
        end = bisect_left(letters, (mark.right + mark.size, 0))
        places.update(other for _, other in letters[start:end])
        near = sorted(
            other for other in places if abs(units[other].base - mark.base) < 0.6 * mark.size
        )
        if not near:
            marks.discard(number)
            continue
        if mark.text in _DRAWN_BEFORE:
            first, host = _following(mark, near, units)
        else:
            first = host = _host(number, near, units, hosts)
        hosts[number] = host
        twin = next((other for other in units[host].marks if other.text == mark.text), None)
        if twin is not None:  # drawn twice: no letter has a mark twice
            twin.places += mark.places
            continue
        units[host].marks.append(mark)
        if _takes_room(mark.text):
            letter = units[first]
            letter.start, letter.left = min(letter.start, mark.start), min(letter.left, mark.left)
            letter = units[host]
            letter.end, letter.right = max(letter.end, mark.end), max(letter.right, mark.right)
    return [unit for number, unit in enumerate(units) if number not in marks]


def _following(mark: Unit, near: Sequence[int], units: Sequence[Unit]) -> tuple[int, int]:
    """The letters between which a vowel sign is read that is drawn before its syllable.

    They are the first and the last letter of the syllable: a letter without a vowel goes with the
    next one.
    """
    middle = (mark.left + mark.right) / 2
    after = sorted(
        (other for other in near if units[other].right > middle),
        key=lambda other: units[other].left,
    )
    if not after:
        return near[-1], near[-1]
    last = 0
    while last + 1 < len(after) and unicodedata.combining(units[after[last]].full_text[-1]) == 9:
        last += 1
    return after[0], after[last]


def _host(number: int, near: Sequence[int], units: Sequence[Unit], hosts: Mapping[int, int]) -> int:
    """The letter that a mark is drawn on or after."""
    mark = units[number]
    middle = (mark.left + mark.right) / 2
    before = hosts.get(number - 1, number - 1)
    # Most files draw a mark after its letter.
    if before in near and not has_right_to_left(units[before].text):
        letter = units[before]
        is_beside = _takes_room(mark.text) and (
            letter.left < mark.left <= letter.right + 0.2 * letter.size
        )
        inside = [other for other in near if units[other].left <= middle <= units[other].right]
        if len(inside) > 1:  # a mark without room of its own is set after its letter
            return min(inside, key=lambda other: abs(units[other].end - mark.start))
        if is_beside or (_is_on(middle, letter) and inside in ([], [before])):
            return before

    def distance(other: int) -> tuple[float, float, int]:
        unit = units[other]
        outside = max(unit.left - middle, middle - unit.right, 0.0)
        from_end = 0.0 if has_right_to_left(unit.text) else abs(unit.end - mark.start)
        size = max(unit.size, 1e-6)
        return round(outside / size, 2), round(from_end / size, 1), abs(other - number)

    return min(near, key=distance)


def _takes_room(text: str) -> bool:
    """Whether marks of one glyph stand beside their letter, as many vowel signs do."""
    return any(unicodedata.category(character) == "Mc" for character in text)


def _is_on(middle: float, unit: Unit) -> bool:
    return unit.left - 0.1 * unit.size <= middle <= unit.right + 0.2 * unit.size


def _is_mark(text: str) -> bool:
    return all(unicodedata.category(character) in ("Mn", "Me", "Mc") for character in text)
