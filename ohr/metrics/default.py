r"""The toolkit's own metrics: the published ones with each quirk fixed.

``docs/reference/protocols.md`` lists every rule with examples and reasons. In short, unlike
:mod:`ohr.metrics.reference`:

- numbers keep their sign and decimal point, and lose thousands separators: -5 is not 5,
  3.14 is not 314, 1,000 is 1000, .5 is 0.5, and (917) among amounts is -917;
- per cent, currency signs but the dollar, comparisons and the signs of arithmetic are tokens,
  however they are written: ``\leq``, ``<=`` and ``≤`` are one;
- an "a" is an article only before a word, and no term of a formula or name of an option;
- rules and frames of tables (``\hline``, ``\begin{tabular}{|l|c|}``, HTML tags) are no words;
- equivalent code points are the same (:mod:`ohr.markup.folding`), and so are subscript and
  superscript digits in mark-up and as characters (:mod:`ohr.markup.scripts`);
- every ideograph, kana and hangul syllable is one token, for F1 and LCS alike, without a
  segmenter; so is each letter of Thai, Lao, Burmese and Khmer;
- vowel signs and other combining marks of a script belong to its words;
- hyphens, slashes and underscores separate words instead of gluing them together;
- answers (F1, exact match, ROUGE-L) are not charged for another spelling of a word or number:
  ``U.S.`` and ``US``, ``co-operate`` and ``cooperate``, ``5.0`` and ``5``, ``12,34,567``,
  ``1 234 567`` and ``1'234.50`` (:mod:`ohr.metrics.answer_forms`);
- an empty prediction scores 0 everywhere, and so does an empty reference.
"""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz.distance import LCSseq

from ohr.markup.folding import fold_glyphs
from ohr.markup.scripts import script_glyphs
from ohr.metrics.answer_forms import answer_tokens
from ohr.metrics.default_tokens import tokens
from ohr.metrics.long_texts import distance
from ohr.metrics.reference import collapse, token_f1, token_rouge_l

__all__ = [
    "cer", "characters", "edit_distance", "em", "f1", "lcs", "rouge_l", "token_lcs", "tokens", "wer"
]  # fmt: skip
_VERDICTS = (["yes"], ["no"], ["noanswer"])


def f1(prediction: str, reference: str) -> float:
    """Token F1 in [0, 1]; a yes/no answer scores only when it matches exactly."""
    predicted, expected = answer_tokens(prediction, reference)
    if predicted != expected and (predicted in _VERDICTS or expected in _VERDICTS):
        return 0.0
    return token_f1(predicted, expected)


def rouge_l(prediction: str, reference: str) -> float:
    """ROUGE-L in [0, 1]: F1 of the longest common subsequence of tokens (Lin 2004)."""
    return token_rouge_l(*answer_tokens(prediction, reference))


def em(prediction: str, reference: str) -> float:
    """1 when the tokens are equal and there are any, else 0."""
    predicted, expected = answer_tokens(prediction, reference)
    return float(bool(predicted) and predicted == expected)


def lcs(prediction: str, reference: str) -> float:
    """Word-level LCS over the reference's words; 0 for a reference without words."""
    return token_lcs(tokens(prediction), tokens(reference))


def token_lcs(predicted: Sequence[str], expected: Sequence[str]) -> float:
    """:func:`lcs` of two token lists."""
    if not expected:
        return 0.0
    return LCSseq.similarity(expected, predicted) / len(expected)


def characters(text: str) -> str:
    """A text in the form in which characters are compared: equivalent code points folded, white
    space collapsed."""
    return collapse(script_glyphs(fold_glyphs(text)))


def edit_distance(prediction: str, reference: str) -> float:
    """Levenshtein distance of :func:`characters` over the longer text; 0 for two empty texts.

    Exact up to 100,000 characters, and so are :func:`cer` and, up to 100,000 words, :func:`wer`
    (:mod:`ohr.metrics.long_texts`).
    """
    return edit_rates(characters(prediction), characters(reference))[0]


def cer(prediction: str, reference: str) -> float:
    """Character error rate: Levenshtein of :func:`characters` over the reference, at most 1."""
    return edit_rates(characters(prediction), characters(reference))[1]


def wer(prediction: str, reference: str) -> float:
    """Word error rate over :func:`tokens`: Levenshtein over the reference, at most 1."""
    return edit_rates(tokens(prediction), tokens(reference))[1]


def edit_rates(predicted: Sequence[str], expected: Sequence[str]) -> tuple[float, float]:
    """Levenshtein distance of two texts or word lists: over the longer one, and over the expected
    one, at most 1. Both are 0 for two empty texts.
    """
    longer = max(len(predicted), len(expected))
    if predicted == expected:
        return 0.0, 0.0
    if not expected:
        return 1.0, 1.0
    apart = distance(predicted, expected, score_hint=longer // 10)
    return apart / longer, min(1.0, apart / len(expected))
