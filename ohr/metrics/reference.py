"""The published evaluation's metrics, quirks included (OHR-Bench, section 4.1).

Kept as they are so that published figures can be reproduced: ASCII punctuation is deleted
(so -5 equals 5), articles are removed (so "Option A" and "Option B" share two thirds),
Chinese is segmented for F1 but not for LCS, two empty strings match exactly but have an F1
of 0, and the LCS of an empty reference is 0.5.
"""

from __future__ import annotations

import functools
import re
import string
import unicodedata
from collections import Counter
from collections.abc import Sequence

from rapidfuzz.distance import LCSseq, Levenshtein

from ohr.markup.writing_systems import jieba

_ARTICLE = re.compile(r"(?<![a-z0-9_])(?:an?|the)(?![a-z0-9_])")
_CIRCLED_LETTER = re.compile(
    "[\u24b6-\u24e9\U0001f130-\U0001f149\U0001f150-\U0001f169\U0001f170-\U0001f189]"
)
_PUNCTUATION = re.compile(f"[{re.escape(string.punctuation)}]+")
_ARTICLE_WORDS = frozenset({"a", "an", "the"})
_LOWER = bytes(ord(chr(code).lower()) if code < 128 else code for code in range(256))
_PUNCTUATION_BYTES = string.punctuation.encode("ascii")
_PLAIN_BYTES = string.printable.encode("ascii")
_VERDICTS = {"yes", "no", "noanswer"}


def normalise(text: str) -> str:
    """Lower case, no ASCII punctuation, no articles, single spaces."""
    return " ".join(tokens(text))


def tokens(text: str) -> list[str]:
    """Words of the normalised text; Chinese is not segmented."""
    if text.isascii():
        data = text.encode("ascii")
        if not data.translate(None, _PLAIN_BYTES):
            # Only letters, digits and spaces remain, so each article is a separate word. A
            # byte table is many times faster than the patterns.
            words = data.translate(_LOWER, _PUNCTUATION_BYTES).decode("ascii").split()
            return [word for word in words if word not in _ARTICLE_WORDS]
    return _ARTICLE.sub(_unless_part_of_a_word, _PUNCTUATION.sub("", text.lower())).split()


def _unless_part_of_a_word(article: re.Match[str]) -> str:
    text, (start, end) = article.string, article.span()
    beside = text[start - 1 : start] + text[end : end + 1]
    return article.group() if any(map(_is_word, beside)) else " "


@functools.lru_cache(maxsize=65536)
def _is_word(char: str) -> bool:
    """Whether a character belongs to words in the published code's patterns.

    That code uses the package ``regex``: combining marks, joiners and all connecting punctuation
    belong to words, superscript digits and fractions do not. ``re`` differs.
    """
    category = unicodedata.category(char)
    return (
        category[0] in "LM"
        or category in ("Nd", "Nl", "Pc")
        or char in "\u200c\u200d"
        or (category == "So" and _CIRCLED_LETTER.match(char) is not None)
    )


@functools.lru_cache(maxsize=65536)
def _is_cjk(char: str) -> bool:
    return "CJK" in unicodedata.name(char, "")


def _has_cjk(text: str) -> bool:
    return not text.isascii() and any(_is_cjk(char) for char in text)


def _segment(text: str) -> list[str]:
    return [str(word) for word in jieba().lcut(text)]


def f1(prediction: str, reference: str) -> float:
    """Token F1 in [0, 1]; a yes/no answer scores only when it matches exactly."""
    predicted, expected = normalise(prediction), normalise(reference)
    if predicted != expected and (predicted in _VERDICTS or expected in _VERDICTS):
        return 0.0
    if _has_cjk(prediction) or _has_cjk(reference):
        return token_f1(_segment(predicted), _segment(expected))
    return token_f1(predicted.split(), expected.split())


def token_f1(predicted: Sequence[str], expected: Sequence[str]) -> float:
    """Harmonic mean of precision and recall over token multisets; 0 without overlap."""
    shared = (Counter(predicted) & Counter(expected)).total()
    if shared == 0:
        return 0.0
    precision, recall = shared / len(predicted), shared / len(expected)
    return 2 * precision * recall / (precision + recall)


def rouge_l(prediction: str, reference: str) -> float:
    """ROUGE-L: F1 of the longest common subsequence of words; Chinese segmented, as for F1."""
    predicted, expected = normalise(prediction), normalise(reference)
    if _has_cjk(prediction) or _has_cjk(reference):
        return token_rouge_l(_segment(predicted), _segment(expected))
    return token_rouge_l(predicted.split(), expected.split())


def token_rouge_l(predicted: Sequence[str], expected: Sequence[str]) -> float:
    """Harmonic mean of precision and recall of the LCS of tokens (Lin 2004); 0 without one."""
    common = LCSseq.similarity(predicted, expected)
    return 2 * common / (len(predicted) + len(expected)) if common else 0.0


def em(prediction: str, reference: str) -> float:
    """1 when the normalised texts are equal, else 0."""
    return float(normalise(prediction) == normalise(reference))


def lcs(prediction: str, reference: str) -> float:
    """Word-level LCS over the reference's words; 0.5 for a reference without words."""
    return token_lcs(tokens(prediction), tokens(reference))


def token_lcs(predicted: Sequence[str], expected: Sequence[str]) -> float:
    """:func:`lcs` of two token lists."""
    if not expected:
        return 0.5
    return LCSseq.similarity(expected, predicted) / len(expected)


def edit_distance(prediction: str, reference: str) -> float:
    """Levenshtein over the longer text, white space collapsed; 0 for two empty texts."""
    if prediction == reference:
        return 0.0
    predicted, expected = collapse(prediction), collapse(reference)
    return Levenshtein.normalized_distance(predicted, expected, score_hint=0.1)


def collapse(text: str) -> str:
    """White space collapsed to single spaces, none at the ends."""
    return " ".join(text.split())
