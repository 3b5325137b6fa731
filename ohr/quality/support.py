"""Words of an output that no other output of the page has, and the passages that they form.

A word is supported if a witness (another engine's output, or the page's text layer) has it
anywhere, as :mod:`ohr.metrics.supporting_text` says. So text in another order, or twice, is
supported. Writing without spaces is judged by pairs of letters: a witness misreads letters, too,
and each would spoil three triples. Everything here is text alone; :mod:`ohr.quality.witness` also
looks at the page.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

from ohr.markup.strip import strip_markup
from ohr.markup.writing_systems import CJK, UNSPACED
from ohr.metrics.supporting_text import FEWEST_ALIKE, FEWEST_LETTERS, SupportingText
from ohr.metrics.word_keys import KeyedWord, keyed_words

__all__ = [
    "JudgedWord",
    "Passage",
    "Support",
    "Vocabulary",
    "judge_words",
    "passages",
    "plain_text",
    "unsupported_share",
]

_NEAR = 3  # words between which two words of a text are neighbours in a witness
_PICTURE = re.compile(r"!\[[^\]\n]{0,2000}\]\([^)\n]{0,2000}\)|<!--.{0,2000}?-->", re.DOTALL)
_UNSPACED_LETTER = re.compile(f"[{CJK}{UNSPACED}]")

# How often words of invented text are on the page all the same: not, somewhere, or beside the same
# neighbour. Of a filing's sentences, planted on pages of other filings, .5, .43 and .07.
_INVENTED = (0.5, 0.42, 0.08)
_LEAST_SHARE = 0.02
"""Least share of words without support, and of words without their neighbour, of an honest text."""


@dataclass(frozen=True, slots=True)
class JudgedWord:
    """A word of a text. ``start`` and ``end`` are characters of :func:`plain_text`.

    ``is_supported`` is None for a word that is too short to be judged. ``is_anchored`` says that a
    witness has one of its neighbours beside it, too.
    """

    key: str
    start: int
    end: int
    is_supported: bool | None
    is_anchored: bool = False


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of text that looks invented: words from ``first`` to ``last``, that one included.

    ``unsupported`` is the number of its words without support, ``score`` the logarithm of how much
    likelier its words are in invented text than in the rest of the page.
    """

    first: int
    last: int
    unsupported: int
    score: float


@lru_cache(maxsize=1024)
def plain_text(text: str) -> str:
    """A page's text without mark-up and without the descriptions of pictures."""
    return strip_markup(_PICTURE.sub(" ", text))


def is_unspaced(key: str) -> bool:
    """Whether a key is a letter of writing without spaces."""
    return len(key) == 1 and _UNSPACED_LETTER.match(key) is not None


class Vocabulary(SupportingText):
    """The words of a witness, and their places."""

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """Where each of the different words stands among the words."""
        places: dict[str, list[int]] = {}
        for place, word in enumerate(self.keys):
            places.setdefault(word, []).append(place)
        return places

    @classmethod
    def of_text(cls, text: str) -> Vocabulary:
        """The words of a page's text, with its mark-up."""
        return cls([word.key for word in keyed_words(plain_text(text))])

    @cached_property
    def _parts(self) -> frozenset[str]:
        """Short words that are the beginning or the end of longer ones, or two words joined."""
        sizes = range(FEWEST_LETTERS, FEWEST_ALIKE)
        ends = {part for word in self.places for n in sizes for part in (word[:n], word[-n:])}
        pairs = pairwise(self.keys)
        return frozenset(ends | {a + b for a, b in pairs if len(a) + len(b) < FEWEST_ALIKE})

    @cached_property
    def pairs(self) -> frozenset[str]:
        """Pairs of letters of writing without spaces."""
        letters = pairwise(self.keys)
        return frozenset(a + b for a, b in letters if is_unspaced(a) and is_unspaced(b))

    def find(self, word: str) -> str | None:
        """The word of the witness that a word is or looks like; empty if it is only part of its
        text; None if it has no such word.
        """
        if word in self.places:
            return word
        if len(word) < FEWEST_ALIKE:
            return "" if word in self._parts else None
        if word in self.letters:
            return ""
        similar = self.similar(word)
        if similar is None and self.has_similar_pair(word):
            return ""
        return similar


class Support:
    """What witnesses have of the words of one text."""

    def __init__(self, text: str, witnesses: Sequence[Vocabulary]) -> None:
        self.text = plain_text(text)
        self.words = judge_words(keyed_words(self.text), witnesses)

    @property
    def judged(self) -> int:
        """Number of the words that are judged."""
        return sum(word.is_supported is not None for word in self.words)

    @property
    def share(self) -> float:
        """Share of the judged words without support, in [0, 1]; 0 if none is judged."""
        return unsupported_share(self.words)

    @cached_property
    def passages(self) -> list[Passage]:
        """Passages that look invented, the likeliest first."""
        return passages(self.words)

    def quote(self, passage: Passage) -> str:
        """The text of a passage, in one line."""
        start, end = self.words[passage.first].start, self.words[passage.last].end
        return " ".join(self.text[start:end].split())

    @property
    def longest_run(self) -> int:
        """Most words without support in succession; words that are not judged do not end a run."""
        longest = run = 0
        for word in self.words:
            if word.is_supported is not None:
                run = 0 if word.is_supported else run + 1
                longest = max(longest, run)
        return longest

    def densest_window(self, size: int = 12) -> float:
        """Largest share of words without support in ``size`` judged words, in [0, 1]."""
        flags = [not word.is_supported for word in self.words if word.is_supported is not None]
        size = min(size, len(flags))
        starts = range(len(flags) - size + 1) if flags else ()
        return max((sum(flags[start : start + size]) / size for start in starts), default=0.0)


def unsupported_share(words: Sequence[JudgedWord]) -> float:
    """Share of the judged words without support, in [0, 1]; 0 if none is judged."""
    flags = [word.is_supported for word in words if word.is_supported is not None]
    return flags.count(False) / len(flags) if flags else 0.0


def judge_words(
    words: Sequence[KeyedWord], witnesses: Sequence[Vocabulary]
) -> tuple[JudgedWord, ...]:
    """Each word, with what any of the witnesses has of it."""
    keys = [word.key for word in words]
    matches = [_lookup(keys, witness) for witness in witnesses]
    judged = []
    for place, word in enumerate(words):
        answers = [each[place] for each in matches]
        supported: bool | None
        if is_unspaced(word.key):
            pairs = list(_pairs(keys, place))  # none, of a letter between words of other writing
            is_there = any(pair in witness.pairs for witness in witnesses for pair in pairs)
            supported = is_there if pairs else None
        elif len(word.key) < FEWEST_LETTERS:
            supported = None
        else:
            supported = any(answer is not None for answer in answers)
        anchored = bool(supported) and any(
            _is_anchored(each, place, witness)
            for each, witness in zip(matches, witnesses, strict=True)
        )
        judged.append(JudgedWord(word.key, word.start, word.end, supported, anchored))
    return tuple(judged)


def _lookup(keys: Sequence[str], witness: Vocabulary) -> list[str | None]:
    answers: dict[str, str | None] = {}
    for key in keys:
        if key not in answers:
            short = len(key) < FEWEST_LETTERS
            answers[key] = (key if key in witness.places else None) if short else witness.find(key)
    return [answers[key] for key in keys]


def _pairs(keys: Sequence[str], place: int) -> Iterator[str]:
    for start in (place - 1, place):
        if 0 <= start < len(keys) - 1 and is_unspaced(keys[start]) and is_unspaced(keys[start + 1]):
            yield keys[start] + keys[start + 1]


def _is_anchored(matches: Sequence[str | None], place: int, witness: Vocabulary) -> bool:
    word = matches[place]
    if word is None:
        return False
    if not word:  # part of longer text, which is a neighbour of its own
        return True
    own = witness.places[word]
    for step in (-2, -1, 1, 2):
        other = matches[place + step] if 0 <= place + step < len(matches) else None
        if not other:
            continue
        for second in witness.places[other]:
            if any(0 < (second - first) * (1 if step > 0 else -1) <= _NEAR for first in own):
                return True
    return False


def passages(words: Sequence[JudgedWord], fewest: int = 2) -> list[Passage]:
    """Stretches of words that are likelier to be invented than to be like the rest of the page.

    Each is a stretch of the greatest score, found by Kadane's algorithm; the next is sought in
    what remains. A word's score is the log-likelihood ratio of what the witnesses have of it,
    in invented text and in this page's text. ``fewest`` words must be without support.
    """
    kinds = [_kind(word) for word in words]
    judged = [kind for kind in kinds if kind is not None]
    if judged.count(0) < fewest:
        return []
    best: list[Passage] = []
    weights = _weights(judged)
    # Once more without the best passages: on a page that is mostly invented, they would count as
    # what is usual there.
    for _ in range(2):
        best = list(_best_passages(kinds, weights, fewest))
        inside = {place for each in best for place in range(each.first, each.last + 1)}
        rest = [k for place, k in enumerate(kinds) if k is not None and place not in inside]
        weights = _weights(rest)
    return sorted(best, key=lambda each: -each.score)


def _kind(word: JudgedWord) -> int | None:
    if word.is_supported is None:
        return None
    return 0 if not word.is_supported else 2 if word.is_anchored else 1


def _weights(kinds: Sequence[int]) -> tuple[float, float, float]:
    total = len(kinds)
    # As if 20 more words had been seen, of which 18 are anchored: a page may have few words.
    shares = [(kinds.count(kind) + extra) / (total + 20) for kind, extra in ((0, 1), (1, 1))]
    none, alone = (max(share, _LEAST_SHARE) for share in shares)
    none, alone = min(none, 0.45), min(alone, 0.45)
    honest = (none, alone, 1 - none - alone)
    first, second, third = (
        math.log(invented / usual) for invented, usual in zip(_INVENTED, honest, strict=True)
    )
    return first, second, third


def _best_passages(
    kinds: Sequence[int | None], weights: Sequence[float], fewest: int
) -> Iterator[Passage]:
    todo = [(0, len(kinds))]
    while todo:
        start, end = todo.pop()
        if start >= end:
            continue
        best, bounds, score, begin = 0.0, (start, start), 0.0, start
        for place in range(start, end):
            kind = kinds[place]
            if kind is None:
                continue
            if score <= 0:
                score, begin = 0.0, place
            score += weights[kind]
            if score > best:
                best, bounds = score, (begin, place)
        count = sum(kinds[place] == 0 for place in range(bounds[0], bounds[1] + 1))
        if best <= 0 or count < fewest:
            continue
        yield Passage(*bounds, count, best)
        todo += [(start, bounds[0]), (bounds[1] + 1, end)]
