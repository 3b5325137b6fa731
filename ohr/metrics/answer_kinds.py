"""Kinds of short answers, and rules that say whether two of a kind mean the same.

After Noe, Breier and Nuredini: binary, numerical and time span answers are compared by rule, in
English and German; what is none of these is text.
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
from ohr.metrics.opposites import has_formula, opposed, with_signs
from ohr.metrics.quantities import (
    NUMBER,
    OF_MONEY,
    SCALE,
    SCALES,
    TIMES,
    Quantity,
    any_of,
    quantities,
    spell_units,
    values,
    with_sign,
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
"""Numbers beside a unit of time alone."""


def _number_words() -> dict[str, int]:
    """The words of numbers below 100, English and German, as :meth:`str.casefold` leaves them."""
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
# "Thirty (30) days" says its number twice, as contracts do: it is that in figures.
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
"""Of more numbers or spans an answer is not compared: every order of them is tried."""
_LITTLE = 3
"""An answer of so many words beside its number or span is one of that kind."""


def kind_of(answer: str) -> Kind:
    """The kind of an accepted answer."""
    text = _in_figures(fold_amounts(answer).casefold(), most=0)
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
    """Whether an answer means what a gold one of that kind does.

    Binary: the same verdict first, "not true" being no, and no other number after it. Numerical:
    the same numbers, each once, in any order; ``1.500`` is 1500 or 1.5, 5 million is 5,000,000 or,
    in a table, 5, (917) is -917, a number in words is one where no other is, and per cent is not an
    amount; units and currencies are distinguished, not converted, and one that a text leaves out is
    taken to be the other's. Time spans: of equal length, 12 months being a year and 7 days a week.
    Neither may negate or invert the other ("at least 5", "at most 5"). None: it declines to answer.
    """
    if kind == "none":
        return refused(answer)
    said, meant = _prepared(answer), _prepared(gold)
    if kind == "binary":
        verdict = _verdict(said)
        return verdict is not None and verdict == _verdict(meant) and _no_other_number(said, meant)
    if opposed(said, meant):
        return False
    if kind == "time span":
        return _same(_spans(said), _spans(meant))
    return _same_quantities(_in_figures(with_sign(said)), _in_figures(with_sign(meant)))


def _no_other_number(said: str, meant: str) -> bool:
    """Whether what follows two verdicts has the same numbers, or one of them has none."""
    given, wanted = quantities(said), quantities(meant)
    return not given or all(any(one.is_same(other) for other in given) for one in wanted)


def _in_figures(text: str, most: int = _LITTLE) -> str:
    """A text without digits, its numbers in words as digits, if it has no more than ``most`` other
    words beside measures.
    """
    if any(map(str.isdecimal, text)):
        return text
    others = _WORD.findall(_IN_WORDS.sub(" ", text))
    if sum(word not in _MEASURES for word in others) > most:
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
    """What each span of time may mean, in months and minutes."""
    spans = []
    for number, scale, unit in _SPAN.findall(_RANGE.sub(r"\1 \3\2", text)):
        months, minutes = TIMES[unit]
        counts = {Decimal(_COUNTS[number])} if number in _COUNTS else values(number)
        times = SCALES.get(scale, 1)
        spans.append(
            frozenset((count * times * months, count * times * minutes) for count in counts)
        )
    return spans


def _same_quantities(said: str, meant: str) -> bool:
    """Whether the numbers are the same; where one text alone has scales, with them or without:
    a table in millions has 1,577 for 1,577 million.
    """
    given, wanted = quantities(said), quantities(meant)
    if _match(given, wanted):
        return True
    if any(one.scale != 1 for one in given) == any(one.scale != 1 for one in wanted):
        return False
    return _match([one.unscaled() for one in given], [one.unscaled() for one in wanted])


def _match(given: Sequence[Quantity], wanted: Sequence[Quantity]) -> bool:
    """Whether each may mean what one of the other does, each once, in any order."""
    if len(given) != len(wanted) or not wanted or len(wanted) > _MANY:
        return False
    return any(
        all(one.is_same(other) for one, other in zip(given, order, strict=True))
        for order in permutations(wanted)
    )


def _same(given: list[frozenset[T]], wanted: list[frozenset[T]]) -> bool:
    """Whether each may mean what one of the other does, each once, in any order."""
    if len(given) != len(wanted) or not wanted or len(wanted) > _MANY:
        return False
    return any(
        all(a & b for a, b in zip(given, order, strict=True)) for order in permutations(wanted)
    )


def agree(answer: str, gold: str) -> bool:
    """Whether an answer in words could be right: nothing that it says contradicts a gold one.

    Asked before any likeness counts. Neither text negates or inverts the other
    (:func:`ohr.metrics.opposites.opposed`), and the answer has each number of the gold one, years
    aside in the same order, with no other sign, scale, unit, currency or per cent. Numbers in words
    are numbers. In formulas numbers are digits in their order, and signs are compared apart. An
    answer may have more numbers than the gold one, unless that has none that it lacks.
    """
    if opposed(fold_amounts(answer), fold_amounts(gold)):
        return False
    given, wanted = _prepared(answer), _prepared(gold)
    if has_formula(given) or has_formula(wanted):
        return _follows(
            [Quantity(values(one)) for one in _DIGITS.findall(with_signs(wanted))],
            [Quantity(values(one)) for one in _DIGITS.findall(with_signs(given))],
        )
    said, meant = quantities(_all_in_figures(given)), quantities(_all_in_figures(wanted))
    if not all(any(_is_stated(one, other) for other in said) for one in meant):
        return False
    return _follows(
        [one for one in meant if not one.is_year], [one for one in said if not one.is_year]
    )


def _prepared(text: str) -> str:
    return spell_units(fold_amounts(text)).casefold()


def _is_stated(one: Quantity, other: Quantity) -> bool:
    return one.is_same(other) and ("share" in one.units) == ("share" in other.units)


def _follows(wanted: Sequence[Quantity], given: Sequence[Quantity]) -> bool:
    """Whether all that is wanted is given, in that order."""
    rest = iter(given)
    return all(any(_is_stated(one, other) for other in rest) for one in wanted)


def _all_in_figures(text: str) -> str:
    """A text with its numbers in words as digits, without those that digits in brackets repeat."""
    return _IN_WORDS.sub(lambda match: str(_COUNTS[match[0]]), _REPEATED.sub(" ", text))


def ngram_cosine(first: str, second: str, n: int = 3) -> float:
    """Cosine of the counts of ``n`` characters in a row within words, case aside; in [0, 1]."""
    a, b = _ngrams(first, n), _ngrams(second, n)
    dot = sum(count * b[gram] for gram, count in a.items())
    norm = sqrt(sum(c * c for c in a.values()) * sum(c * c for c in b.values()))
    return min(dot / norm, 1.0) if norm else 0.0


def _ngrams(text: str, n: int) -> Counter[str]:
    words = (f" {word} " for word in re.findall(r"\w+", fold(text).casefold()))
    return Counter(word[at : at + n] for word in words for at in range(max(len(word) - n + 1, 1)))
