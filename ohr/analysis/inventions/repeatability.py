"""Compares two outputs of nearly the same page: which words and numbers come and go."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from ohr.metrics.changed_numbers import compare_numbers
from ohr.metrics.word_keys import keyed_words


@dataclass(frozen=True, slots=True)
class RepeatCount:
    """Words and numbers of two outputs.

    ``gone``: words of the first that the second has less often; ``come``: the reverse. ``numbers``
    are those of the first, ``numbers_gone`` those of them that the second lacks, and ``changed``
    those in whose place it has another number.
    """

    words: int
    words_again: int
    gone: int
    come: int
    numbers: int
    numbers_gone: int
    changed: tuple[tuple[str, str], ...]


def compare_outputs(first: str, second: str) -> RepeatCount:
    """Compare the output of a page with that of the same page, hardly changed.

    Numbers are compared as an output's with the truth's (:mod:`ohr.metrics.changed_numbers`).
    """
    words, again = (Counter(word.key for word in keyed_words(text)) for text in (first, second))
    fates = compare_numbers(second, first)
    return RepeatCount(
        words.total(),
        again.total(),
        (words - again).total(),
        (again - words).total(),
        fates.total,
        fates.total - fates.right,
        tuple((each.truth, each.output) for each in fates.changed),
    )
