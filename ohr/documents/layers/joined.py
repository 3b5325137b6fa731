"""Do words in scripts of joined letters look like what the layer says they are?

Letters of Arabic and the Indic scripts change their shape with their neighbours, so a glyph alone
cannot be compared with a letter. A word can: it is drawn in the reference faces and compared with
its picture on the page, and so are the other words of the page. A word that is right is more like
its picture than most others of the page are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import cv2
import numpy as np

from ohr.documents.layers.characters import REPLACEMENT, Characters
from ohr.documents.layers.faces import faces_of
from ohr.documents.layers.ink import Ink
from ohr.documents.layers.scripts import is_joined
from ohr.documents.layers.swapped import SLACK, Likeness, swapped_letters
from ohr.documents.layers.text import PageWord

MOST_WORDS = 40
FEWEST_WORDS = 6
ENOUGH_WORDS = 20
"""Fewest different words of a font by which its letters are judged one by one, ..."""
MOST_JUDGED = 60
"""... and most."""
LEAST_SETTLED = 0.25
"""Quantile of the likeness of whole words that words with further glyphs must nearly reach."""
GAINS = 0.02
"""A letter in place of a glyph without a character is missing if the word gains more by it."""
MOST_FACES = 3
WIDE, HIGH = 64, 20
SOFT = 1.0
WIDTH_WEIGHT = 0.5
"""Likeness lost when one picture is e times as wide for its height as the other."""


class JoinedWords:
    """The words of a page, with their pictures."""

    def __init__(self, characters: Characters, ink: Ink) -> None:
        self.characters = characters
        self.ink = ink

    def match(self, words: Sequence[PageWord]) -> dict[str, tuple[float, int]]:
        """By font: the mean share of other words that are as like a word's picture, and how many
        words were compared.

        About 0 for a layer that is right, and .5 for one that says something else.
        """
        result = {}
        for font, chosen in self._grouped_fonts(words).items():
            matched = self._match(chosen)
            if matched is not None:
                result[font] = matched
        return result

    def swapped(self, words: Sequence[PageWord], judged: dict[str, Mapping[str, str]]) -> None:
        """Add to ``judged``, by font, the letters that stand for another, with the one shown.

        A font is judged once, on the first page that has enough words of it: in up to three
        seconds.
        """
        for font, chosen in self._grouped_fonts(words).items():
            if font not in judged and len(chosen) >= ENOUGH_WORDS:
                judged[font] = self._swapped(chosen[:MOST_JUDGED])

    def _grouped_fonts(self, words: Sequence[PageWord]) -> dict[str, list[PageWord]]:
        """The different words of joined letters of each font."""
        fonts: dict[str, dict[str, PageWord]] = {}
        for word in words:
            if len(word.text) >= 3 and is_joined(word.text):
                font = self.characters.fonts[word.places[0]]
                fonts.setdefault(font, {}).setdefault(word.text, word)
        return {font: list(chosen.values()) for font, chosen in fonts.items()}

    def settled(self, words: Sequence[PageWord]) -> list[PageWord]:
        """The words, without glyphs that have no character where their pictures say that nothing
        is missing.

        Producers draw a syllable as several glyphs, and map one of them to all of its characters
        and the others to nothing. A word is settled if it is as like its picture as the words of
        its font that have no such glyph, and no letter in the glyph's place makes it more so.
        """
        settled = list(words)
        lacking = [number for number, word in enumerate(words) if self._may_be_whole(word)]
        for font in {self.characters.fonts[words[number].places[0]] for number in lacking}:
            group = self._grouped_fonts(words).get(font, ())
            whole = [word for word in group if not _is_lacking(word)][:MOST_WORDS]
            own = [n for n in lacking if self.characters.fonts[words[n].places[0]] == font]
            own = own[:MOST_JUDGED]
            likeness = self._likeness([*whole, *(words[number] for number in own)])
            values = [likeness(number, word.text) for number, word in enumerate(whole)]
            if len(values) - np.isnan(values).sum() < FEWEST_WORDS:
                continue
            least = float(np.nanquantile(values, LEAST_SETTLED)) - SLACK
            letters = sorted({c for word in group for c in word.text if is_joined(c)})
            for place, number in enumerate(own, start=len(whole)):
                text = words[number].text.replace(REPLACEMENT, "")
                value = likeness(place, text)
                if value >= least and not any(
                    likeness(place, other) > value + GAINS
                    for other in _fillings(words[number].text, letters)
                ):
                    settled[number] = replace(words[number], text=text)
        return settled

    def _may_be_whole(self, word: PageWord) -> bool:
        """Whether a word has glyphs without a character, and all of them are mapped to nothing."""
        texts, unmapped = self.characters.texts, self.characters.unmapped
        lost = [place for place in word.places if texts[place] == REPLACEMENT]
        return _is_lacking(word) and bool(unmapped[lost].all())

    def _swapped(self, words: Sequence[PageWord]) -> Mapping[str, str]:
        seen = [word for word in words if self._picture(word) is not None]
        return swapped_letters([word.text for word in seen], self._likeness(seen))

    def _likeness(self, words: Sequence[PageWord]) -> Likeness:
        """How much the picture of a word, by its number, is like a text; NaN without a picture."""
        pictures = [self._picture(word) for word in words]

        def widths(number: int) -> list[float]:
            picture = pictures[number]
            drawn = _drawn(words[number].text.replace(REPLACEMENT, ""))
            return [picture[1] - other for _, other in drawn] if picture is not None else []

        # A design may be wider than the reference faces, in all of its words.
        offsets = [own for number in range(len(pictures)) if (own := widths(number))]
        faces = min(map(len, offsets), default=0)
        usual = [float(np.median([own[face] for own in offsets])) for face in range(faces)]

        def likeness(number: int, text: str) -> float:
            picture = pictures[number]
            if picture is None:
                return float("nan")
            seen, width = picture
            alike = [
                float(seen @ vector) - WIDTH_WEIGHT * abs(width - other - offset)
                for (vector, other), offset in zip(_drawn(text), usual, strict=False)
            ]
            return max(alike, default=float("nan"))

        return likeness

    def _match(self, words: Sequence[PageWord]) -> tuple[float, int] | None:
        step = max(1, len(words) // MOST_WORDS)
        seen, claims = [], []
        for word in words[::step][:MOST_WORDS]:
            picture = self._picture(word)
            drawn = _drawn(word.text)
            if picture is not None and drawn:
                seen.append(picture)
                claims.append(drawn)
        if len(seen) < FEWEST_WORDS:
            return None
        faces = min(len(claim) for claim in claims)
        best = np.full((len(seen), len(claims)), -np.inf)
        for face in range(faces):
            vectors = np.array([claim[face][0] for claim in claims])
            widths = np.array([claim[face][1] for claim in claims])
            alike = np.array([item[0] for item in seen]) @ vectors.T
            alike -= WIDTH_WEIGHT * np.abs(np.array([item[1] for item in seen])[:, None] - widths)
            best = np.maximum(best, alike)
        own = np.diag(best)[:, None]
        as_like = (best >= own).sum(axis=1) - 1
        return float(np.mean(as_like / (len(seen) - 1))), len(seen)

    def _picture(self, word: PageWord) -> tuple[np.ndarray, float] | None:
        boxes = self.ink.pixels[list(word.places)]
        left_edge, top = boxes[:, :2].min(axis=0)
        right, bottom = boxes[:, 2:].max(axis=0)
        # Vowel signs that the layer has no box for stand above and below.
        reach = round(0.3 * (bottom - top))
        top, bottom = max(0, top - reach), bottom + reach
        return _vector(self.ink.seen[top:bottom, left_edge:right] * np.uint8(255))


def _is_lacking(word: PageWord) -> bool:
    """Whether a word of joined letters has glyphs without a character."""
    return REPLACEMENT in word.text and is_joined(word.text)


def _fillings(text: str, letters: Sequence[str]) -> Iterator[str]:
    """A text with each of some letters in the place of each glyph without a character."""
    parts = text.split(REPLACEMENT)
    for cut in range(1, len(parts)):
        before, after = "".join(parts[:cut]), "".join(parts[cut:])
        yield from (before + letter + after for letter in letters)


@lru_cache(maxsize=1 << 13)
def _drawn(text: str) -> list[tuple[np.ndarray, float]]:
    drawn = []
    for face in faces_of(text)[:MOST_FACES]:
        picture = face.draw(text)
        vector = _vector(picture[0]) if picture is not None else None
        if vector is not None:
            drawn.append(vector)
    return drawn


def _vector(ink: np.ndarray) -> tuple[np.ndarray, float] | None:
    """A picture stretched to one size, as a vector of length 1, and the log of its proportions."""
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    if not len(rows) or not len(columns):
        return None
    cut = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    height, width = cut.shape
    small = cv2.resize(cut, (WIDE, HIGH), interpolation=cv2.INTER_AREA).astype(np.float32)
    soft = cv2.GaussianBlur(small, (0, 0), SOFT)
    flat = soft.ravel() - soft.mean()
    return flat / max(float(np.linalg.norm(flat)), 1e-6), float(np.log(width / height))
