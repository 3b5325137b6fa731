"""Numbers of an output where a witness has another number although the words around agree.

What a number is, :mod:`ohr.metrics.page_numbers` says, here as with ground truth. The comparison is
another one than :mod:`ohr.metrics.changed_numbers`, since a witness is no truth: it misses words,
has them in another order, and reads points and commas badly. Its numbers are compared only between
words that agree, and by their digits. On clean pages of honest engines this disputes 2.3 % of the
numbers, points and commas included 5.0 %, and the comparison with a truth 6.3 %.

Which of them is right, the glyphs decide: the place is read again by the recognisers of
:mod:`ohr.documents.layers.witnesses`. A number is contradicted if they read the witness's number
and not the output's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from rapidfuzz.distance import Levenshtein

from ohr.metrics.page_numbers import number_of_word
from ohr.metrics.word_keys import keyed_words, word_key
from ohr.quality.support import plain_text
from ohr.types import Word

__all__ = ["DisputedNumber", "NumberComparison", "compare_with_witness", "decided", "digits_of"]

_MASK = "#"
_WORDS_NEAR, _FEWEST_NEAR = 8, 2
"""Of so many words around a number, so many must agree, beside other numbers."""
_SHIFT = 4  # words on either side
_GAP = 3.0  # heights between words of a line

Side = Literal["own", "other", ""]


@dataclass(frozen=True, slots=True)
class DisputedNumber:
    """A number of an output, and the one that a witness has in its place. Both are untrusted.

    ``box`` is the place of the witness's number with its neighbours, None if it has no boxes.
    """

    own: str
    other: str
    context: str
    box: tuple[int, int, int, int] | None


@dataclass(frozen=True, slots=True)
class NumberComparison:
    """The numbers of two outputs that stand in the same place: how many, and those that differ."""

    compared: int
    disputed: tuple[DisputedNumber, ...]
    words: int
    """Number of words in the same place in both, and of others that differ beside them."""
    words_changed: int


def digits_of(word: str) -> str:
    """The digits of a word that is a number, without separators and signs; else empty."""
    number = number_of_word(word)
    return "" if number is None else number.digits


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    key: str
    digits: str
    place: int  # among the witness's words with boxes

    @property
    def masked(self) -> str:
        return _MASK if self.digits else self.key


def _tokens_of_text(text: str) -> list[_Token]:
    plain = plain_text(text)
    words = [(plain[word.start : word.end], word.key) for word in keyed_words(plain)]
    return [_Token(word, key, digits_of(word), -1) for word, key in words]


def _tokens_of_words(words: Sequence[Word]) -> list[_Token]:
    keyed = [(place, word.text, word_key(word.text)) for place, word in enumerate(words)]
    return [_Token(text, key, digits_of(text), place) for place, text, key in keyed if key]


def compare_with_witness(text: str, witness: str, words: Sequence[Word] | None) -> NumberComparison:
    """Compare the numbers of an output with those of a witness's text, or of its ``words``.

    The texts are aligned with all numbers as one sign. Where a number is missing, the next ones
    move up, so a number that the witness has close by is not changed. Among other numbers, where
    rows may move up, it counts as changed only if the output has the other one less often than the
    witness, and its own more often.
    """
    own = _tokens_of_text(text)
    other = _tokens_of_words(words) if words else _tokens_of_text(witness)
    own_counts, other_counts = (
        Counter(token.digits for token in each if token.digits) for each in (own, other)
    )
    compared, disputed, same, changed = 0, [], 0, 0
    operations = Levenshtein.opcodes(
        [token.masked for token in own], [token.masked for token in other]
    )
    for step in operations:
        first, second = own[step.src_start : step.src_end], other[step.dest_start : step.dest_end]
        if step.tag == "replace" and len(first) == len(second):
            changed += sum(
                not a.digits and not b.digits for a, b in zip(first, second, strict=True)
            )
        if step.tag != "equal":
            continue
        same += sum(not token.digits for token in first)
        for index, (a, b) in enumerate(zip(first, second, strict=True)):
            if not a.digits or not _has_context(first, index):
                continue
            compared += 1
            place = step.dest_start + index
            near = other[max(0, place - _SHIFT) : place + _SHIFT + 1]
            if a.digits == b.digits or a.digits in {token.digits for token in near}:
                continue
            moved = (
                own_counts[a.digits] <= other_counts[a.digits]
                or own_counts[b.digits] >= other_counts[b.digits]
            )
            if _is_between_words(first, index) or not moved:
                context = " ".join(token.text for token in first[max(0, index - 4) : index])
                box = _place(words, b.place) if words else None
                disputed.append(DisputedNumber(a.text, b.text, context, box))
    return NumberComparison(compared, tuple(disputed), same + changed, changed)


def _is_between_words(tokens: Sequence[_Token], index: int) -> bool:
    near = tokens[max(0, index - 2) : index + 3]
    return sum(not token.digits for token in near) >= 3


def _has_context(tokens: Sequence[_Token], index: int) -> bool:
    near = tokens[max(0, index - _WORDS_NEAR) : index + _WORDS_NEAR + 1]
    return sum(not token.digits for token in near) >= _FEWEST_NEAR


def _place(words: Sequence[Word], place: int) -> tuple[int, int, int, int]:
    """The box of a word and of its neighbours in its line."""
    x0, y0, x1, y1 = words[place].box
    tall = max(1, y1 - y0)
    for other in _neighbours(words, place):
        a, top, b, bottom = other.box
        overlap = min(y1, bottom) - max(y0, top)
        if (
            overlap > 0.5 * min(tall, bottom - top)
            and a < x1 + _GAP * tall
            and b > x0 - _GAP * tall
        ):
            x0, y0, x1, y1 = min(x0, a), min(y0, top), max(x1, b), max(y1, bottom)
    return x0, y0, x1, y1


def _neighbours(words: Sequence[Word], place: int) -> Iterator[Word]:
    for other in (place - 1, place + 1):
        if 0 <= other < len(words):
            yield words[other]


def decided(number: DisputedNumber, readings: Sequence[str]) -> Side:
    """Which of two numbers recognisers have read in the place; empty if none, or both."""
    read = {digits_of(word) for text in readings for word in text.split()}
    own, other = (digits_of(each) in read for each in (number.own, number.other))
    return "" if own == other else "own" if own else "other"


def spread(numbers: Sequence[DisputedNumber], most: int) -> list[DisputedNumber]:
    """At most so many of the numbers that have a place, spread evenly."""
    placed = [number for number in numbers if number.box is not None]
    if len(placed) <= most:
        return placed
    return [placed[int(i)] for i in np.linspace(0, len(placed) - 1, most)]
