r"""The toolkit's own metrics: the published ones with each quirk mended deliberately.

``docs/reference/protocols.md`` lists every rule with examples and reasons. In short, unlike
:mod:`ohr.metrics.reference`:

- numbers keep their sign and decimal point, and lose thousands separators: -5 is not 5,
  3.14 is not 314, 1,000 is 1000, .5 is 0.5, and (917) among amounts is -917;
- per cent, currency signs but the dollar, comparisons and the signs of arithmetic are tokens,
  however they are written: ``\leq``, ``<=`` and ``≤`` are one;
- an "a" is an article only before a word, and no term of a formula or name of an option;
- rules and frames of tables (``\hline``, ``\begin{tabular}{|l|c|}``, HTML tags) are no words;
- the same text in other code points is one (:mod:`ohr.markup.folding`), and so are digits below
  and above the line in mark-up and as characters (:mod:`ohr.markup.scripts`);
- every ideograph, kana and hangul syllable is a token of its own, for F1 and LCS alike, without a
  segmenter; so is each letter of Thai, Lao, Burmese and Khmer;
- vowel signs and other combining marks of a script belong to its words;
- hyphens, slashes and underscores separate words instead of gluing them together;
- an empty prediction scores 0 everywhere, and so does an empty reference.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence

from rapidfuzz.distance import LCSseq, Levenshtein

from ohr.markup.folding import fold, fold_glyphs
from ohr.markup.scripts import join_scripts, script_glyphs
from ohr.markup.symbols import COMMAND_TO_CHAR
from ohr.metrics.reference import collapse, token_f1, token_rouge_l
from ohr.writing_systems import UNSPACED, marks, may_have_marks

__all__ = [
    "cer", "characters", "edit_distance", "em", "f1", "lcs", "rouge_l", "token_lcs", "tokens", "wer"
]  # fmt: skip

# Tags, rules and frames. Other commands (``\textbf``, ``\section``) are words: r_noise counts
# them as noise, and r_noise_content does not.
_TAG = re.compile(
    r"</?(?:table|thead|tbody|tfoot|tr|td|th|caption|colgroup|col|br|hr|p|div|span|sup|sub|b|i|u"
    r"|em|strong|h[1-6])(?:\s+[a-z-]{1,20}\s*=[^<>]{0,200})?\s*/?>",
    re.IGNORECASE,
)
_DRAWN = re.compile(
    r"(?<!\\)\\+(?:(?:hline|hrule|toprule|midrule|bottomrule|cmidrule|cline)(?![a-zA-Z])"
    r"(?:[ ]?[(\[][^()\[\]\n]{0,20}[)\]])?(?:[ ]?\{[0-9 -]{1,20}\})?"
    r"|(?:begin|end)[ ]?\{(?:tabular[xy*]?|longtable|array)\}"
    r"(?:[ ]?\[[^\[\]\n]{0,20}\])?(?:[ ]?\{(?:[^{}\n]|\{[^{}\n]{0,60}\}){0,200}\})?)"
)

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_DASH = "\u2013\u2212-"
_CURRENCY = "€£¥¢₩₪₫₱₹₺₽"
# Arrows and mathematical operators without the minus sign, and without the dots, bars and
# bullets that part words.
_SYMBOL = (
    rf"%‰+±×÷¬°{_CURRENCY}\u2190-\u2211\u2213-\u2216\u2218\u221a-\u2222\u2227-\u22c4\u22c8-\u22ed"
    r"\u27f0-\u27ff\u2a00-\u2aff"
)
_LETTER = r"[^\W\d_]"
_SPACE = r"[ \t\n\r]"
_OPERATOR = "=+/^×÷±≤≥"
_WHOLE = r"(?:\d{1,3}(?:(?:,|\{,\})\d{3})+(?!\d)|\d+)"
_NUMBER = rf"(?:{_WHOLE}(?:\.\d+)?|\.(?<![\w.].)\d+)"
_SIGN_OF_MONEY = rf"\\?[${_CURRENCY}][ ]?"


def _token_pattern(word: str) -> re.Pattern[str]:
    """What a token is, a pattern of words being given."""
    return re.compile(
        rf"""
        # An article, with the space after it: a word follows, and no operator comes before it.
        a{_SPACE}(?<![\w\\{_OPERATOR}]a{_SPACE})(?<![{_OPERATOR}][ ]a{_SPACE})
          (?=\s*["'“‘(\[*$]{{0,3}}(?:\d|\\(?:text|emph|under)|{_LETTER}(?:\w|[.'’-]\w)))
        | A{_SPACE}(?<!\wA{_SPACE})(?=\s*[a-z])
        # An ideograph, kana or hangul syllable, or a word.
        | [{_CJK}]
        | {word}
        # A number, and its sign, which may stand before the currency sign.
        | (?:[{_DASH}](?<![\w.)\]}}%°”’′″{_DASH}].)(?<![\w)\]}}%]\$.)(?:{_SIGN_OF_MONEY})?)?
          {_NUMBER}
        # An amount in brackets, but no year, telephone number or aside: "ninety (90) days".
        | \((?<![\w)\]].)(?!(?:1[5-9]|20)\d\d\)|\d{{3}}\)[ -]?\d{{3}}[-. ]\d{{4}})
          (?:(?<!{_LETTER}{_SPACE}.)|(?!{_SIGN_OF_MONEY}|{_NUMBER}\)(?:[.,;:]|{_SPACE}?{_LETTER})))
          (?:{_SIGN_OF_MONEY})?(?=[\d.,]{{3}}){_NUMBER}(?=\))
        # The sign of a variable: e^{{-x}}.
        | [{_DASH}](?:(?<=[{{(=^].)|(?<=[=][ ].))(?=\\?{_LETTER})
        # A command, escaped once or twice, and what is neither word nor number.
        | (?<!\\)\\+[a-zA-Z]+
        | [<>]=?
        | [{_SYMBOL}]
        """,
        re.VERBOSE,
    )


_TOKEN = _token_pattern(rf"[^\W\d_{_CJK}][^\W_{_CJK}]*")


@functools.cache
def _token_of_marked_scripts() -> re.Pattern[str]:
    """Tokens of text in which marks belong to words, or letters stand without spaces."""
    letter = rf"[^\W_{_CJK}{UNSPACED}]"
    return _token_pattern(
        rf"(?=[^\W\d_])(?:[{UNSPACED}]{marks()}* | {letter}+(?:{marks()}+{letter}*)*)"
    )


_APOSTROPHE = re.compile(r"(?<=[^\W\d_])['\u2018\u2019](?=[^\W\d_])")
_ARTICLES = {
    *("an", "the", "An", "The", "AN", "THE"),
    *(f"{letter}{space}" for letter in "aA" for space in " \t\n\r"),
}
_ONE_SIGN = {"<=": "≤", ">=": "≥", "⩽": "≤", "⩾": "≥", "≦": "≤", "≧": "≥", "∘": "°"}
_VERDICTS = (["yes"], ["no"], ["noanswer"])


def _sign(match: str) -> str:
    return _ONE_SIGN.get(match, match).casefold()


_COMMANDS: dict[str, list[str]] = {
    command: [_sign(token) for token in _TOKEN.findall(fold(char))]
    for command, char in COMMAND_TO_CHAR.items()
} | {"lt": ["<"], "gt": [">"], "sqrt": ["√"]}
"""What a command reads as, without its backslash: nothing for dots, bars and bullets."""


def tokens(text: str) -> list[str]:
    """Case-folded words, numbers, signs and single CJK characters, without articles.

    Text of which nothing would be left (a lone article, only punctuation) keeps its white-space
    separated parts, so that such an answer can still be matched.
    """
    text = _APOSTROPHE.sub("", fold(join_scripts(text)))
    if "<" in text:
        text = _TAG.sub(" ", text)
    if "\\" in text:
        text = _DRAWN.sub(" ", text)
    pattern = _token_of_marked_scripts() if may_have_marks(text) else _TOKEN
    parts: list[str] = []
    for word in pattern.findall(text):
        if word[0].isalpha():
            if word not in _ARTICLES:
                parts.append(word.casefold())
        else:
            parts += _number_or_sign(word)
    return parts or text.casefold().split()


def _number_or_sign(match: str) -> list[str]:
    """Tokens of a match that is no word: a number with its currency, a command, or a sign."""
    if match.isdecimal():
        return [match]
    if match[-1].isdecimal():
        number = match.lstrip(f"({_DASH}\\$ {_CURRENCY}").replace("{,}", "").replace(",", "")
        number = f"0{number}" if number[0] == "." else number
        sign = "-" if match[0] in f"({_DASH}" else ""
        return [*(char for char in match if char in _CURRENCY), sign + number]
    if match[0] == "\\":
        name = match.lstrip("\\")
        return _COMMANDS[name] if name in _COMMANDS else [name.casefold()]
    return ["-" if match in _DASH else _sign(match)]


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


def characters(text: str) -> str:
    """A text as its characters are compared: what looks the same is one, white space collapsed."""
    return collapse(script_glyphs(fold_glyphs(text)))


def edit_distance(prediction: str, reference: str) -> float:
    """Levenshtein of :func:`characters` over the longer text; 0 for two empty texts."""
    return Levenshtein.normalized_distance(characters(prediction), characters(reference))


def cer(prediction: str, reference: str) -> float:
    """Character error rate: Levenshtein of :func:`characters` over the reference, at most 1."""
    return _error_rate(characters(prediction), characters(reference))


def wer(prediction: str, reference: str) -> float:
    """Word error rate over :func:`tokens`: Levenshtein over the reference, at most 1."""
    return _error_rate(tokens(prediction), tokens(reference))


def _error_rate(predicted: Sequence[str], expected: Sequence[str]) -> float:
    if not expected:
        return float(bool(predicted))
    return min(1.0, Levenshtein.distance(predicted, expected) / len(expected))
