"""What can be seen of a page's reading without truth, each as a number that grows with the error.

A signal that cannot be had is NaN (*not assessed*): another engine was not there, the PDF has no
text layer. Every function is pure: texts, words and counts in, a number out.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

from ohr.metrics.reference import collapse
from ohr.quality.garbage import garbage_share
from ohr.quality.language import Language
from ohr.quality.texts import character_distance, content, content_tokens, page_r_noise
from ohr.types import Word

SIGNALS: Mapping[str, str] = {
    "disagreement": "distance of words to the nearest other engine",
    "disputed_passages": "share of the nearest other engine's passages that are not read",
    "wobble": "mean distance to rereadings under mild distortions",
    "layer": "distance to the PDF's text layer",
    "lost_passages": "share of the text layer's passages that are not read",
    "unknown_words": "share of words that no other document has",
    "surprise": "bits a character under the other documents",
    "garbage": "share of words that break the rules of garbage",
    "confidence": "1 - the engine's mean confidence in a word",
    "unsure_words": "share of words of which the engine is less than .6 sure",
    "loops": "share of the words that repeat what stood before",
    "length": "characters, as a logarithm",
    "numbers": "share of the words that are numbers or codes",
    "markup": "share of the characters that are mark-up",
}
"""The signals in their order, and what each is. The last three do not grow with the error: they
say what kind of page it is, and so how much of an error the mark-up alone will be."""

UNSURE = 0.6
LOOP_WORDS = 6
_NUMBER = re.compile(r".*\d.*")


@dataclass(frozen=True)
class PageReading:
    """All that is known of one page as one engine read it.

    ``others`` are the other engines' readings of the same image, ``rereadings`` the engine's own
    of mildly distorted images, ``layer`` the PDF's text layer where it can stand for the page,
    and ``words`` the engine's words with their confidence, None where it has none.
    """

    text: str
    others: tuple[str, ...] = ()
    rereadings: tuple[str, ...] = ()
    layer: str | None = None
    words: tuple[Word, ...] | None = None


def signals(reading: PageReading, language: Language | None) -> dict[str, float]:
    """Every signal of :data:`SIGNALS`; NaN for one that is not assessed.

    ``language`` is made of the other documents; None where there are none.
    """
    text = content(reading.text)
    tokens = content_tokens(reading.text)
    confidences = [word.confidence for word in reading.words or ()]
    return {
        "disagreement": min(
            (_distance(tokens, content_tokens(other)) for other in reading.others),
            default=math.nan,
        ),
        "disputed_passages": min(
            (page_r_noise(reading.text, other) for other in reading.others), default=math.nan
        ),
        "wobble": _mean([character_distance(reading.text, again) for again in reading.rereadings]),
        "layer": math.nan if reading.layer is None else character_distance(text, reading.layer),
        "lost_passages": (
            math.nan if reading.layer is None else page_r_noise(reading.text, reading.layer)
        ),
        "unknown_words": math.nan if language is None else language.unknown_share(text),
        "surprise": math.nan if language is None else language.surprise(text),
        "garbage": garbage_share(text),
        "confidence": 1 - _mean(confidences),
        "unsure_words": _mean([float(one < UNSURE) for one in confidences]),
        "loops": loop_share(tokens),
        "length": math.log10(1 + len(text)),
        "numbers": _mean([float(_NUMBER.match(token) is not None) for token in tokens], empty=0.0),
        "markup": 1 - len(text) / len(whole) if (whole := collapse(reading.text)) else 0.0,
    }


def loop_share(tokens: Sequence[str]) -> float:
    """Share of the runs of :data:`LOOP_WORDS` words that came before, in [0, 1]."""
    runs = Counter(
        tuple(tokens[start : start + LOOP_WORDS]) for start in range(len(tokens) - LOOP_WORDS + 1)
    )
    total = sum(runs.values())
    return 1 - len(runs) / total if total else 0.0


def _distance(first: Sequence[str], second: Sequence[str]) -> float:
    return float(Levenshtein.normalized_distance(first, second))


def _mean(values: Sequence[float], empty: float = math.nan) -> float:
    return sum(values) / len(values) if values else empty
