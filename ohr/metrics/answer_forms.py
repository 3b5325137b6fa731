"""Spellings of one word or number that answers are not charged for.

A spelling is read as another one only where the other answer has that one: *co-operate* is
*cooperate* against *cooperate*, and two words against *co operate*; *1 234 567* is one number
against *1,234,567*, and three against a list of three. So nothing that matched is lost.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Set
from decimal import Decimal

from ohr.metrics.default_tokens import tokens

_LETTER = r"[^\W\d_]"
_INITIALS = re.compile(rf"(?<![\w.])(?:{_LETTER}\.[ ]?)+(?:{_LETTER}\b\.?|(?<=\.)|(?<=\.[ ]))")
_HYPHENATED = re.compile(rf"(?<!\w){_LETTER}+(?:[-\u2010\u2011]{_LETTER}+)+(?!\w)")
_GROUPED = re.compile(
    r"(?<![\d.,])(?:"
    r"\d{1,2}(?:,\d{2})+,\d{3}(?![\d,]*\d)"  # Indian: 12,34,567
    r"|\d{1,3}(?:['\u2019]\d{3})+(?!\d)"  # Swiss: 1'234.50
    r")"
)
_SPACED = re.compile(r"(?<![\d.,])\d{1,3}(?:[ \u00a0\u2009\u202f]\d{3})+(?![\d,])(?:\.\d+)?")
_DOTTED = re.compile(r"(?<![\d.,])\d{1,3}(?:\.\d{3}){2,}(?![\d.])")
_COMMA = re.compile(r"(?<![\d.,])\d{1,3}(?:[. \u00a0\u2009\u202f]\d{3})+,\d+(?![\d.,]*\d)")
"""A decimal comma after digits in groups: *1 234,5*. A comma alone may be either sign."""
_VULGAR = re.compile(
    r"(?<![\w.,/])(\d{0,9})[ \u2009\u202f]?([\u00bc-\u00be\u2150-\u215e])(?![\w/])"
)
_POWERS = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_WORDED = re.compile(
    r"(?<![\w.,])(\d{1,3}(?:,\d{3})+|\d{1,12})(\.\d{1,9})?[ \u00a0-]"
    rf"({'|'.join(_POWERS)})\b",
    re.IGNORECASE,
)
_NO_FRACTION = re.compile(r"(-?\d+)\.0+")


def answer_tokens(prediction: str, reference: str) -> tuple[list[str], list[str]]:
    """The tokens of two answers (:func:`ohr.metrics.default_tokens.tokens`), spelled alike.

    Dotted initials (``U.S.``), hyphenated words, numbers grouped by spaces or points (``1 234,5``),
    ``½`` and ``3 million`` become one token if the other answer has it. Numbers grouped in the
    Indian or Swiss way become plain, and ``5.0`` is 5.
    """
    first, second = _grouped(prediction), _grouped(reference)
    first_tokens, second_tokens = _tokens(first), _tokens(second)
    if first_tokens != second_tokens:
        joined = _joined(first, frozenset(second_tokens))
        other = _joined(second, frozenset(first_tokens))
        first_tokens = first_tokens if joined == first else _tokens(joined)
        second_tokens = second_tokens if other == second else _tokens(other)
    return first_tokens, second_tokens


def _grouped(text: str) -> str:
    return _GROUPED.sub(lambda match: re.sub(r"\D", "", match[0]), text)


def _tokens(text: str) -> list[str]:
    return [
        match[1] if (match := _NO_FRACTION.fullmatch(token)) else token for token in tokens(text)
    ]


def _joined(text: str, rest: Set[str]) -> str:
    """The text with each part of a word or number joined that is a token of the other answer."""

    def join(match: re.Match[str]) -> str:
        word = re.sub(r"[^\w]", "", match[0])
        end = match[0][len(match[0].rstrip()) :]
        return f"{word}{end}" if word.casefold() in rest else match[0]

    def join_number(match: re.Match[str]) -> str:
        number = re.sub(r"\s", "", match[0])
        number = number.replace(".", "") if number.count(".") > 1 else number
        plain = _NO_FRACTION.sub(r"\1", number)
        return number if plain in rest or f"-{plain}" in rest else match[0]

    def join_comma(match: re.Match[str]) -> str:
        whole, _, fraction = match[0].rpartition(",")
        number = _NO_FRACTION.sub(r"\1", f"{re.sub(r'[^0-9]', '', whole)}.{fraction}")
        return number if number in rest or f"-{number}" in rest else match[0]

    def join_fraction(match: re.Match[str]) -> str:
        part = Decimal(str(unicodedata.numeric(match[2]))) + int(match[1] or 0)
        return f"{part}" if f"{part}" in rest or f"-{part}" in rest else match[0]

    def join_words(match: re.Match[str]) -> str:
        number = Decimal(match[1].replace(",", "") + (match[2] or ""))
        plain = f"{number * 10 ** _POWERS[match[3].casefold()]:f}"
        plain = _NO_FRACTION.sub(r"\1", plain)
        return plain if plain in rest or f"-{plain}" in rest else match[0]

    for pattern, number_form in (
        (_COMMA, join_comma),
        (_VULGAR, join_fraction),
        (_WORDED, join_words),
    ):
        text = pattern.sub(number_form, text)
    for pattern in (_INITIALS, _HYPHENATED):
        text = pattern.sub(join, text)
    for pattern in (_SPACED, _DOTTED):
        text = pattern.sub(join_number, text)
    return text
