"""What replaces the characters of a word: draws from a model's counts."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate

import numpy as np

from ohr.ocr_errors.model import (
    END,
    INSERTED,
    LONGEST,
    RUBBISH_KEY,
    START,
    WORD_LENGTHS,
    Channel,
    OutputLengths,
    Rubbish,
)
from ohr.ocr_errors.words import WORD_KINDS, WordKind

LEAST_SEEN = 5
"""Times that a character was seen, from which its own rate of errors is believed."""
LEAST_LENGTHS = 20
"""Counts from which the lengths of a slice are believed."""
EVERY_SLICE = -1
"""Stands for all slices."""
TRIALS = 4
"""How often a word is rewritten until its letters change."""
ALWAYS = 0.75
"""Rate from which the errors of a character do not depend on how bad a page is."""


def letters(text: str) -> str:
    """A text's letters and digits; what is left of it when texts are scored."""
    return "".join(char for char in text.casefold() if char.isalnum())


class Draws:
    """Uniform numbers from a generator, drawn in blocks."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._drawn: list[float] = []

    def uniform(self) -> float:
        """A number in [0, 1)."""
        if not self._drawn:
            self._drawn = self._rng.random(256).tolist()
        return self._drawn.pop()


class Choice:
    """A draw from things by their counts."""

    __slots__ = ("sums", "things", "total")

    def __init__(self, counts: Mapping[str, int] | Sequence[int]) -> None:
        if isinstance(counts, Mapping):
            self.things: Sequence[str] = tuple(counts)
            self.sums = list(accumulate(counts.values()))
        else:
            self.things = ()
            self.sums = list(accumulate(counts))
        self.total = self.sums[-1] if self.sums else 0

    def number(self, uniform: float) -> int:
        """The number of the thing that is drawn; 0 if nothing was counted."""
        return bisect_right(self.sums, uniform * self.total) if self.total else 0

    def draw(self, uniform: float) -> str:
        """The thing that is drawn."""
        return self.things[self.number(uniform)]


class Characters:
    """The channel: how a word is rewritten."""

    def __init__(self, channel: Channel, lengths: Sequence[OutputLengths]) -> None:
        self.sites = _slice_choices([of_slice.sites for of_slice in lengths])
        self.single = {key: Choice(counts) for key, counts in channel.single.items()}
        self.after = {key: Choice(counts) for key, counts in channel.after.items()}
        self.rate = {
            key: min(1.0, sum(counts.values()) / max(1, channel.seen.get(key, 1)))
            for key, counts in channel.single.items()
            if channel.seen.get(key, 0) >= LEAST_SEEN or key not in channel.seen
        }
        n_single = sum(sum(counts.values()) for counts in channel.single.values())
        n_stretch = sum(channel.stretches.values())
        self.alone_rate = {
            char: 1 - counts.get(char, 0) / sum(counts.values())
            for char, counts in channel.alone.items()
            if sum(counts.values()) >= LEAST_SEEN
        }
        self.alone = {
            char: Choice({put: n for put, n in counts.items() if put != char})
            for char, counts in channel.alone.items()
            if any(put != char for put in counts)
        }
        self.specks = {place: Choice(counts) for place, counts in channel.specks.items() if counts}
        self.speck_places = Choice(
            {place: sum(counts.values()) for place, counts in channel.specks.items() if counts}
        )
        self.joints = Choice(channel.joints or {"": 1})
        self.stretches = Choice(channel.stretches)
        self._always = {char for char, rate in self.rate.items() if self.always(rate)}
        self.stretch = n_stretch / (n_single + n_stretch) if n_stretch else 0.0

    def add_speck(self, word: str, draws: Draws) -> str:
        """The word with other punctuation; the same word if nothing is known of specks."""
        if not self.speck_places.things:
            return word
        place, uniform = self.speck_places.draw(draws.uniform()), draws.uniform()
        own = [i for i, char in enumerate(word) if char in self.single and not letters(char)]
        if place == "within" and own:
            position = own[int(uniform * len(own))]
            return (
                word[:position]
                + self.single[word[position]].draw(draws.uniform())
                + word[position + 1 :]
            )
        if place == "before":
            return self.specks[place].draw(uniform) + word
        after = self.specks.get("after")
        return word if after is None else word + after.draw(uniform)

    def rewrite(self, word: str, of_slice: int, draws: Draws, rubbish: Strings) -> str:
        """The word with changed characters; never the same word."""
        text = word
        for _ in range(TRIALS):
            text = self._rewrite(word, of_slice, draws, rubbish)
            if letters(text) != letters(word):
                break
        return text

    def _rewrite(self, word: str, of_slice: int, draws: Draws, rubbish: Strings) -> str:
        count = 1 + self.sites[of_slice][word_bin(len(word))].number(draws.uniform())
        text = word
        for _ in range(count):
            if draws.uniform() < self.stretch or not self.rate:
                text = self._stretch(text, draws, rubbish)
            else:
                text = self._change(text, draws)
        if not text or text == word:
            text = self._change(word, draws) or word[:-1]
        return text if text and text != word else word + rubbish.text(1, draws)

    def instead(self, char: str, of_slice: int, draws: Draws, rubbish: Strings) -> str | None:
        """What stands for a word of one character that is not right; None if it is not known."""
        choice = self.alone.get(char)
        if choice is None:
            return None
        put = choice.draw(draws.uniform())
        return rubbish.instead(char, of_slice, draws) if put == RUBBISH_KEY else put

    def systematic(self, word: str, draws: Draws, rubbish: Strings) -> str | None:
        """What stands for a word in which the engine always errs; None for other words."""
        if not self.errs_always(word):
            return None
        if len(word) == 1 and word in self.alone_rate:
            return self.instead(word, EVERY_SLICE, draws, rubbish)
        return "".join(
            self.single[char].draw(draws.uniform()) if char in self._always else char
            for char in word
        )

    def errs_always(self, word: str) -> bool:
        """Whether the engine errs in this word on every page."""
        if len(word) == 1 and word in self.alone_rate:
            return self.always(self.alone_rate[word])
        return not self._always.isdisjoint(word)

    @staticmethod
    def always(rate: float) -> bool:
        """Whether errors of this rate do not depend on how bad a page is."""
        return rate >= ALWAYS

    def _change(self, text: str, draws: Draws) -> str:
        rate = self.rate
        rates = (*(rate.get(char, 0.0) for char in text), rate.get(END, 0.0))
        sums = list(accumulate(rates, initial=rate.get(START, 0.0)))
        if sums[-1] <= 0:
            position = int(draws.uniform() * len(text))
            return text[:position] + text[position + 1 :]
        position = bisect_right(sums, draws.uniform() * sums[-1])
        if position == 0:
            return self.single[START].draw(draws.uniform()) + text
        if position > len(text):
            return text + self.single[END].draw(draws.uniform())
        before, char = (text[position - 2] if position > 1 else START), text[position - 1]
        choice = self.after.get(before + char) if draws.uniform() < 0.7 else None
        put = (choice or self.single[char]).draw(draws.uniform())
        return text[: position - 1] + put + text[position:]

    def _stretch(self, text: str, draws: Draws, rubbish: Strings) -> str:
        if not self.stretches.sums:
            return text[:-1]
        place, removed, written = self.stretches.draw(draws.uniform()).split()
        length = min(int(removed), len(text))
        position = {"start": 0, "end": len(text) - length}.get(
            place, int(draws.uniform() * (len(text) - length + 1))
        )
        put = rubbish.text(int(written), draws) if int(written) else ""
        return (text[:position] + put + text[position + length :]).strip()


class Strings:
    """Strings of characters that resemble what the engine writes where it reads nothing."""

    def __init__(self, rubbish: Rubbish, lengths: Sequence[OutputLengths]) -> None:
        self.pairs = {
            key: Choice({char: n for char, n in counts.items() if char})
            for key, counts in rubbish.pairs.items()
            if any(counts.keys())
        }
        self.lengths = _slice_choices([of_slice.rubbish for of_slice in lengths])
        self.inserted = _slice_choices(
            [[of_slice.inserted[kind] for kind in WORD_KINDS] for of_slice in lengths]
        )
        self.short = {kind: Choice(counts) for kind, counts in rubbish.short.items() if counts}

    def text(self, length: int, draws: Draws) -> str:
        """A string of this many characters."""
        characters: list[str] = []
        before, pairs, uniform = "", self.pairs, draws.uniform
        first = pairs.get("")
        for _ in range(length):
            choice = pairs.get(before, first)
            before = "." if choice is None else choice.things[choice.number(uniform())]
            characters.append(before)
        return "".join(characters)

    def instead(self, word: str, of_slice: int, draws: Draws) -> str:
        """What stands for a word that was not read."""
        lengths = self.lengths[of_slice][word_bin(len(word))]
        length = lengths.number(draws.uniform()) or max(1, len(word))
        return self.text(length, draws).strip() or "."

    def extra(self, kind: WordKind, of_slice: int, draws: Draws) -> str:
        """What stands for no word, after a word of this kind."""
        lengths = self.inserted[of_slice][WORD_KINDS.index(kind)]
        number = min(lengths.number(draws.uniform()), len(INSERTED) - 1)
        if INSERTED[number] <= LONGEST and kind in self.short:
            return self.short[kind].draw(draws.uniform())
        low, high = (INSERTED[number - 1] + 1 if number else 1), INSERTED[number]
        return self.text(low + int(draws.uniform() * (high - low + 1)), draws).strip()


def _slice_choices(counts: Sequence[Sequence[Sequence[int]]]) -> list[list[Choice]]:
    """Slice -> row -> draws by its counts; the last slice is all of them.

    A row with few counts is that of all slices, and then all rows of all slices.
    """
    together = [summed(rows) for rows in zip(*counts, strict=True)]
    every = summed(together)
    rows = [row if sum(row) >= LEAST_LENGTHS else every for row in together]
    return [
        [
            Choice(own if sum(own) >= LEAST_LENGTHS else row)
            for own, row in zip(of_slice, rows, strict=True)
        ]
        for of_slice in (*counts, rows)
    ]


def word_bin(length: int) -> int:
    """The bin of a word's length."""
    return next(i for i, upto in enumerate(WORD_LENGTHS) if length <= upto or upto == 1000)


def summed(rows: Sequence[Sequence[int]]) -> list[int]:
    """The sum of each column."""
    return [sum(column) for column in zip(*rows, strict=True)]
