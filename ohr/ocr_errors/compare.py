"""Splits the differences of a page's truth and its OCR output into edits.

Words are matched by :func:`ohr.metrics.alignment.match_words`. Words between equal words stand for
each other if their characters do (:data:`ohr.metrics.alignment.LIKE`); other words are lost or
added.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise, takewhile

from ohr.metrics.alignment import match_words
from ohr.ocr_errors.differences import NO_EDIT, Edit, PageDifference, Place, Segment
from ohr.ocr_errors.error_kinds import (
    FORMULA_WORD,
    TABLE_WORDS,
    ErrorKind,
    lost_runs,
    mark_kind,
    substitution_kind,
    wrong_characters,
)
from ohr.ocr_errors.links import link_words, runs_of
from ohr.ocr_errors.words import PageWords, page_words

_BEFORE_ALL: Place = (-1, 0)


def compare_page(truth: str, output: str, *, folds_case: bool = False) -> PageDifference:
    """Split the differences of a page's truth and its OCR output into edits.

    ``folds_case``: whether capitals are no wrong characters, as where the truth has only capitals.
    If a page's segments do not give both texts, it is one edit of the kind ``other``.
    """
    if truth == output:
        return PageDifference([], [Segment(truth, output, NO_EDIT, _BEFORE_ALL)])
    sides = _Side(page_words(truth)), _Side(page_words(output))
    if not any(side.overlaps for side in sides):
        difference = _Comparison(*sides, folds_case=folds_case).difference().merged()
        if _is_exact(difference, truth, output):
            return difference
    edit = Edit("other", wrong_characters(truth, output), 0, len(truth))
    return PageDifference([edit], [Segment(truth, output, 0, _BEFORE_ALL)])


def _is_exact(difference: PageDifference, truth: str, output: str) -> bool:
    return difference.text(()) == output and difference.text(range(len(difference.edits))) == truth


class _Side:
    """A page's source, cut into words and what stands after each; ``before`` the first word."""

    def __init__(self, page: PageWords) -> None:
        self.page = page
        self.keys = [word.lower() for word in page.words]
        """The words as they are compared: a word in capitals is no other word."""
        rest = page.others
        self.starts = list(page.starts)
        self.ends = [rest[i][-1][1] if i in rest else end for i, end in enumerate(page.stops)]
        bounds = [
            0,
            *(place for pair in zip(self.starts, self.ends, strict=True) for place in pair),
        ]
        self.overlaps = any(a > b for a, b in pairwise([*bounds, len(page.source)]))
        self.starts.append(len(page.source))
        tables = sorted((m.start, m.region) for m in page.marks if m.kind == "table")
        self._table_starts = [start for start, _ in tables]
        self._regions = [region for _, region in tables]

    def words(self, first: int, after: int) -> str:
        """The source of words, from the first to before ``after``."""
        return self.page.source[self.starts[first] : self.ends[after - 1]]

    def gap(self, number: int) -> tuple[int, int]:
        """Where what stands after a word begins and ends; after -1: before the first word."""
        return (self.ends[number] if number >= 0 else 0), self.starts[number + 1]

    def gap_text(self, number: int) -> str:
        """What stands between a word and the next one."""
        start, end = self.gap(number)
        return self.page.source[start:end]

    def table(self, number: int) -> int | None:
        """The region of the table whose mark-up stands after a word."""
        start, end = self.gap(number)
        place = bisect_left(self._table_starts, start)
        inside = place < len(self._table_starts) and self._table_starts[place] < end
        return self._regions[place] if inside else None


@dataclass(slots=True)
class _Item:
    """Words of the truth and of the output that stand for each other; none on a side if equal.

    ``kind`` is None for equal words.
    """

    truth: tuple[int, int]
    output: tuple[int, int]
    kind: ErrorKind | None = None
    move: int = NO_EDIT
    edit: int = NO_EDIT

    @property
    def stands_alone(self) -> bool:
        """Whether a side has no words."""
        return self.truth[0] == self.truth[1] or self.output[0] == self.output[1]

    @property
    def order(self) -> tuple[int, bool]:
        """The place in the truth; added words come before the word that follows them."""
        return self.truth[0], self.truth[1] > self.truth[0]


class _Comparison:
    def __init__(self, truth: _Side, output: _Side, *, folds_case: bool) -> None:
        self.truth, self.output, self.folds_case = truth, output, folds_case
        self.edits: list[Edit] = []
        self.segments: list[Segment] = []
        self.tables: dict[tuple[str, int], int] = {}
        """The edit of the mark-up of each table, by side and region."""

    def difference(self) -> PageDifference:
        items = list(self._items())
        for item in items:
            self._give_edit(item)
        self._compare_between(_Item((0, 0), (0, 0)), items, 0, _BEFORE_ALL, -1, -1)
        place, move = (-1, 2), NO_EDIT
        for number, item in enumerate(items):
            if item.output[0] == item.output[1]:  # lost words stay beside the words before them
                item.move = move
            else:
                place, move = (item.output[0], 0), item.move
            self._add_words(item, place)
            if not item.stands_alone:
                last, read = item.truth[1] - 1, item.output[1] - 1
                self._compare_between(item, items, number + 1, (place[0], 1), last, read)
            place = (place[0], 2)
        return PageDifference(self.edits, self.segments)

    # --- segments -----------------------------------------------------------------------------

    def _new_edit(self, kind: ErrorKind, characters: int, start: int, end: int) -> int:
        self.edits.append(Edit(kind, characters, start, end))
        return len(self.edits) - 1

    def _wrong(self, truth: str, output: str) -> int:
        if self.folds_case:
            truth, output = truth.lower(), output.lower()
        return wrong_characters(truth, output)

    def _sources(self, item: _Item) -> tuple[str, str]:
        """The words of both sides; words that stand alone with what follows them."""
        truth = self.truth.words(*item.truth) if item.truth[0] < item.truth[1] else ""
        output = self.output.words(*item.output) if item.output[0] < item.output[1] else ""
        if item.stands_alone:
            truth += self.truth.gap_text(item.truth[1] - 1) if truth else ""
            output += self.output.gap_text(item.output[1] - 1) if output else ""
        return truth, output

    def _give_edit(self, item: _Item) -> None:
        truth, output = self._sources(item)
        start = self.truth.starts[item.truth[0]]
        end = self.truth.ends[item.truth[1] - 1] if item.truth[0] < item.truth[1] else start
        if item.move != NO_EDIT and start < end:
            moved = self.edits[item.move]
            moved.start = start if moved.end == 0 else min(moved.start, start)
            moved.end = max(moved.end, end)
        if truth == output:
            return
        kind = item.kind
        if kind is None:
            kind = self._kind_of_equal(item, truth, output)
        item.edit = self._new_edit(kind, self._wrong(truth, output), start, end)

    def _kind_of_equal(self, item: _Item, truth: str, output: str) -> ErrorKind:
        """The kind of a difference between words that are equal but for capitals and mark-up."""
        if self._has_formula(item) and mark_kind(truth, output) == "markup":
            return "formulas"
        words = self.truth.page.words[item.truth[0]], self.output.page.words[item.output[0]]
        return "capitals" if words[0] != words[1] else mark_kind(truth, output)

    def _has_formula(self, item: _Item) -> bool:
        return any(self.truth.page.kinds[i] == FORMULA_WORD for i in range(*item.truth)) or any(
            self.output.page.kinds[i] == FORMULA_WORD for i in range(*item.output)
        )

    def _add_words(self, item: _Item, place: Place) -> None:
        truth, output = self._sources(item)
        self.segments.append(Segment(truth, output, item.edit, place, item.move))

    def _compare_between(
        self,
        item: _Item,
        items: Sequence[_Item],
        following: int,
        place: Place,
        last: int,
        read: int,
    ) -> None:
        """Add what stands after these words, up to the items from ``following``."""
        truth, output = self.truth.gap_text(last), self.output.gap_text(read)
        edit = NO_EDIT
        if truth != output:
            edit = self._edit_between(item, items, following, last, read)
        if truth or output:
            self.segments.append(Segment(truth, output, edit, place, item.move))

    def _edit_between(
        self, item: _Item, items: Sequence[_Item], following: int, last: int, read: int
    ) -> int:
        truth, output = self.truth.gap_text(last), self.output.gap_text(read)
        kind = mark_kind(truth, output)
        # What differs since the next words are lost, added or moved is their error's.
        after = items[following] if following < len(items) else None
        if after is not None and after.stands_alone:
            alone = takewhile(lambda each: each.stands_alone, islice(items, following, None))
            if kind == "line_breaks" or self._follows_alone(list(alone), truth, output):
                return after.edit
        elif after is not None and kind == "line_breaks" and after.move != item.move:
            return after.move if after.move != NO_EDIT else item.move
        characters = self._wrong(truth, output)
        start, end = self.truth.gap(last)
        if kind == "line_breaks":
            return self._new_edit(kind, characters, start, end)
        for name, region in (
            ("truth", self.truth.table(last)),
            ("output", self.output.table(read)),
        ):
            if region is None:
                continue
            edit = self.tables.get((name, region))
            if edit is None:
                edit = self.tables[name, region] = self._new_edit(kind, 0, start, end)
            self.edits[edit].characters += characters
            self.edits[edit].end = max(self.edits[edit].end, end)
            return edit
        return self._new_edit(kind, characters, start, end)

    def _follows_alone(self, alone: Sequence[_Item], truth: str, output: str) -> bool:
        """Whether one text has before the lost or added words what the other has after them."""
        lost = [item.truth[1] for item in alone if item.truth[0] < item.truth[1]]
        added = [item.output[1] for item in alone if item.output[0] < item.output[1]]
        true_end = self.truth.gap_text(lost[-1] - 1) if lost else truth
        end = self.output.gap_text(added[-1] - 1) if added else output
        return mark_kind(true_end, end) == "line_breaks"

    # --- words --------------------------------------------------------------------------------

    def _items(self) -> Iterator[_Item]:
        """What stands for what, in the truth's order; each word of both sides is in one item."""
        matches = match_words(self.truth.keys, self.output.keys)
        order = matches.order
        moves: dict[int, int] = {}
        for run in matches.moved:
            moves |= dict.fromkeys(run, self._move([order[place] for place in run]))
        fragments: dict[int, _Item] = {}
        for number, place, length in matches.fragments:
            words = [order[place + step] for step in range(length)]
            move = self._move(words)
            for own, word in enumerate(words, number):
                fragments[own] = _Item((own, own + 1), (word, word + 1), None, move)
        number = place = 0
        for (numbers, places, after), (of_truth, of_output) in zip(
            matches.free_gaps(), matches.gaps, strict=True
        ):
            for own, read in zip(
                range(number, of_truth.start), range(place, of_output.start), strict=True
            ):
                word = order[read]
                yield _Item((own, own + 1), (word, word + 1), None, moves.get(read, NO_EDIT))
            gap = _Gap(self.truth, self.output, numbers, places, order, moves, after)
            in_gap = [*gap.items(), *(fragments[own] for own in of_truth if own in fragments)]
            yield from sorted(in_gap, key=lambda item: item.order)
            number, place = after, of_output.stop

    def _move(self, words: Sequence[int]) -> int:
        """The edit of a passage of the output that has moved."""
        page = self.output.page
        in_table = sum(page.kinds[word] in TABLE_WORDS for word in words)
        kind: ErrorKind = "table_cells" if 2 * in_table > len(words) else "order"
        return self._new_edit(kind, sum(len(page.words[word]) + 1 for word in words), 0, 0)


@dataclass(frozen=True, slots=True)
class _Gap:
    """Words of both sides between equal words, without those that stand elsewhere."""

    truth: _Side
    output: _Side
    numbers: Sequence[int]
    places: Sequence[int]
    order: Sequence[int]
    moves: Mapping[int, int]
    end: int
    """The word of the truth after the gap."""

    def items(self) -> Iterator[_Item]:
        """The words that stand for each other, and those that are lost or added."""
        if not self.numbers and not self.places:
            return
        linked = list(self._linked())
        linked_words = {number for _, item in linked for number in range(*item.truth)}
        for run in runs_of([number for number in self.numbers if number not in linked_words]):
            for kind, own in lost_runs(self.truth.page, run):
                yield _Item((own[0], own[-1] + 1), (0, 0), kind)
        start = 0
        for (first, after), before in [
            *((span, item.truth[0]) for span, item in linked),
            ((len(self.places), 0), self.end),
        ]:
            for words, move in self._added(range(start, first)):
                yield _Item((before, before), words, "text_added", move)
            start = after
        yield from (item for _, item in linked)

    def _word(self, i: int) -> int:
        return self.order[self.places[i]]

    def _move(self, i: int) -> int:
        return self.moves.get(self.places[i], NO_EDIT)

    def _linked(self) -> Iterator[tuple[tuple[int, int], _Item]]:
        """The items with words on both sides, each with its places in the gap's output."""
        texts = [self.truth.keys[number] for number in self.numbers]
        reads = [self.output.keys[self._word(i)] for i in range(len(self.places))]
        for (a, b), (c, d) in link_words(texts, reads):
            first, last = self.numbers[a], self.numbers[b - 1]
            start, stop = self._word(c), self._word(d - 1)
            if last - first != b - a - 1 or stop - start != d - c - 1:
                continue  # something that stands elsewhere is between them
            if any(self._move(i) != self._move(c) for i in range(c, d)):
                continue
            formula = any(
                self.truth.page.kinds[n] == FORMULA_WORD for n in range(first, last + 1)
            ) or (any(self.output.page.kinds[w] == FORMULA_WORD for w in range(start, stop + 1)))
            kind = substitution_kind(texts[a:b], reads[c:d], formula=formula)
            yield (c, d), _Item((first, last + 1), (start, stop + 1), kind, self._move(c))

    def _added(self, places: range) -> Iterator[tuple[tuple[int, int], int]]:
        """Runs of added words within a line of the output, and the edit that moved each."""
        first = places.start
        for i in places:
            is_last = i + 1 == places.stop
            if (
                is_last
                or self._word(i + 1) != self._word(i) + 1
                or self._move(i + 1) != self._move(i)
                or "\n" in self.output.gap_text(self._word(i))
            ):
                yield (self._word(first), self._word(i) + 1), self._move(i)
                first = i + 1
