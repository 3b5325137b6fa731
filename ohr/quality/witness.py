"""Judges whether an output has text that is not on the page: by witnesses, and by the page's ink.

A witness is another engine's output of the page, or its text layer. Words that no witness has are
either invented, or missed by the witnesses, or misread by one of them. The page decides:

1. Passages are sought that look invented beside the witnesses (:mod:`ohr.quality.support`).
2. Ink that looks like text, and that no word explains on which a witness and the output agree, is
   read again, line by line, by the recognisers of :mod:`ohr.documents.layers.witnesses`. What they
   read is a further witness: text that the other engines missed is found here.
3. A passage that still has no support needs a place: ink between the words before and after it
   that nobody has read well. Without enough of it, the passage is invented. With enough, nobody
   knows: the page cannot be judged.

A page without any ink that looks like text needs no witness: whatever an engine writes is invented.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from rapidfuzz import fuzz

from ohr.documents.layers import witnesses as recognisers
from ohr.documents.layers.scripts import main_script
from ohr.metrics.supporting_text import FEWEST_LETTERS, most_alike
from ohr.metrics.word_keys import KeyedWord, keyed_words, word_key
from ohr.quality.page_ink import Box, InkLine, PageInk
from ohr.quality.places import WordPlaces, whole_page
from ohr.quality.support import (
    JudgedWord,
    Passage,
    Support,
    Vocabulary,
    judge_words,
    passages,
)
from ohr.types import Word

__all__ = [
    "FEWEST_INVENTED",
    "InventedPassage",
    "PageJudgement",
    "ReadBoxes",
    "Seen",
    "judge_page",
    "read_boxes",
]

FEWEST_INVENTED = 3
"""Words without support of a passage that is looked into."""
SCORE = 15.5
"""Least score of a passage that is called invented (:attr:`InventedPassage.score`): at most 1 % of
clean pages and 3 % of severely distorted ones should be accused. It is not cleanly held out: a part
of the pages that ``python -m benchmarks.witness`` reports had been seen when it was chosen. All
calibration pages together would give 25.8, since noise other than ``semantic`` came later."""
LOOKED_INTO = 6.0
"""Least score of a passage, by the texts alone, for the page to be looked at."""
MOST_LINES = 24
"""Most lines of a page that are read again."""
READABLE = 0.5
"""Least share of a line's words that somebody else has too, for its reading to count as right."""
MISREAD = 0.45
"""Share of the letters of a misread word that are wrong, at most."""
ENOUGH_ROOM = 0.5
"""Share of a passage's letters for which there must be ink, for the passage to be in doubt."""

LIKE_A_STRETCH = 68.0
"""Likeness of a passage to a stretch of another text, in percent, from which it is a misreading of
that. Of sentences of other pages, 1 % of those of 10 words have 64 or more."""

Evidence = Literal["no ink", "glyphs", "unread ink"]
ReadBoxes = Callable[[np.ndarray, Sequence[tuple[Box, str]]], Sequence[Mapping[str, str]]]
"""What each recogniser reads in boxes of a grey page; a box comes with its script."""


@dataclass(frozen=True, slots=True)
class Seen:
    """An output of a page: its text, and its words with their boxes if the engine gives any."""

    text: str
    words: tuple[Word, ...] | None = None


@dataclass(frozen=True, slots=True)
class InventedPassage:
    """A passage that no witness has. ``text`` is untrusted.

    ``words`` is the number of its words without support, ``of_words`` that of all its words.
    ``room`` is the share of its letters for which there is ink that nobody has read well, in
    [0, 1], where it would have to be. ``score`` is the evidence for invention that remains, in
    nats: 0 if there is room for all of it.
    """

    text: str
    words: int
    of_words: int
    room: float
    score: float
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class PageJudgement:
    """Whether a page's output has invented text.

    ``suspects`` are passages without support, the likeliest first; those with a score of
    :data:`SCORE` or more are ``invented``. ``is_judged`` is False if a passage has no support and
    nobody can read the ink there, or if there is neither a witness nor an image; ``reason`` then
    says why. ``share`` is that of all judged words without support by the witnesses, before the
    page was looked at.
    """

    suspects: tuple[InventedPassage, ...] = ()
    share: float = 0.0
    is_judged: bool = True
    reason: str = ""
    without_ink: int | None = None
    """Words of the output with a box in which there is no ink; None if its words have no boxes, or
    if the page's ink was not looked at."""
    is_blank: bool = False
    """Whether the page has no ink that looks like text."""

    @property
    def invented(self) -> tuple[InventedPassage, ...]:
        """The passages that are invented."""
        return tuple(each for each in self.suspects if each.score >= SCORE)

    @property
    def invented_words(self) -> int:
        """Number of words of the invented passages that no witness has."""
        return sum(each.words for each in self.invented)

    @property
    def longest(self) -> int:
        """Number of words of the longest invented passage."""
        return max((each.of_words for each in self.invented), default=0)

    @property
    def score(self) -> float:
        """The largest score of a passage; 0 without one."""
        return max((each.score for each in self.suspects), default=0.0)


def judge_page(
    output: Seen,
    witnesses: Sequence[Seen],
    image: Callable[[], np.ndarray | None] = lambda: None,
    reader: ReadBoxes | None = None,
) -> PageJudgement:
    """Judge one output of a page by the other ones.

    ``image`` draws the page (uint8, grey or RGB) if it is needed; None if there is no image.
    ``reader`` reads lines again; by default the recognisers that are installed. Raises what
    ``image`` and ``reader`` raise.
    """
    page = _Page(output, witnesses, image, reader or read_boxes)
    return page.judgement()


def read_boxes(page: np.ndarray, boxes: Sequence[tuple[Box, str]]) -> Sequence[Mapping[str, str]]:
    """What each recogniser that is installed reads in boxes of a page: uint8 grey ``(h, w)``.

    A box's script decides which can. All are read together: a start takes longer than a line.
    Raises EngineError.
    """
    height, width = page.shape
    shares = [
        ((x0 / width, y0 / height, x1 / width, y1 / height), script)
        for (x0, y0, x1, y1), script in boxes
    ]
    return recognisers.read_boxes(page, shares)


class _Page:
    """A page while it is judged."""

    def __init__(
        self,
        output: Seen,
        witnesses: Sequence[Seen],
        image: Callable[[], np.ndarray | None],
        reader: ReadBoxes,
    ) -> None:
        self._output, self._witnesses = output, witnesses
        self._draw, self._reader = image, reader
        self._vocabularies = [Vocabulary.of_text(each.text) for each in witnesses]
        self._support = Support(output.text, self._vocabularies)

    @cached_property
    def _image(self) -> np.ndarray | None:
        return self._draw()

    @cached_property
    def _ink(self) -> PageInk | None:
        words = [word for each in (*self._witnesses, self._output) for word in each.words or ()]
        return None if self._image is None else PageInk(self._image, words)

    def judgement(self) -> PageJudgement:
        support = self._support
        if not support.judged:
            is_empty = not self._output.text.strip()
            blank = is_empty and self._ink is not None and not self._ink.lines()
            return PageJudgement(is_blank=blank)
        if not any(vocabulary.keys for vocabulary in self._vocabularies):
            return self._judge_unread()
        candidates = [
            passage
            for passage in support.passages
            if passage.unsupported >= FEWEST_INVENTED and passage.score >= LOOKED_INTO
        ]
        if not candidates or (self._ink is None and not self._witnesses):
            return PageJudgement(share=support.share)
        if self._ink is None:
            suspects = tuple(self._suspect_by_text(each) for each in candidates)
            return PageJudgement(suspects, support.share)
        return self._judge_ink()

    def _judge_unread(self) -> PageJudgement:
        """No witness has a word, or there is none: is there anything to read?"""
        support = self._support
        if self._ink is None:
            reason = "the other engines read nothing" if self._witnesses else "there is no witness"
            return PageJudgement(share=support.share, is_judged=False, reason=reason)
        if self._ink.lines() and not self._witnesses:
            return PageJudgement(share=0.0, is_judged=False, reason="there is no witness")
        return self._judge_ink()

    def _suspect_by_text(self, passage: Passage) -> InventedPassage:
        words = passage.last - passage.first + 1
        text = self._support.quote(passage)
        return InventedPassage(text, passage.unsupported, words, 0.0, passage.score, "glyphs")

    def _judge_ink(self) -> PageJudgement:
        assert self._ink is not None
        lines = self._free_lines()
        longest = sorted(lines, key=lambda line: -line.letters)[:MOST_LINES]
        read = dict(zip(longest, self._read(longest), strict=True))
        texts = [read.get(line, []) for line in lines]
        again = Vocabulary([w.key for each in texts for text in each for w in keyed_words(text)])
        words = self._reconsider([*self._vocabularies, again])
        room = [
            0.0 if self._is_readable(each) else line.letters
            for line, each in zip(lines, texts, strict=True)
        ]
        texts_joined = [each.letters for each in (*self._vocabularies, again)]
        candidates = [
            passage
            for passage in passages(words)
            if passage.unsupported >= FEWEST_INVENTED
            and not _is_misreading(words[passage.first : passage.last + 1], texts_joined)
        ]
        evidence: Evidence = "glyphs" if lines else "no ink"
        suspects = [self._suspect(each, words, lines, room, evidence) for each in candidates]
        suspects.sort(key=lambda each: -each.score)
        doubtful = [each for each in suspects if each.room >= ENOUGH_ROOM]
        is_judged = not doubtful or any(each.score >= SCORE for each in suspects)
        return PageJudgement(
            tuple(suspects),
            self._support.share,
            is_judged,
            "" if is_judged else "ink that nobody can read well",
            self._count_inkless(),
            not self._ink.lines(),
        )

    def _reconsider(self, witnesses: Sequence[Vocabulary]) -> tuple[JudgedWord, ...]:
        """The words, with what was read again. A word that looks like one that somebody else has
        and the output lacks is a misreading, and not judged.
        """
        words = judge_words(keyed_words(self._support.text), witnesses)
        lacking = [
            key
            for each in witnesses
            for key, is_there in zip(each.keys, self._agreed(each.keys), strict=True)
            if not is_there and len(key) >= FEWEST_LETTERS
        ]
        return tuple(
            replace(word, is_supported=None)
            if word.is_supported is False and most_alike(word.key, lacking, MISREAD) is not None
            else word
            for word in words
        )

    def _suspect(
        self,
        passage: Passage,
        words: Sequence[JudgedWord],
        lines: Sequence[InkLine],
        room: Sequence[float],
        evidence: Evidence,
    ) -> InventedPassage:
        """A passage, with the ink that is there for it. ``room`` has the letters of each line that
        nobody has read well.
        """
        assert self._ink is not None
        shape = self._ink.grey.shape
        places = [WordPlaces(each.words) for each in self._witnesses if each.words]
        first, last = passage.first, passage.last
        regions = (each.region(words, first, last, self._ink.height, shape) for each in places)
        region = next(filter(None, regions), None) or whole_page(shape)
        shares = [region.share_of(line.box) for line in lines]
        letters = sum(share * count for share, count in zip(shares, room, strict=True))
        needed = sum(len(word.key) for word in words[first : last + 1])
        free = min(1.0, letters / max(1, needed))
        return InventedPassage(
            self._support.quote(passage),
            passage.unsupported,
            last - first + 1,
            free,
            passage.score * (1 - free),
            "unread ink" if free >= ENOUGH_ROOM else evidence,
        )

    def _free_lines(self) -> list[InkLine]:
        """Lines of ink that no word explains on which a witness and the output agree."""
        assert self._ink is not None
        boxes = []
        for each in self._witnesses:
            seen = [(key, word) for word in each.words or () if (key := word_key(word.text))]
            agreed = self._agreed([key for key, _ in seen])
            boxes += [
                word.box
                for (_, word), is_there in zip(seen, agreed, strict=True)
                if is_there and self._ink.fits(word)
            ]
        return self._ink.lines(boxes)

    @cached_property
    def _own(self) -> Vocabulary:
        return Vocabulary([word.key for word in self._support.words])

    def _agreed(self, keys: Sequence[str]) -> list[bool]:
        """For each word of a witness, whether the output has it: beside the same neighbour, or as
        often as the witness.
        """
        own, counts = self._own, Counter(keys)
        judged = judge_words([KeyedWord(key, 0, 0) for key in keys], [own])
        agreed = []
        for word in judged:
            often = len(own.places.get(word.key, ())) >= counts[word.key]
            agreed.append(word.is_anchored or (word.is_supported is not False and often))
        for place, word in enumerate(judged):  # a short word goes with its neighbours
            if word.is_supported is None and not agreed[place]:
                near = [n for n in (place - 1, place + 1) if 0 <= n < len(judged)]
                agreed[place] = bool(near) and all(agreed[n] for n in near)
        return agreed

    def _read(self, lines: Sequence[InkLine]) -> list[list[str]]:
        assert self._ink is not None
        if not lines:
            return []
        script = main_script(self._support.text)
        boxes = [(line.box, script) for line in lines]
        return [list(each.values()) for each in self._reader(self._ink.grey, boxes)]

    def _is_readable(self, texts: Sequence[str]) -> bool:
        """Whether a line's text is known: recognisers agree on it, or another text has it."""
        keyed = [[word.key for word in keyed_words(text)] for text in texts]
        for place, keys in enumerate(keyed):
            judged = [key for key in keys if len(key) >= FEWEST_LETTERS]
            rest = [Vocabulary(each) for number, each in enumerate(keyed) if number != place]
            rest += self._vocabularies
            if judged and sum(any(_has(v, key) for v in rest) for key in judged) >= max(
                1.0, READABLE * len(judged)
            ):
                return True
        return False

    def _count_inkless(self) -> int | None:
        """Words of the output whose box has no ink; None if its words have no boxes."""
        assert self._ink is not None
        if self._output.words is None:
            return None
        count = 0
        for word in self._output.words:
            x0, y0, x1, y1 = (max(0, side) for side in word.box)
            part = self._ink.mask[y0:y1, x0:x1]
            if len(word_key(word.text)) >= FEWEST_LETTERS and part.size and not part.any():
                count += 1
        return count


def _has(vocabulary: Vocabulary, key: str) -> bool:
    if len(key) < FEWEST_LETTERS:
        return key in vocabulary.places
    return vocabulary.find(key) is not None


def _is_misreading(words: Sequence[JudgedWord], texts: Sequence[str]) -> bool:
    """Whether words, joined, look like a stretch of some text."""
    joined = "".join(word.key for word in words)
    return any(
        len(text) >= len(joined) and fuzz.partial_ratio(joined, text) >= LIKE_A_STRETCH
        for text in texts
    )
