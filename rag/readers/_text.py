"""Words, numbers, ideographs and formulas of a text, and plain text out of Markdown/LaTeX.

Every pattern here runs in time linear in the text: quantifiers are possessive or bounded,
since the output of an OCR engine is untrusted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

import Stemmer

from ohr.markup.page import formulas_of

IDEOGRAPH = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
"""Ranges of characters that are a token each: kana, ideographs and hangul syllables."""

FORMULA_MARK = "\ue000"
"""Private-use character that stands for a formula while the text around it is cut."""

_MAX_STEM = 40
_TOKEN = re.compile(
    rf"""
    {FORMULA_MARK}
    | [{IDEOGRAPH}]
    | \d++(?:[.,]\d++)*+[^\W\d_{IDEOGRAPH}{FORMULA_MARK}]*+
    | [^\W_{IDEOGRAPH}{FORMULA_MARK}]++(?:['’](?:s|t|re|ve|ll|d|m)\b)?
    """,
    re.VERBOSE | re.IGNORECASE,
)


def token_spans(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of every token, in order."""
    return (match.span() for match in _TOKEN.finditer(text))


def stems(words: list[str]) -> list[str]:
    """Lower-case stems (Porter2 for English); numbers lose their thousands separators."""
    plain = [word[:_MAX_STEM].lower().replace("’", "'").replace(",", "") for word in words]
    # A stemmer keeps state, so threads must not share one; without a cache it is cheap to make.
    stemmed: list[str] = Stemmer.Stemmer("english", 0).stemWords(plain)
    return stemmed


def question_stems(question: str) -> list[str]:
    """Stems of all words of a question, formulas included, repeats kept."""
    text = question.replace(FORMULA_MARK, " ")
    return stems([text[start:end] for start, end in token_spans(text)])


_FOOTNOTE = re.compile(
    r"(?:\{\s*\}\s*)?\^\s*\{?\s*\\?(?:text\w*|math\w+)?\s*\{?\s*\(\s*\w\s*\)[\s}]*"
)
_ORDINAL = re.compile(r"\s*\^\s*\{?\s*\\(?:text|mathrm)\s*\{\s*(st|nd|rd|th)\s*\}\s*\}?")
_FONT = re.compile(
    r"\\(?:text(?:bf|it|rm|sc|sf|tt|normal|up)?|math(?:bf|rm|it|sf|tt|bb|cal)|emph|underline|"
    r"operatorname|boldsymbol|section|subsection|subsubsection|paragraph|title|chapter|"
    r"footnotetext|caption|bf|it|rm|large|Large|small|item|hline|noindent|centering|url|href)\b\*?"
)
_SPACING = re.compile(r"\\\\(?:\[[\w.]{1,8}\])?|\\[,;:!> ]|\\q?quad\b|~")
_ESCAPED = re.compile(r"\\([$%&#_{}])")
_MARKDOWN = re.compile(
    r"\*\*|__|`|(?<![^\s(\[*\"'])[*_](?=\w)|(?<=[\w.,;:!?)])[*_](?![^\s.,;:)\]])"
)
_LINE_MARK = re.compile(r"^[ \t]*+(?:#{1,6}[ \t]|>[ \t]|[-*+•·][ \t])[ \t]*+", re.MULTILINE)
_FRACTION = re.compile(r"(?<=\d)\s{0,3}/\s{0,3}(?=\d)")
_LOOSE = re.compile(r"(?<=[\d$(]) (?=[.,%)])|(?<=[$(]) ")
_LOOSE_DIGITS = re.compile(r"(?<=[\d$(]) (?=[\d.,%)])|(?<=[$(]) ")
_THOUSANDS = re.compile(r"(?<=\d), (?=\d{3}(?!\d))")
_FORMULA_SIGN = re.compile(r"[\\=^_<>{}|]")
_AMOUNT = re.compile(r"(?<=[$€£¥]) (?=\d)")
_TAG = re.compile(rf"</?[a-zA-Z][^<>\n{FORMULA_MARK}]{{0,100}}>")
_BRACE = re.compile(r"(?<!\\)[{}]")


def plain_math(formula: str) -> str | None:
    """Plain text of a formula that only sets a number, amount or word; None for a real formula."""
    inner = formula.strip("$")
    if len(inner) > 200:
        return None
    inner = _FOOTNOTE.sub(" ", inner)
    inner = _ORDINAL.sub(r"\1", inner)
    inner = _SPACING.sub(" ", _FONT.sub("", inner)).replace("\\cdot", "·")
    inner = _FRACTION.sub("/", _ESCAPED.sub(r"\1", _BRACE.sub("", inner)))
    if _FORMULA_SIGN.search(inner) or (len(inner.strip()) == 1 and inner.strip().isalpha()):
        return None
    # Formula OCR writes "1 0 0 \\%"; a space before a fraction is kept, as in "1 1/2".
    gaps = _LOOSE if "/" in inner else _LOOSE_DIGITS
    return _THOUSANDS.sub(",", gaps.sub("", " ".join(inner.split())))


def strip_markup(text: str) -> str:
    """Text (outside formulas) without Markdown's and LaTeX's style commands and HTML tags."""
    text = _LINE_MARK.sub("", _TAG.sub(" ", text))
    text = _SPACING.sub(" ", _FONT.sub("", text))
    text = _ESCAPED.sub(r"\1", _BRACE.sub("", text))
    return _AMOUNT.sub("", _MARKDOWN.sub("", text))


def split_formulas(text: str) -> tuple[str, list[str]]:
    """Plain text with a mark for each real formula, and the formulas as they are written."""
    text = text.replace(FORMULA_MARK, " ")
    parts: list[str] = []
    formulas: list[str] = []
    located = formulas_of(text)
    edges = [0, *(edge for formula in located for edge in (formula.start, formula.end)), len(text)]
    for index, (start, end) in enumerate(pairwise(edges)):
        piece = text[start:end]
        if index % 2 == 0:
            parts.append(piece)
            continue
        plain = plain_math(piece)
        if plain is None:
            formulas.append(piece)
        parts.append(FORMULA_MARK if plain is None else plain.replace("$", "\\$"))
    return strip_markup("".join(parts)), formulas
