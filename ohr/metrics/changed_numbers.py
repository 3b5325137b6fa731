"""What became of the numbers of a page: right, silently changed, or dropped; and which were added.

A number is *silently changed* if another well-formed number stands in its place: nobody can see
from the text that it is wrong. It is *dropped* if no number stands there, also if what stands there
is no number any more (``4,8l2``).

The truth has the data of a chart, not the numbers along its axes. So data of a chart are right if
they stand anywhere, and never silently changed; on such a page no number counts as added.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from rapidfuzz.distance import Levenshtein

from ohr.metrics.page_numbers import PageNumber
from ohr.metrics.placement import PageContent, PageWord, page_content, place

Change = Literal["sign", "point", "digit", "other"]
CHANGES: Mapping[Change, str] = {
    "sign": "the sign",
    "point": "the decimal point or a thousands separator",
    "digit": "one digit changed, lost or added",
    "other": "more than one digit",
}
"""How two numbers differ, with its meaning."""
_GROUP = 3
"""Digits of a group of thousands."""


@dataclass(frozen=True, slots=True)
class ChangedNumber:
    """A number of the truth and what stands in its place, as they are written."""

    truth: str
    output: str
    change: Change


@dataclass(frozen=True)
class NumberFates:
    """What became of the numbers of a page."""

    right: int
    changed: tuple[ChangedNumber, ...]
    dropped: tuple[str, ...]
    added: tuple[str, ...]
    """Numbers of the output that stand in no number's place and that the truth has nowhere."""

    @property
    def total(self) -> int:
        """Numbers of the truth."""
        return self.right + len(self.changed) + len(self.dropped)

    @property
    def changes(self) -> Counter[Change]:
        """How many numbers changed in each way."""
        return Counter(each.change for each in self.changed)


@lru_cache(maxsize=8)
def compare_numbers(text: str, truth: str) -> NumberFates:
    """What became of the numbers of the truth in a page text; mark-up is removed from both."""
    if text == truth:
        return NumberFates(count_numbers(truth), (), (), ())
    output, expected = page_content(text), page_content(truth)
    replaced, dropped, added = _unequal(text, truth)
    total = count_numbers(truth)
    return NumberFates(
        total - len(replaced) - len(dropped),
        tuple(
            ChangedNumber(
                _written(expected, j), _written(output, i), _change(expected, j, output, i)
            )
            for j, i in replaced.items()
        ),
        tuple(_written(expected, j) for j in dropped),
        tuple(_written(output, i) for i in added),
    )


@lru_cache(maxsize=16384)
def count_numbers(page_text: str) -> int:
    """How many numbers a page text has."""
    return sum(word.number is not None for word in page_content(page_text).words)


@lru_cache(maxsize=1024)
def replaced_values(text: str, truth: str) -> tuple[tuple[PageNumber, PageNumber], ...]:
    """The silently changed numbers of a page: the true one, and the one in its place.

    Many questions ask this of one page, for each answer.
    """
    output, expected = page_content(text), page_content(truth)
    replaced, _, _ = _unequal(text, truth)
    return tuple(
        (_number(expected.words[j]), _number(output.words[i])) for j, i in replaced.items()
    )


def changed_places(text: str, truth: str) -> list[tuple[int, int]]:
    """Where silently changed numbers stand in the content of a page text, as starts and ends."""
    words = page_content(text).words
    replaced, _, _ = _unequal(text, truth)
    return sorted((words[i].start, words[i].end) for i in replaced.values())


def _unequal(text: str, truth: str) -> tuple[dict[int, int], list[int], list[int]]:
    """Places of words: true number -> the number in its place, dropped numbers, added ones."""
    output, expected, placement = page_content(text), page_content(truth), place(text, truth)
    placed = {j: i for i, j in placement.matched.items()} | {
        j: i for i, j in placement.pairs.items()
    }
    free = {i for gap in placement.gaps for i in gap.output if output.words[i].number is not None}
    replaced: dict[int, int] = {}
    dropped: list[int] = []
    for j, word in enumerate(expected.words):
        if word.number is None:
            continue
        i = placed.get(j)
        number = None if i is None else output.words[i].number
        if i is None or number is None:
            dropped.append(j)
        elif word.in_chart and not number.is_same(word.number):
            dropped.append(j)  # labels of a chart have no place in its data
            free.add(i)
        elif not number.is_same(word.number):
            replaced[j] = i
    _join_groups(output.words, expected.words, replaced, dropped, free)
    known_codes = set(expected.codes)
    added = [] if expected.has_chart else [i for i in free if output.codes[i] not in known_codes]
    return replaced, dropped, sorted(added)


def _join_groups(
    output: Sequence[PageWord],
    expected: Sequence[PageWord],
    replaced: dict[int, int],
    dropped: list[int],
    free: set[int],
) -> None:
    """Numbers that are right but for spaces between groups of thousands: ``1 234`` is 1234."""
    for j, i in list(replaced.items()):
        for parts in _runs_around(output, i):
            if _joined(output, parts) == _number(expected[j]).digits and all(
                part == i or part in free for part in parts
            ):
                del replaced[j]
                free.difference_update(parts)
                break
        else:
            for parts in _runs_around(expected, j):
                if _joined(expected, parts) == _number(output[i]).digits and all(
                    part == j or part in dropped for part in parts
                ):
                    del replaced[j]
                    dropped[:] = [part for part in dropped if part not in parts]
                    break


def _runs_around(words: Sequence[PageWord], position: int) -> Iterator[range]:
    """Runs of two to four numbers around one."""
    for length in (2, 3, 4):
        for first in range(position - length + 1, position + 1):
            if first >= 0 and first + length <= len(words):
                yield range(first, first + length)


def _joined(words: Sequence[PageWord], places: range) -> str:
    """The digits of a run of groups of thousands; empty if it is none."""
    numbers = [words[i].number for i in places]
    digits = [number.digits for number in numbers if number is not None and not number.date]
    if len(digits) < len(numbers) or not 1 <= len(digits[0]) <= _GROUP:
        return ""
    return "".join(digits) if all(len(group) == _GROUP for group in digits[1:]) else ""


def _number(word: PageWord) -> PageNumber:
    if word.number is None:
        raise ValueError(f"{word} is no number")
    return word.number


def _written(content: PageContent, position: int) -> str:
    """A number as it is written, with its sign, currency or brackets."""
    word = content.words[position]
    before = content.text[max(0, word.start - 3) : word.start].split(" ")[-1]
    start = word.start - len(before) + len(before.rstrip("($€£¥-\u2212\u2013"))
    after = content.text[word.end : word.end + 2]
    closing = ")" if "(" in content.text[start : word.start] and after[:1] == ")" else ""
    return content.text[start : word.end] + (closing or ("%" if after[:1] == "%" else ""))


def _change(expected: PageContent, j: int, output: PageContent, i: int) -> Change:
    first, second = _number(expected.words[j]), _number(output.words[i])
    if not first.date and not second.date:
        if {abs(value) for value in first.meanings} & {abs(value) for value in second.meanings}:
            return "point" if first.mark != second.mark else "sign"
        if first.digits.strip("0") == second.digits.strip("0") and (
            len(first.digits) == len(second.digits)
        ):
            return "point"
    return "digit" if Levenshtein.distance(first.digits, second.digits) == 1 else "other"
