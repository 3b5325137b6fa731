"""Where each word of a page's output stands in the truth, and which words stand nowhere.

Equal words are matched in order, then phrases of two words and more in another order, then single
words. What is left between two matched words is aligned: an output word and a word of the truth in
one place may be a misreading. Numbers are compared by their value, words by their keys
(:mod:`ohr.metrics.word_keys`). Mark-up is removed from both sides.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import zip_longest
from typing import NamedTuple

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from ohr.markup.folding import fold_amounts
from ohr.markup.strip import strip_markup
from ohr.metrics.alignment import fragments
from ohr.metrics.matching import encode
from ohr.metrics.page_numbers import PageNumber, find_numbers
from ohr.metrics.word_keys import end_of_word, keyed_words, word_key

ALIKE = 0.5
"""Least similarity of the keys of two words in one place for one to be a misread other."""
MOST_CELLS = 4_000_000
"""Most pairs of words of a gap that are aligned: 2,000 words on both sides, a second. A larger gap
has nothing in common, and none of its words is a misreading."""
SURE_WORDS = 4
"""Words of a phrase that stands in another order not by chance."""
SURE_LETTERS = 5
"""Letters of a word that is like another not by chance."""
_CHART = re.compile(r"<chart\b[^<>]{0,200}>(.*?)</chart\s*>", re.DOTALL)
_SPACES = re.compile("[ \t\n\r]+")  # the special spaces between thousands stay
_SPECIAL_SPACES = "\u00a0\u202f"
_UNLIKE = 1.5
"""Cost of a pair of words with nothing in common; a lost or added word costs 1."""
_TWO_NUMBERS = 0.2, 0.6
"""Cost of a pair of numbers: at least the first; with no digit in common, both together."""
_FEW_CELLS = 64
"""Cells of costs up to which plain numbers are faster than arrays: most gaps have four to nine."""
_ROUNDING = 1e-9


class PageWord(NamedTuple):
    """A word of a page's content, ``content[start:end]``; ``number`` if it is one.

    ``in_chart``: whether it stands for data of a chart, which are not printed in this form.
    """

    key: str
    start: int
    end: int
    number: PageNumber | None = None
    in_chart: bool = False


@dataclass(frozen=True, slots=True)
class PageContent:
    """What a person would see of a page text: its characters without mark-up, and its words.

    ``codes`` are equal for equal words, and for equal numbers.
    """

    text: str
    words: tuple[PageWord, ...]
    codes: tuple[str, ...]

    @property
    def has_chart(self) -> bool:
        """Whether it has the data of a chart, and so lacks the numbers along its axes."""
        return any(word.in_chart for word in self.words)


@lru_cache(maxsize=256)
def page_content(page_text: str) -> PageContent:
    """The content of a page text."""
    parts: list[str] = []
    words: list[PageWord] = []
    length = 0
    for place_of_part, part in enumerate(_CHART.split(page_text)):
        text = _SPACES.sub(" ", fold_amounts(strip_markup(part)))
        words += _words(text, length, in_chart=place_of_part % 2 == 1)
        parts.append(text)
        length += len(text) + 1
    codes = (word.key if word.number is None else f"#{word.number.code}" for word in words)
    return PageContent("\n".join(parts), tuple(words), tuple(codes))


def _words(text: str, start: int, *, in_chart: bool) -> Iterator[PageWord]:
    """The words of a part of the content that begins at ``start``; a number is a word alone."""
    done = 0
    numbers = find_numbers(text)
    for number, following in zip_longest(numbers, numbers[1:]):
        for key, first, last in keyed_words(text, done, number.start):
            yield PageWord(key, start + first, start + last, None, in_chart)
        done = number.end
        literal = text[number.start : done]
        yield PageWord(word_key(literal), start + number.start, start + done, number, in_chart)
        if any(space in literal for space in _SPECIAL_SPACES):
            # Of several words, the last one's letters after the number are lost: its unit.
            end = end_of_word(text, done)
            done = end if following is None or following.start >= end else done
    for key, first, last in keyed_words(text, done):
        yield PageWord(key, start + first, start + last, None, in_chart)


@dataclass(frozen=True, slots=True)
class Gap:
    """Places of the output and of the truth between two matched words that match nothing."""

    output: tuple[int, ...]
    truth: tuple[int, ...]


@dataclass(frozen=True)
class Placement:
    """Where the words of an output stand in the truth; all values are places of words.

    ``matched`` maps places of the output to those of equal words of the truth, ``pairs`` those in
    whose place the truth has another word, and ``gaps`` are all other places. ``doubtful`` are
    matched and paired places of the output that chance alone may explain: fewer than
    :data:`SURE_WORDS` words in another order, and pairs of short words.
    """

    matched: dict[int, int]
    pairs: dict[int, int]
    gaps: tuple[Gap, ...]
    doubtful: frozenset[int]


@lru_cache(maxsize=4)
def place(text: str, truth: str) -> Placement:
    """Where the words of a page text stand in the truth."""
    output, true = page_content(text), page_content(truth)
    predicted, expected = output.words, true.words
    [[codes], [expected_codes]] = encode([output.codes], [true.codes])
    matched: dict[int, int] = {}
    differing: list[tuple[range, range]] = []
    end, start = 0, 0
    for code in Levenshtein.opcodes(expected_codes, codes):
        if code.tag == "equal":
            for step in range(code.src_end - code.src_start):
                matched[code.dest_start + step] = code.src_start + step
            differing.append((range(end, code.src_start), range(start, code.dest_start)))
            end, start = code.src_end, code.dest_end
    differing.append((range(end, len(expected)), range(start, len(predicted))))
    doubtful: set[int] = set()
    for number, position, length in fragments(expected_codes, codes, differing):
        if length > 1:
            matched |= {position + step: number + step for step in range(length)}
            doubtful |= set(range(position, position + length)) if length < SURE_WORDS else set()
    size = len(predicted), len(expected)
    pairs = _changed_in_place(output, true, _gaps(size, matched))
    single = _single_words(codes, expected_codes, _gaps(size, matched | pairs))
    gaps: list[Gap] = []
    for gap in _gaps(size, matched | pairs | single):
        own = _aligned(predicted, expected, gap)
        pairs |= own
        doubtful |= {
            i
            for i, j in own.items()
            if len(predicted[i].key) < SURE_LETTERS and expected[j].number is None
        }
        paired = set(own.values())
        gaps.append(
            Gap(
                tuple(i for i in gap.output if i not in own),
                tuple(j for j in gap.truth if j not in paired),
            )
        )
    return Placement(matched | single, pairs, tuple(gaps), frozenset(doubtful | single.keys()))


def _gaps(size: tuple[int, int], placed: Mapping[int, int]) -> list[Gap]:
    """The words without a place, in runs of the output, each with the lost words in its place.

    These are the words of the truth after that of the word before the run, and before that of the
    word after it, up to words that have a place. Lost words beside no run come last, as one gap.
    """
    length, true_length = size
    taken = set(placed.values())
    gaps = []
    position = 0
    while position < length:
        first = position
        while position < length and position not in placed:
            position += 1
        if first == position:
            position += 1
            continue
        lost = []
        after = placed[first - 1] + 1 if first else 0
        while after < true_length and after not in taken:
            lost.append(after)
            taken.add(after)
            after += 1
        before = placed[position] - 1 if position < length else true_length - 1
        tail = []
        while before >= 0 and before not in taken:
            tail.append(before)
            taken.add(before)
            before -= 1
        gaps.append(Gap(tuple(range(first, position)), (*lost, *reversed(tail))))
    rest = tuple(j for j in range(true_length) if j not in taken)
    return [*gaps, *([Gap((), rest)] if rest else [])]


def _changed_in_place(
    output: PageContent, truth: PageContent, gaps: Sequence[Gap]
) -> dict[int, int]:
    """Numbers in the place of another number, where as many words are without a place.

    Two numbers that stand in each other's place elsewhere too have moved.
    """
    free = Counter(output.codes[i] for gap in gaps for i in gap.output)
    lost = Counter(truth.codes[j] for gap in gaps for j in gap.truth)
    return {
        i: j
        for gap in gaps
        if len(gap.output) == len(gap.truth)
        for i, j in zip(gap.output, gap.truth, strict=True)
        if output.words[i].number is not None and truth.words[j].number is not None
        if free[truth.codes[j]] == 0 or lost[output.codes[i]] == 0
    }


def _single_words(
    codes: Sequence[str], expected: Sequence[str], gaps: Sequence[Gap]
) -> dict[int, int]:
    """Single words that stand elsewhere, the first with the first."""
    lost: dict[str, list[int]] = defaultdict(list)
    for gap in reversed(gaps):
        for j in reversed(gap.truth):
            lost[expected[j]].append(j)
    return {i: lost[codes[i]].pop() for gap in gaps for i in gap.output if lost.get(codes[i])}


def _aligned(
    predicted: Sequence[PageWord], expected: Sequence[PageWord], gap: Gap
) -> dict[int, int]:
    """The pairs of the cheapest alignment of a gap that are alike, or two numbers."""
    if not gap.output or not gap.truth or len(gap.output) * len(gap.truth) > MOST_CELLS:
        return {}
    if len(gap.output) == len(gap.truth) == 1:  # most gaps: a pair costs less than two words alone
        word, true = predicted[gap.output[0]], expected[gap.truth[0]]
        two_numbers = word.number is not None and true.number is not None
        is_pair = two_numbers or _alike(true.key, word.key) >= ALIKE
        return {gap.output[0]: gap.truth[0]} if is_pair else {}
    rows, columns = [expected[j] for j in gap.truth], [predicted[i] for i in gap.output]
    distances = cdist(
        [word.key for word in rows],
        [word.key for word in columns],
        scorer=Levenshtein.normalized_distance,
        dtype=np.float32,
    )
    costs = _UNLIKE * distances
    is_true_number = [word.number is not None for word in rows]
    is_number = [word.number is not None for word in columns]
    if any(is_true_number) and any(is_number):
        two = np.ix_(is_true_number, is_number)
        least, more = _TWO_NUMBERS
        costs[two] = least + more * distances[two]
        for row, column in _same_numbers(rows, columns):
            costs[row, column] = 0.0
    return {
        gap.output[column]: gap.truth[row]
        for row, column in (_cheapest if costs.size > _FEW_CELLS else _cheapest_of_few)(costs)
        if (is_true_number[row] and is_number[column]) or 1 - distances[row, column] >= ALIKE
    }


def _alike(first: str, second: str) -> float:
    return float(Levenshtein.normalized_similarity(first, second))


def _same_numbers(
    rows: Sequence[PageWord], columns: Sequence[PageWord]
) -> Iterator[tuple[int, int]]:
    """The pairs of words that are the same number, written in different ways."""
    by_meaning: dict[Decimal, list[tuple[int, PageNumber]]] = defaultdict(list)
    for column, word in enumerate(columns):
        if word.number is not None:
            for meaning in word.number.meanings:
                by_meaning[meaning].append((column, word.number))
    for row, word in enumerate(rows):
        if word.number is not None:
            for meaning in word.number.meanings:
                for column, number in by_meaning.get(meaning, ()):
                    if number.is_same(word.number):
                        yield row, column


def _cheapest(costs: np.ndarray) -> list[tuple[int, int]]:
    """The pairs of the cheapest alignment by the costs ``(n, m)`` of pairs; without one costs 1."""
    n, m = costs.shape
    along = np.arange(m + 1.0)
    steps = np.ones((n + 1, m + 1), np.uint8)
    total = along
    for row in range(n):
        least, step = total + 1, np.full(m + 1, 2, np.uint8)
        pairing = total[:-1] + costs[row]
        better = pairing <= least[1:] + _ROUNDING
        least[1:][better] = pairing[better]
        step[1:][better] = 0
        adding = np.minimum.accumulate(least - along) + along
        steps[row + 1] = np.where(adding < least - _ROUNDING, 1, step)
        total = adding
    return _pairs(steps)


def _cheapest_of_few(costs: np.ndarray) -> list[tuple[int, int]]:
    """The same as :func:`_cheapest`, number by number."""
    m = costs.shape[1]
    total = [float(column) for column in range(m + 1)]
    steps = [[1] * (m + 1)]
    for row in costs.tolist():
        adding, along = [], []
        best = math.inf
        for column, above in enumerate(total):
            least, step = above + 1, 2
            if column:
                pairing = total[column - 1] + row[column - 1]
                if pairing <= least + _ROUNDING:
                    least, step = pairing, 0
            best = min(best, least - column)
            cost = best + column
            along.append(1 if cost < least - _ROUNDING else step)
            adding.append(cost)
        steps.append(along)
        total = adding
    return _pairs(steps)


def _pairs(steps: Sequence[Sequence[int]] | np.ndarray) -> list[tuple[int, int]]:
    """The pairs on the way back through the steps: 0 is a pair, 1 an added word, 2 a lost one."""
    pairs = []
    row, column = len(steps) - 1, len(steps[0]) - 1
    while row and column:
        step = steps[row][column]
        row, column = row - (step != 1), column - (step != 2)
        if step == 0:
            pairs.append((int(row), int(column)))
    return pairs[::-1]
