"""Kinds of short answers, and rules for whether two answers of a kind mean the same.

After Noe, Breier and Nuredini: binary, numerical and time span answers are compared by rule, in
English and German; all others are text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from itertools import permutations
from math import sqrt
from typing import Literal, TypeVar

from ohr.markup.folding import fold, fold_amounts
from ohr.metrics.opposites import has_formula, opposed, replace_signs
from ohr.metrics.quantities import (
    NUMBER,
    OF_MONEY,
    SCALE,
    SCALES,
    TIMES,
    Quantity,
    any_of,
    quantities,
    replace_brackets,
    spell_units,
    values,
)
from ohr.metrics.refusal import refused

T = TypeVar("T")
Kind = Literal["binary", "numerical", "time span", "none", "text"]

_YES = frozenset("yes true correct ja wahr richtig".split())
_NO = frozenset("no false incorrect nein falsch".split())
_DENIAL = frozenset("not nicht t".split())  # "isn't" is cut at its apostrophe
_WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(NUMBER)
_ENGLISH = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
_GERMAN = (
    "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn "
    "fünfzehn sechzehn siebzehn achtzehn neunzehn"
).split()
_ENGLISH_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_GERMAN_TENS = "zwanzig dreissig vierzig fünfzig sechzig siebzig achtzig neunzig".split()
_ARTICLES = frozenset("ein eine einem einen einer".split())
"""Count as numbers only before a unit of time."""


def _number_words() -> dict[str, int]:
    """Case-folded words for numbers below 100, English and German -> number."""
    words = {word: number for tongue in (_ENGLISH, _GERMAN) for number, word in enumerate(tongue)}
    words |= dict.fromkeys(_ARTICLES, 1)
    for tens, (english, german) in enumerate(zip(_ENGLISH_TENS, _GERMAN_TENS, strict=True), 2):
        words |= {english: 10 * tens, german: 10 * tens}
        for units in range(1, 10):
            words[f"{english}-{_ENGLISH[units]}"] = 10 * tens + units
            words[f"{english} {_ENGLISH[units]}"] = 10 * tens + units
            unit = "ein" if units == 1 else _GERMAN[units]
            words[f"{unit}und{german}"] = 10 * tens + units
    return words


_COUNTS = _number_words()
_ONE_OF = any_of(_COUNTS)
# Not the end of another word or of a larger number: "hundertzwei", "two hundred and one".
_WHOLE = r"(?<![\w-])(?<!hundred )(?<!hundred and )(?<!thousand )(?<!thousand and )"
# Contracts write "thirty (30) days": the number in figures counts.
_SPAN = re.compile(
    rf"({NUMBER}|{_WHOLE}(?:{_ONE_OF}))\)?{SCALE}[\s-]*"
    rf"(?:(?:business|working|calendar|consecutive|full)\s+)?({any_of(TIMES)})\b"
)
_RANGE = re.compile(
    rf"({NUMBER}|{_WHOLE}(?:{_ONE_OF}))(\s*[-\u2013]\s*(?=\d)|\s(?:to|and|or|bis|und|oder)\s)"
    rf"(?=(?:{NUMBER}|(?:{_ONE_OF}))[\s-]*({any_of(TIMES)})\b)"
)
"""The first of two spans with one unit: *1 to 3 years*."""
_IN_WORDS = re.compile(rf"{_WHOLE}(?<!no )(?:{any_of(_COUNTS.keys() - _ARTICLES)})\b(?!-)")
_MEASURES = SCALES.keys() - OF_MONEY | frozenset(
    "euro eur usd dollar dollars prozent percent per cent pro km kg mm cm kilometer mal times "
    "fach".split()
)
_REPEATED = re.compile(
    rf"\b(?:(?:{any_of(_COUNTS.keys() - _ARTICLES)}|hundred|thousand|million|billion|percent|and)"
    r"[\s-]+){1,12}(?:dollars\s+)?(?=\([$€£]?\s?\d)"
)
_DIGITS = re.compile(r"\d+(?:\.\d+)?")
_MANY = 6
"""An answer with more numbers or spans is not compared, since all orders are tried."""
_LITTLE = 3
"""An answer is of the kind of its number or span if it has at most this many other words."""


def kind_of(answer: str) -> Kind:
    """The kind of an accepted answer."""
    text = _replace_number_words(fold_amounts(answer).casefold(), most=0)
    words = _WORD.findall(text)
    if refused(answer):
        return "none"
    if words[:1] and words[0] in _YES | _NO and len(words) <= _LITTLE:
        return "binary"
    if _SPAN.search(text) and len(_WORD.findall(_SPAN.sub(" ", text))) <= _LITTLE:
        return "time span"
    if _NUMBER.search(text) and sum(word not in _MEASURES for word in words) <= _LITTLE:
        return "numerical"
    return "text"


def same_by_rule(answer: str, gold: str, kind: Kind) -> bool:
    """Whether an answer means the same as a gold answer of that kind.

    - Binary: the same verdict first ("not true" is no), and no different number after it.
    - Numerical: the same numbers, each once, in any order. ``1.500`` is 1500 or 1.5; 5 million is
      5,000,000 or, in a table, 5; (917) is -917. Number words count if there are no digits. Per
      cent is not an amount. Units and currencies are distinguished, not converted; a missing one
      matches any.
    - Time spans: equal length; 12 months are a year and 7 days a week.
    - None: the answer declines to answer.

    Numbers and time spans must not negate or invert each other ("at least 5", "at most 5").
    """
    if kind == "none":
        return refused(answer)
    answer_text, gold_text = _prepared(answer), _prepared(gold)
    if kind == "binary":
        verdict = _verdict(answer_text)
        return (
            verdict is not None
            and verdict == _verdict(gold_text)
            and _no_other_number(answer_text, gold_text)
        )
    if opposed(answer_text, gold_text):
        return False
    if kind == "time span":
        return _same(_spans(answer_text), _spans(gold_text))
    return _same_quantities(
        _replace_number_words(replace_brackets(answer_text)),
        _replace_number_words(replace_brackets(gold_text)),
    )


def _no_other_number(answer_text: str, gold_text: str) -> bool:
    """Whether an answer has no number, or all numbers of the gold one."""
    numbers, gold_numbers = quantities(answer_text), quantities(gold_text)
    return not numbers or all(
        any(number.is_same(other) for other in numbers) for number in gold_numbers
    )


def _replace_number_words(text: str, most: int = _LITTLE) -> str:
    """Replace number words by digits, in a text without digits and with at most ``most`` words
    other than numbers and units.
    """
    if any(map(str.isdecimal, text)):
        return text
    rest = _WORD.findall(_IN_WORDS.sub(" ", text))
    if sum(word not in _MEASURES for word in rest) > most:
        return text
    return _IN_WORDS.sub(lambda match: str(_COUNTS[match[0]]), text)


def _verdict(text: str) -> bool | None:
    before = ""
    for word in _WORD.findall(text)[:_LITTLE]:
        if word in _YES | _NO:
            return (word in _YES) != (before in _DENIAL)
        before = word
    return None


def _spans(text: str) -> list[frozenset[tuple[Decimal, Decimal]]]:
    """The possible meanings of each time span, in (months, minutes)."""
    spans = []
    for number, scale, unit in _SPAN.findall(_RANGE.sub(r"\1 \3\2", text)):
        months, minutes = TIMES[unit]
        counts = {Decimal(_COUNTS[number])} if number in _COUNTS else values(number)
        times = SCALES.get(scale, 1)
        spans.append(
            frozenset((count * times * months, count * times * minutes) for count in counts)
        )
    return spans


def _same_quantities(answer_text: str, gold_text: str) -> bool:
    """Whether the numbers are the same.

    If only one text has scales, they may be ignored: a table in millions has 1,577 for 1,577
    million.
    """
    numbers, gold_numbers = quantities(answer_text), quantities(gold_text)
    if _match(numbers, gold_numbers):
        return True
    if any(number.scale != 1 for number in numbers) == any(
        number.scale != 1 for number in gold_numbers
    ):
        return False
    return _match(
        [number.unscaled() for number in numbers], [number.unscaled() for number in gold_numbers]
    )


def _match(quantities_given: Sequence[Quantity], gold_quantities: Sequence[Quantity]) -> bool:
    """Whether each may mean what one of the other does, each once, in any order."""
    if (
        len(quantities_given) != len(gold_quantities)
        or not gold_quantities
        or len(gold_quantities) > _MANY
    ):
        return False
    return any(
        all(
            quantity.is_same(other) for quantity, other in zip(quantities_given, order, strict=True)
        )
        for order in permutations(gold_quantities)
    )


def _same(spans: list[frozenset[T]], gold_spans: list[frozenset[T]]) -> bool:
    """Whether each may mean what one of the other does, each once, in any order."""
    if len(spans) != len(gold_spans) or not gold_spans or len(gold_spans) > _MANY:
        return False
    return any(
        all(a & b for a, b in zip(spans, order, strict=True)) for order in permutations(gold_spans)
    )


def agree(answer: str, gold: str) -> bool:
    """Whether an answer in words could be right: nothing in it contradicts the gold answer.

    Checked before similarity counts. Neither text may negate or invert the other
    (:func:`ohr.metrics.opposites.opposed`). The answer must have each number of the gold answer,
    in the same order apart from years, with the same sign, scale, unit, currency and per cent.
    Number words are numbers. In formulas, digits are compared in their order, and signs separately.
    The answer may have further numbers.
    """
    if opposed(fold_amounts(answer), fold_amounts(gold)):
        return False
    answer_text, gold_text = _prepared(answer), _prepared(gold)
    if has_formula(answer_text) or has_formula(gold_text):
        return _follows(
            [Quantity(values(number)) for number in _DIGITS.findall(replace_signs(gold_text))],
            [Quantity(values(number)) for number in _DIGITS.findall(replace_signs(answer_text))],
        )
    numbers, gold_numbers = (
        quantities(_all_in_figures(answer_text)),
        quantities(_all_in_figures(gold_text)),
    )
    if not all(any(_is_stated(number, other) for other in numbers) for number in gold_numbers):
        return False
    return _follows(
        [number for number in gold_numbers if not number.is_year],
        [number for number in numbers if not number.is_year],
    )


def _prepared(text: str) -> str:
    return spell_units(fold_amounts(text)).casefold()


def _is_stated(first: Quantity, second: Quantity) -> bool:
    return first.is_same(second) and ("share" in first.units) == ("share" in second.units)


def _follows(gold_numbers: Sequence[Quantity], numbers: Sequence[Quantity]) -> bool:
    """Whether all gold numbers are among the numbers, in that order."""
    rest = iter(numbers)
    return all(any(_is_stated(number, other) for other in rest) for number in gold_numbers)


def _all_in_figures(text: str) -> str:
    """Replace number words by digits; words that digits in brackets repeat are removed."""
    return _IN_WORDS.sub(lambda match: str(_COUNTS[match[0]]), _REPEATED.sub(" ", text))


def ngram_cosine(first: str, second: str, n: int = 3) -> float:
    """Cosine of the counts of character n-grams within words, ignoring case; in [0, 1]."""
    a, b = _ngrams(first, n), _ngrams(second, n)
    dot = sum(count * b[gram] for gram, count in a.items())
    norm = sqrt(sum(c * c for c in a.values()) * sum(c * c for c in b.values()))
    return min(dot / norm, 1.0) if norm else 0.0


def _ngrams(text: str, n: int) -> Counter[str]:
    words = (f" {word} " for word in re.findall(r"\w+", fold(text).casefold()))
    return Counter(
        word[position : position + n]
        for word in words
        for position in range(max(len(word) - n + 1, 1))
    )
