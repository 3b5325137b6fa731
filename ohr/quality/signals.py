"""Signals of OCR quality without ground truth: numbers that grow with the error of a page.

A signal that is not available is NaN (*not assessed*), for example without a second engine or a
text layer. All functions are pure.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

from ohr.metrics.holes import known_texts
from ohr.metrics.reference import collapse
from ohr.quality.garbage import garbage_share
from ohr.quality.language import Language
from ohr.quality.texts import (
    character_distance,
    content,
    content_tokens,
    order_free_distance,
    page_r_noise,
)
from ohr.types import Holes, Word

SIGNALS: Mapping[str, str] = {
    "disagreement": "distance of words to the nearest other engine",
    "disputed_passages": "share of the nearest other engine's passages that the output lacks",
    "instability": "mean distance to repeats under mild distortions",
    "layer": "distance to the PDF's text layer",
    "lost_passages": "share of the text layer's passages that the output lacks",
    "unknown_words": "share of words that no other document has",
    "surprise": "bits per character under the other documents",
    "garbage": "share of words that break the rules of garbage",
    "confidence": "1 - the engine's mean confidence in a word",
    "unsure_words": "share of words with a confidence below 0.6",
    "loops": "share of the words that repeat earlier text",
    "length": "characters, as a logarithm",
    "numbers": "share of the words that are numbers or codes",
    "markup": "share of the characters that are mark-up",
}
"""The signals in order, with their meaning. The last three do not grow with the error: they
describe the kind of page, and so how much of the error is mark-up."""

EARLIER_NAMES: Mapping[str, str] = {"wobble": "instability"}
"""Names of signals in files of earlier versions, and what they are called now."""
UNSURE = 0.6
LOOP_WORDS = 6
_NUMBER = re.compile(r".*\d.*")


@dataclass(frozen=True)
class PageOutput:
    """One engine's output of a page, with everything that it is compared with.

    ``others`` are the other engines' outputs of the same image, ``repeats`` the engine's outputs of
    mildly distorted images, ``layer`` the PDF's text layer if it can stand for the page, ``words``
    the engine's words with their confidence, None if it has none, and ``holes`` what is not known
    of the layer.
    """

    text: str
    others: tuple[str, ...] = ()
    repeats: tuple[str, ...] = ()
    layer: str | None = None
    words: tuple[Word, ...] | None = None
    holes: Holes | None = None


def signals(page: PageOutput, language: Language | None) -> dict[str, float]:
    """Every signal of :data:`SIGNALS`; NaN for one that is not assessed.

    ``language`` is that of the other documents; None if there are none.
    """
    text = content(page.text)
    tokens = content_tokens(page.text)
    confidences = [word.confidence for word in page.words or ()]
    return {
        "disagreement": min(
            (_distance(tokens, content_tokens(other)) for other in page.others),
            default=math.nan,
        ),
        "disputed_passages": min(
            (page_r_noise(page.text, other) for other in page.others), default=math.nan
        ),
        "instability": _mean([character_distance(page.text, again) for again in page.repeats]),
        **_layer_signals(page),
        "unknown_words": math.nan if language is None else language.unknown_share(text),
        "surprise": math.nan if language is None else language.surprise(text),
        "garbage": garbage_share(text),
        "confidence": 1 - _mean(confidences),
        "unsure_words": _mean([float(confidence < UNSURE) for confidence in confidences]),
        "loops": loop_share(tokens),
        "length": math.log10(1 + len(text)),
        "numbers": _mean([float(_NUMBER.match(token) is not None) for token in tokens], empty=0.0),
        "markup": 1 - len(text) / len(whole) if (whole := collapse(page.text)) else 0.0,
    }


def _layer_signals(page: PageOutput) -> dict[str, float]:
    """The signals that compare with the text layer, without what is not known of it.

    Where the order of its words is not known, the distance ignores the order, and passages are not
    assessed.
    """
    if page.layer is None:
        return {"layer": math.nan, "lost_passages": math.nan}
    text, layer = known_texts(page.text, page.layer, page.holes)
    if page.holes is not None and page.holes.doubtful and not layer.strip():
        return {"layer": math.nan, "lost_passages": math.nan}
    if page.holes is not None and not page.holes.order_known:
        return {"layer": order_free_distance(text, layer), "lost_passages": math.nan}
    distance = character_distance(content(text), layer)
    return {"layer": distance, "lost_passages": page_r_noise(text, layer)}


def loop_share(tokens: Sequence[str]) -> float:
    """Share of the runs of :data:`LOOP_WORDS` words that occurred before, in [0, 1]."""
    runs = Counter(
        tuple(tokens[start : start + LOOP_WORDS]) for start in range(len(tokens) - LOOP_WORDS + 1)
    )
    total = sum(runs.values())
    return 1 - len(runs) / total if total else 0.0


def _distance(first: Sequence[str], second: Sequence[str]) -> float:
    return float(Levenshtein.normalized_distance(first, second))


def _mean(values: Sequence[float], empty: float = math.nan) -> float:
    return sum(values) / len(values) if values else empty
