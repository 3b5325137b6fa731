"""Words of a page into phrases: what stands together on a line, apart from other cells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ohr.documents.reading_order import slope_of

APART = 0.75
"""A gap of this many heights of a line parts two phrases."""

_NUMBER = re.compile(
    r"[-–—~+(<>]*\s*[$€£¥]?\s*[-–—(]*\s*[\d.,]*\d[\d.,]*\s*[%)*x]*(?:\([a-z]\))*\W?"
)
_WORD_NUMBERS = frozenset({"nm", "n/m", "na", "n/a", "nil", "none", "-", "–", "—", "--", "一", "*"})
_CURRENCY = frozenset("$€£¥")
_TAILS = frozenset({"%", ")", ")%", "%)", "bps", "x"})


@dataclass(frozen=True, slots=True)
class Word:
    """A word, and its box in pixels of the page set straight."""

    text: str
    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words of one line that stand together. Same fields as a word's."""

    text: str
    left: float
    top: float
    right: float
    bottom: float

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2

    @property
    def centre(self) -> float:
        return (self.left + self.right) / 2

    @property
    def is_number(self) -> bool:
        """Whether it is what stands in a cell of figures: an amount, a share, a dash, "NM"."""
        return is_number(self.text)


@dataclass(frozen=True)
class Segment:
    """A stretch of a line as an engine gives it: its words, each with four corners.

    ``words``: text and ``(4, 2)`` corners, from left to right; none where an engine gives none.
    """

    text: str
    corners: np.ndarray
    words: tuple[tuple[str, np.ndarray], ...]


def is_number(text: str) -> bool:
    """Whether a text is one of a column of figures."""
    stripped = text.strip()
    return stripped.lower() in _WORD_NUMBERS or _NUMBER.fullmatch(stripped) is not None


def phrases(segments: Sequence[Segment]) -> tuple[list[Phrase], float]:
    """Phrases of a page set straight, and the slope that was taken out of it.

    A segment falls apart at wide gaps: detectors take close cells for one line.
    """
    if not segments:
        return [], 0.0
    corners = np.stack([segment.corners for segment in segments]).astype(float)
    slope = slope_of(corners)
    unit = line_height(corners, slope)
    return [part for segment in segments for part in _parts(segment, slope, unit)], slope


def line_height(corners: np.ndarray, slope: float) -> float:
    """Median height of boxes ``(n, 4, 2)`` set straight."""
    y = corners[:, :, 1] - slope * corners[:, :, 0]
    return max(float(np.median(y.max(axis=1) - y.min(axis=1))), 1.0)


def _straight(corners: np.ndarray, slope: float) -> tuple[float, float, float, float]:
    x, y = corners[:, 0].astype(float), corners[:, 1].astype(float)
    x, y = x + slope * y, y - slope * x
    return float(x.min()), float(y.min()), float(x.max()), float(y.max())


def _parts(segment: Segment, slope: float, unit: float) -> Iterable[Phrase]:
    words = [Word(text, *_straight(corners, slope)) for text, corners in segment.words]
    left_edge, top, right, bottom = _straight(segment.corners, slope)
    if words:  # detectors leave room at both ends
        left_edge, right = max(left_edge, words[0].left), min(right, words[-1].right)
    whole = Phrase(segment.text.strip(), left_edge, top, max(right, left_edge + 1), bottom)
    # A tall box is no line: a stamp, or upright text, whose words have no gaps between them.
    if not whole.text or whole.height > 2 * whole.width or len(words) < 2:
        return [whole] if whole.text else []
    cuts = [
        position
        for position in range(1, len(words))
        if words[position].left - words[position - 1].right >= APART * unit
        or (_is_currency(words[position].text) and is_number(words[position - 1].text))
    ]
    if not cuts:
        return [whole]
    places = _places(segment.text, [word.text for word in words])
    if places is None:
        return [whole]
    parts = []
    for first, end in zip([0, *cuts], [*cuts, len(words)], strict=True):
        text = segment.text[places[first] : places[end] if end < len(words) else None].strip()
        left_edge, right = words[first].left, words[end - 1].right
        if text:
            parts.append(Phrase(text, left_edge, top, max(right, left_edge + 1), bottom))
    return parts


def _places(text: str, words: Sequence[str]) -> list[int] | None:
    """Where each word begins in the text; None if they are not all there in order."""
    places, start = [], 0
    for word in words:
        position = text.find(word, start)
        if position < 0:
            return None
        places.append(position)
        start = position + len(word)
    return places


def joined(line: Iterable[Phrase], gap: float) -> list[Phrase]:
    """Phrases of a line from left to right, those less than ``gap`` pixels apart made one.

    A currency sign goes to the number after it, ``%`` and ``)`` to the one before, however far.
    """
    result: list[Phrase] = []
    for phrase in line:
        last = result[-1] if result else None
        if last is not None and (
            (phrase.left - last.right < gap and not _two_cells(last, phrase))
            or (_is_currency(last.text) and len(last.text) == 1 and _begins_number(phrase))
            or (phrase.text in _TAILS and last.is_number)
        ):
            result[-1] = _merge(last, phrase)
        else:
            result.append(phrase)
    return result


def _two_cells(phrase: Phrase, following: Phrase) -> bool:
    """Whether both are figures, which stand in cells of their own however close."""
    return phrase.is_number and (following.is_number or _is_currency(following.text))


def _is_currency(text: str) -> bool:
    """Whether a text begins with a currency sign; engines read ``$`` alone as ``S``."""
    return text[:1] in _CURRENCY or text == "S"


def _begins_number(phrase: Phrase) -> bool:
    return phrase.is_number or phrase.text[:1].isdigit()


def _merge(phrase: Phrase, following: Phrase) -> Phrase:
    first = "$" if phrase.text == "S" and following.is_number else phrase.text
    tight = first in _CURRENCY or following.text in _TAILS
    return replace(
        phrase,
        text=f"{first}{'' if tight else ' '}{following.text}",
        left=min(phrase.left, following.left),
        top=min(phrase.top, following.top),
        right=max(phrase.right, following.right),
        bottom=max(phrase.bottom, following.bottom),
    )
