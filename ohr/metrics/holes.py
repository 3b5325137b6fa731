"""Leaves out what is not known of a page's truth, from the truth and from what is compared with it.

An engine that reads a doubtful word, in whatever way, is neither charged nor credited for it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from ohr.markup.writing_systems import CJK, UNSPACED
from ohr.metrics.matching import assign
from ohr.types import Holes

Span = tuple[int, int]

FEWEST_WORDS = 3
"""A doubtful word counts as read as at most this many words, or half as many as it has letters:
text layers without spaces glue a line to one word. What an engine writes beyond is charged."""
LEAST_ALIKE = 0.5
"""Least similarity of a doubtful word and a word in another place for one to be the other's."""
MOST_CELLS = 16_000_000
"""Most pairs of words that are aligned exactly: pages of 4,000 words, a quarter of a second."""
_MOST_PAIRS = 1_000_000
"""Most pairs of different words whose similarity is computed; beyond, words are equal or not."""
_UNLIKE = 1.5
"""Cost of a pair of words with nothing in common; a missing or inserted word costs 1. So a known
word that is missing is not paired with what stands for the doubtful word beside it."""
_TAKEN = 1e-6
"""Share of the cost of an unlike pair that a word costs which a doubtful word takes up: so it takes
up no more than it needs and, of two words, the one that is more like it."""
_ROUNDING = 1e-9
# Writing without spaces does not separate words: each of its characters counts as one.
_WORD = re.compile(rf"[{CJK}{UNSPACED}]|[^\s{CJK}{UNSPACED}]+")
_DELETED, _INSERTED, _TAKES = 1, 2, 3
"""Steps of an alignment; 0 is a pair, and :data:`_TAKES` + k a doubtful word that takes k words."""


def known_texts(prediction: str, truth: str, holes: Holes | None) -> tuple[str, str]:
    """Both texts of a page without what is not known of its truth: without doubtful words."""
    if holes is None:
        return prediction, truth
    return drop_doubtful(prediction, truth, holes.doubtful, order_known=holes.order_known)


def known_truth(truth: str, holes: Holes | None) -> str:
    """A page's truth without its doubtful words."""
    return truth if holes is None else _cut(truth, doubtful_words(truth, holes.doubtful))


def drop_doubtful(
    prediction: str, truth: str, spans: Sequence[Span], *, order_known: bool = True
) -> tuple[str, str]:
    """The prediction and the truth of a page without doubtful words of the truth.

    ``spans`` are starts and ends in the truth, sorted; every word that one of them touches is
    doubtful. From the prediction, the words that stand for doubtful words are cut out: those
    between the same known words, by the cheapest alignment in which a doubtful word costs nothing
    whatever it is read as. A doubtful word without such a word may be in another place: the most
    similar inserted word is cut out. If the order is not known, the words left over after the known
    ones are matched as a bag stand for the doubtful ones. Without spans, both texts are unchanged.

    The alignment is exact up to :data:`MOST_CELLS`; beyond, the texts are cut at words that both
    have once.
    """
    words, output = find_words(truth), find_words(prediction)
    doubts = touched(words, spans)
    if not any(doubts):
        return prediction, truth
    expected = [truth[start:end] for start, end in words]
    predicted = [prediction[start:end] for start, end in output]
    if prediction == truth:
        places = [place for place, doubt in enumerate(doubts) if doubt]
    elif order_known:
        places = _aligned(expected, predicted, doubts)
    else:
        places = _left_over(expected, predicted, doubts)
    return (
        _cut(prediction, [output[place] for place in places]),
        _cut(truth, [word for word, doubt in zip(words, doubts, strict=True) if doubt]),
    )


def find_words(text: str) -> list[Span]:
    """Starts and ends of the words of a text, at white space; of writing without spaces, of each
    character."""
    return [match.span() for match in _WORD.finditer(text)]


def doubtful_words(text: str, spans: Sequence[Span]) -> list[Span]:
    """The words of a text that one of some sorted spans touches."""
    words = find_words(text) if spans else []
    return [word for word, doubt in zip(words, touched(words, spans), strict=True) if doubt]


def touched(words: Sequence[Span], spans: Sequence[Span]) -> list[bool]:
    """Whether one of some sorted spans touches each word."""
    ends = [end for _, end in spans]
    flags = []
    for start, end in words:
        place = bisect_left(ends, start + 1)  # the first span that ends inside the word or later
        flags.append(place < len(spans) and spans[place][0] < end)
    return flags


def _cut(text: str, words: Iterable[Span]) -> str:
    parts, done = [], 0
    for start, end in words:
        parts.append(text[done:start])
        done = end
    return "".join([*parts, text[done:]])


# --- the order is known -------------------------------------------------------------------


def _aligned(
    expected: Sequence[str], predicted: Sequence[str], doubts: Sequence[bool]
) -> list[int]:
    """The places of the predicted words that stand for doubtful ones, in order."""
    places: list[int] = []
    inserted: list[int] = []
    unread: list[str] = []
    for (first, start), (last, end) in pairwise(_anchors(expected, predicted, doubts)):
        part = doubts[first:last]
        if (last - first) * (end - start) > MOST_CELLS:  # two long texts with nothing in common
            continue
        taken, extra, missed = _align(expected[first:last], predicted[start:end], part)
        places += [start + place for place in taken]
        inserted += [start + place for place in extra]
        unread += [expected[first + place] for place in missed]
    moved = assign(unread, [predicted[place] for place in inserted], least=LEAST_ALIKE)
    return sorted(places + [inserted[place] for _, place in moved])


def _anchors(
    expected: Sequence[str], predicted: Sequence[str], doubts: Sequence[bool]
) -> list[tuple[int, int]]:
    """Places in both texts at which they are cut before they are aligned; with their ends.

    Equal words at both ends need no alignment. In long texts, words that both have once, in order,
    are in the same place (patience diff).
    """
    first = 0
    shorter = min(len(expected), len(predicted))
    while first < shorter and not doubts[first] and expected[first] == predicted[first]:
        first += 1
    last = 0
    while (
        last < shorter - first
        and not doubts[-1 - last]
        and expected[-1 - last] == predicted[-1 - last]
    ):
        last += 1
    begin, end = (first, first), (len(expected) - last, len(predicted) - last)
    if (end[0] - first) * (end[1] - first) <= MOST_CELLS:
        return [begin, end]
    once = {word for word, count in Counter(predicted).items() if count == 1}
    once &= {word for word, count in Counter(expected).items() if count == 1}
    where = {word: place for place, word in enumerate(predicted) if word in once}
    pairs = [
        (place, where[expected[place]])
        for place in range(begin[0], end[0])
        if expected[place] in once and not doubts[place]
        if begin[1] <= where[expected[place]] < end[1]
    ]
    return [begin, *_rising(pairs), end]


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest part of pairs, sorted by the first number, in which the second one rises too."""
    least: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        length = bisect_left(least, place)
        before.append(ends[length - 1] if length else -1)
        least[length : length + 1] = [place]
        ends[length : length + 1] = [number]
    chain = []
    number = ends[-1] if ends else -1
    while number >= 0:
        chain.append(pairs[number])
        number = before[number]
    return chain[::-1]


def _align(
    expected: Sequence[str], predicted: Sequence[str], doubts: Sequence[bool]
) -> tuple[list[int], list[int], list[int]]:
    """The cheapest alignment: places of predicted words that doubtful ones take up, of those that
    are inserted, and of doubtful words that take up none.
    """
    steps, _ = _steps(expected, predicted, doubts)
    taken: list[int] = []
    inserted: list[int] = []
    unread: list[int] = []
    row, column = len(expected), len(predicted)
    while row or column:
        step = int(steps[row, column])
        if step == _INSERTED:
            column -= 1
            inserted.append(column)
            continue
        row -= 1
        if step == 0:
            column -= 1
        elif step == _TAKES:
            unread.append(row)
        elif step > _TAKES:
            taken += range(column - step + _TAKES, column)
            column -= step - _TAKES
    return sorted(taken), inserted[::-1], unread[::-1]


@dataclass(frozen=True)
class Place:
    """Where a passage is on a page: its words are ``first`` to ``last`` (exclusive) of the page.

    ``matches`` counts the words of the passage that are known words of the page, and ``taken`` maps
    those that stand for doubtful words to these. The others are not there.
    """

    first: int
    last: int
    matches: int
    taken: Mapping[int, int]


def find_place(passage: Sequence[str], page: Sequence[str], doubts: Sequence[bool]) -> Place:
    """Where the words of a passage are on a page, in order, at the least cost.

    ``doubts`` has whether each word of the page is doubtful: such a word may be any words.
    """
    steps, costs = _steps(page, passage, doubts, anywhere=True)
    last = row = int(np.argmin(costs))
    column = len(passage)
    matches, taken = 0, {}
    while row and column:
        step = int(steps[row, column])
        if step == _INSERTED:
            column -= 1
            continue
        row -= 1
        if step == 0:
            column -= 1
            matches += page[row] == passage[column]
        elif step > _TAKES:
            for _ in range(step - _TAKES):
                column -= 1
                taken[column] = row
    return Place(row, last, matches, taken)


def _steps(
    expected: Sequence[str],
    predicted: Sequence[str],
    doubts: Sequence[bool],
    *,
    anywhere: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """The last step of the cheapest alignment of all beginnings, uint8 ``(n + 1, m + 1)``, and the
    cost of the whole prediction with each beginning of the expected words, float ``(n + 1,)``.

    ``anywhere``: the prediction is only a part of the expected words, which may begin anywhere.
    Levenshtein over words, in which a pair costs its normalised distance times :data:`_UNLIKE`. A
    doubtful word costs nothing and takes up several words.
    """
    pair_costs = _pair_costs(expected, predicted)
    along = np.arange(len(predicted) + 1.0)
    steps = np.full((len(expected) + 1, len(predicted) + 1), _INSERTED, np.uint8)
    costs = along
    ends = [costs[-1]]
    for row, (word, doubt) in enumerate(zip(expected, doubts, strict=True), start=1):
        if doubt:
            least, step = costs.copy(), np.full(len(costs), _TAKES, np.uint8)
            most = min(len(predicted), max(FEWEST_WORDS, len(word) // 2), 255 - _TAKES)
            for count in range(1, most + 1):
                unlike = pair_costs(word) if count == 1 else _UNLIKE * count
                taking = costs[:-count] + _TAKEN * unlike
                better = taking < least[count:] - _ROUNDING
                least[count:][better] = taking[better]
                step[count:][better] = _TAKES + count
        else:
            least, step = costs + 1, np.full(len(costs), _DELETED, np.uint8)
            pairing = costs[:-1] + pair_costs(word)
            better = pairing <= least[1:] + _ROUNDING
            least[1:][better] = pairing[better]
            step[1:][better] = 0
        if anywhere:
            least[0] = 0.0
        inserting = np.minimum.accumulate(least - along) + along
        steps[row] = np.where(inserting < least - _ROUNDING, _INSERTED, step)
        costs = inserting
        ends.append(costs[-1])
    return steps, np.array(ends)


def _pair_costs(expected: Sequence[str], predicted: Sequence[str]) -> Callable[[str], np.ndarray]:
    """A function: the cost of pairing an expected word with each predicted one, float ``(m,)``."""
    rows = {word: place for place, word in enumerate(dict.fromkeys(expected))}
    columns = {word: place for place, word in enumerate(dict.fromkeys(predicted))}
    which = np.array([columns[word] for word in predicted], np.intp)
    if rows and columns and len(rows) * len(columns) <= _MOST_PAIRS:
        matrix = cdist(
            list(rows), list(columns), scorer=Levenshtein.normalized_distance, dtype=np.float64
        )
        return lambda word: _UNLIKE * matrix[rows[word]][which]
    return lambda word: _UNLIKE * (which != columns.get(word, -1))


# --- the order is not known ---------------------------------------------------------------


def _left_over(
    expected: Sequence[str], predicted: Sequence[str], doubts: Sequence[bool]
) -> list[int]:
    """The places of the predicted words that no known word accounts for, one for each doubtful
    word, the most similar ones first.
    """
    pairs = list(zip(expected, doubts, strict=True))
    known_values = Counter(_plain(word) for word, doubt in pairs if not doubt)
    remaining = []
    for place, word in enumerate(map(_plain, predicted)):
        if known_values[word] > 0:
            known_values[word] -= 1
        else:
            remaining.append(place)
    doubtful = [word for word, doubt in pairs if doubt]
    chosen = assign(doubtful, [predicted[place] for place in remaining], least=-1.0)
    return sorted(remaining[place] for _, place in chosen)


def _plain(word: str) -> str:
    """A word without case and signs; signs alone stay."""
    return "".join(filter(str.isalnum, word)).casefold() or word
