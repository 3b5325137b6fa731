"""Compares two outputs of nearly the same page: which words and numbers come and go."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from ohr.markup.folding import fold
from ohr.metrics.word_keys import keyed_words

_NUMBER = re.compile(r"((?<!\w)[-\u2212(][$€£]?)?(\d(?:[\d.,'’]*\d)?)")
"""The digits, after a minus or a parenthesis, with which accounts mark what is below zero."""


@dataclass(frozen=True, slots=True)
class RepeatCount:
    """Words and numbers of two outputs.

    ``gone``: words of the first that the second has less often; ``come``: the reverse. ``numbers``
    are those of the first, ``changed`` those in whose place the second has another number.
    """

    words: int
    words_again: int
    gone: int
    come: int
    numbers: int
    numbers_gone: int
    changed: tuple[tuple[str, str], ...]


def compare_outputs(first: str, second: str) -> RepeatCount:
    """Compare the output of a page with that of the same page, hardly changed."""
    words, again = ([word.key for word in keyed_words(text)] for text in (first, second))
    numbers, numbers_again = Counter(numbers_of(first)), Counter(numbers_of(second))
    gone = numbers - numbers_again
    come = numbers_again - numbers
    return RepeatCount(
        len(words),
        len(again),
        (Counter(words) - Counter(again)).total(),
        (Counter(again) - Counter(words)).total(),
        numbers.total(),
        gone.total(),
        tuple(
            pair for pair in _replaced_numbers(first, second) if pair[0] in gone and pair[1] in come
        ),
    )


def numbers_of(text: str) -> list[str]:
    """The numbers of a text, in order, without thousands separators, with ``-`` below zero."""
    return [number for word in fold(text).split() for number in _numbers_in(word)]


def _numbers_in(word: str) -> list[str]:
    return ["-" * bool(match[1]) + plain_number(match[2]) for match in _NUMBER.finditer(word)]


def plain_number(number: str) -> str:
    """``1,234.50`` is ``1234.50``: separators before three digits are left out, except a point
    that is the only one."""
    number = re.sub(r"[,'’](?=\d{3}(?!\d))", "", number)
    if number.count(".") > 1:
        number = re.sub(r"\.(?=\d{3}(?!\d))", "", number)
    return number


def _replaced_numbers(first: str, second: str) -> list[tuple[str, str]]:
    """Numbers of the first text with those that stand in their place, by aligned words."""
    from rapidfuzz.distance import Levenshtein

    before, after = fold(first).split(), fold(second).split()
    pairs = []
    for change in Levenshtein.editops(before, after):
        if change.tag == "replace":
            numbers = _numbers_in(before[change.src_pos])
            new_numbers = _numbers_in(after[change.dest_pos])
            if len(numbers) == len(new_numbers):
                pairs += [(a, b) for a, b in zip(numbers, new_numbers, strict=True) if a != b]
    return pairs
