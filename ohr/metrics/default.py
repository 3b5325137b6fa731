"""The toolkit's own metrics: the published ones with each quirk mended deliberately.

What differs from :mod:`ohr.metrics.reference`, and why:

- numbers keep their sign and decimal point, and lose thousands separators: -5 is not 5,
  3.14 is not 314, 1,000 is 1000;
- a capital A that no lower-case word follows is a label, not an article: "Option A" and
  "Option B" share one word of two;
- compatibility forms are folded (NFKC), so full-width punctuation and digits count as their
  plain forms, and every ideograph, kana and hangul syllable is a token of its own, for F1
  and LCS alike, without a segmenter;
- hyphens, slashes and underscores separate words instead of gluing them together;
- an empty prediction scores 0 everywhere, and so does an empty reference.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from rapidfuzz.distance import LCSseq, Levenshtein

from ohr.metrics.reference import collapse, edit_distance, token_f1, token_rouge_l

__all__ = ["cer", "edit_distance", "em", "f1", "lcs", "rouge_l", "token_lcs", "tokens", "wer"]

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_TOKEN = re.compile(
    rf"""
    (?:(?<![\w.)\]}}])[-\u2212])?(?:\d{{1,3}}(?:,\d{{3}})+|\d+)(?:\.\d+)?(?![^\W_{_CJK}])
    | [{_CJK}]
    | [^\W_{_CJK}]+
    """,
    re.VERBOSE,
)
_APOSTROPHE = re.compile(r"(?<=[^\W\d_])['\u2019](?=[^\W\d_])")
_ARTICLES = {"a", "an", "the", "An", "The", "AN", "THE"}
_LOWER_WORD = re.compile(r"\s+[a-z]")
_VERDICTS = (["yes"], ["no"], ["noanswer"])


def tokens(text: str) -> list[str]:
    """Case-folded words, numbers and single CJK characters, without articles.

    Text of which nothing would be left (a lone article, only symbols) keeps its white-space
    separated parts, so that such an answer can still be matched.
    """
    text = _APOSTROPHE.sub("", unicodedata.normalize("NFKC", text))
    found = []
    for match in _TOKEN.finditer(text):
        word = match.group()
        if word in _ARTICLES or (word == "A" and _LOWER_WORD.match(text, match.end())):
            continue
        if word[-1].isdigit():
            word = word.replace(",", "").replace("\u2212", "-")
        found.append(word.casefold())
    return found or text.casefold().split()


def f1(prediction: str, reference: str) -> float:
    """Token F1 in [0, 1]; a yes/no answer scores only when it matches exactly."""
    predicted, expected = tokens(prediction), tokens(reference)
    if predicted != expected and (predicted in _VERDICTS or expected in _VERDICTS):
        return 0.0
    return token_f1(predicted, expected)


def rouge_l(prediction: str, reference: str) -> float:
    """ROUGE-L in [0, 1]: F1 of the longest common subsequence of tokens (Lin 2004)."""
    return token_rouge_l(tokens(prediction), tokens(reference))


def em(prediction: str, reference: str) -> float:
    """1 when the tokens are equal and there are any, else 0."""
    predicted = tokens(prediction)
    return float(bool(predicted) and predicted == tokens(reference))


def lcs(prediction: str, reference: str) -> float:
    """Word-level LCS over the reference's words; 0 for a reference without words."""
    return token_lcs(tokens(prediction), tokens(reference))


def token_lcs(predicted: Sequence[str], expected: Sequence[str]) -> float:
    """:func:`lcs` on tokens that are already there."""
    if not expected:
        return 0.0
    return LCSseq.similarity(expected, predicted) / len(expected)


def cer(prediction: str, reference: str) -> float:
    """Character error rate, white space collapsed: Levenshtein over the reference, at most 1."""
    return _error_rate(collapse(prediction), collapse(reference))


def wer(prediction: str, reference: str) -> float:
    """Word error rate over :func:`tokens`: Levenshtein over the reference, at most 1."""
    return _error_rate(tokens(prediction), tokens(reference))


def _error_rate(predicted: Sequence[str], expected: Sequence[str]) -> float:
    if not expected:
        return float(bool(predicted))
    return min(1.0, Levenshtein.distance(predicted, expected) / len(expected))
