"""Kinds of short answers, and rules that say whether two of a kind mean the same.

After Noe, Breier and Nuredini: binary, numerical and time span answers are compared by rule, in
English and German; what is none of these is text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from decimal import Decimal
from itertools import permutations
from math import sqrt
from typing import Literal, TypeVar

from ohr.markup.folding import fold, fold_amounts
from ohr.metrics.refusal import refused

T = TypeVar("T")
Kind = Literal["binary", "numerical", "time span", "none", "text"]

_YES = frozenset("yes true correct ja wahr richtig".split())
_NO = frozenset("no false incorrect nein falsch".split())
_DENIAL = frozenset("not nicht t".split())  # "isn't" is cut at its apostrophe
_WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(
    r"(?:(?<![\w%)])[-\u2212](?:[$€£]\s?)?)?"
    # From its first digit on and to its last: no part of a long one is tried.
    r"(?:(?<!\d)(?<!\d[.,'\u2019\u00a0\u202f])\d++(?:[.,'\u2019\u00a0\u202f]\d++)*+"
    r"|(?<![\w.,])\.\d++)"
)
_LOSS = re.compile(
    r"^\s*([$€£]?)\s?\((?=[$€£\s]{0,2}[\d.,]{3})(?!(?:1[5-9]|20)\d\d\))"
    r"([$€£]?\s?\d[\d.,]*)\s?(%?)\)(?!\s?\d)"
)
"""An amount in brackets that an answer begins with is negative, as :mod:`ohr.metrics.default` has
it; a year, a telephone number or the mark of an item is none.
"""
_THOUSANDS = re.compile(r"[1-9]\d{0,2}[.,]\d{3}")
"""Digits with one mark, which may part thousands: in 0.125 and 1234.567 it cannot."""
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
# Unit -> (months, minutes) of one.
_UNITS = {
    unit: size
    for units, size in (
        ("minute minutes minuten", (0, 1)),
        ("hour hours stunde stunden", (0, 60)),
        ("day days tag tage tagen kalendertage kalendertagen", (0, 1440)),
        ("week weeks woche wochen", (0, 10080)),
        ("month months monat monate monaten monats", (1, 0)),
        ("quarter quarters quartal quartale quartalen", (3, 0)),
        ("year years jahr jahre jahren jahres", (12, 0)),
    )
    for unit in units.split()
}


def _any_of(words: Iterable[str]) -> str:
    """A pattern of some words, the longest first."""
    return "|".join(sorted(words, key=lambda word: (-len(word), word)))


_ONE_OF = _any_of(_COUNTS)
# Not the end of another word or of a larger number: "hundertzwei", "two hundred and one".
_WHOLE = r"(?<![\w-])(?<!hundred )(?<!hundred and )(?<!thousand )(?<!thousand and )"
_SCALES = {
    word: Decimal(10) ** power
    for words, power in (
        ("k thousand tausend tsd", 3),
        ("m million millions millionen mio mln mn", 6),
        ("b billion billions bn milliarde milliarden mrd", 9),
        ("trillion trillions tn billionen", 12),
    )
    for word in words.split()
}
"""Words right after a number, and what they multiply it by; billion and trillion as in English."""
_OF_MONEY = frozenset("kmb")
"""Scales where a text speaks of money alone: 5 m may be metres."""
_SCALE = rf"(?:[\s-]*({'|'.join(_SCALES)})\b)?"
_AMOUNT = re.compile(rf"({_NUMBER.pattern}){_SCALE}")
# "Thirty (30) days" says its number twice, as contracts do: it is that in figures.
_SPAN = re.compile(
    rf"({_NUMBER.pattern}|{_WHOLE}(?:{_ONE_OF}))\)?{_SCALE}[\s-]*"
    rf"(?:(?:business|working|calendar|consecutive|full)\s+)?({'|'.join(_UNITS)})\b"
)
_IN_WORDS = re.compile(rf"{_WHOLE}(?<!no )(?:{_any_of(_COUNTS.keys() - _ARTICLES)})\b(?!-)")
_MEASURES = _SCALES.keys() - _OF_MONEY | frozenset(
    "euro eur usd dollar dollars prozent percent per cent pro km kg mm cm kilometer mal times "
    "fach".split()
)
_PHYSICAL = (
    "km kilometer kilometers kilometre kilometres kilometern",
    "m meter meters metre metres metern",
    "cm centimeter centimeters centimetre centimetres zentimeter zentimetern",
    "mm millimeter millimeters millimetre millimetres millimetern",
    "kg kilogram kilograms kilogramm",
    "g gram grams gramm",
    "t ton tons tonne tonnes tonnen",
    "l liter liters litre litres litern",
)
_SIGNS = {
    "share": re.compile(r"%|\b(?:prozent|percent|per cent)\b"),
    "money": re.compile(r"[€$£]|\b(?:euros?|eur|usd|dollars?)\b"),
} | {
    names.split()[0]: re.compile(rf"\d[\s-]?(?:{'|'.join(names.split())})\b") for names in _PHYSICAL
}
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

    Binary: the same verdict first, "not true" being no. Numerical: the same numbers, each once, in
    any order; ``1.500`` is 1500 or 1.5, 5 million is 5,000,000 or, in a table, 5, (917) is -917, a
    number in words is one where no other is, and per cent is not an amount; units are told apart,
    not converted. Time spans: of equal length, 12 months being a year and 7 days a week. None: it
    declines to answer.
    """
    if kind == "none":
        return refused(answer)
    said, meant = fold_amounts(answer).casefold(), fold_amounts(gold).casefold()
    if kind == "binary":
        return _verdict(said) is not None and _verdict(said) == _verdict(meant)
    if kind == "time span":
        return _same(_spans(said), _spans(meant))
    said, meant = _LOSS.sub(r"-\1\2\3", said), _LOSS.sub(r"-\1\2\3", meant)
    said, meant = _in_figures(said), _in_figures(meant)
    units, wanted = _units(said), _units(meant)
    return (not units or not wanted or bool(units & wanted)) and _same_amounts(said, meant)


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


def _units(text: str) -> set[str]:
    """What a text speaks of: shares, money, units of length, weight and volume."""
    return {name for name, sign in _SIGNS.items() if sign.search(text)}


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
    for number, scale, unit in _SPAN.findall(text):
        months, minutes = _UNITS[unit]
        counts = {Decimal(_COUNTS[number])} if number in _COUNTS else values(number)
        times = _SCALES.get(scale, 1)
        spans.append(
            frozenset((count * times * months, count * times * minutes) for count in counts)
        )
    return spans


def _same_amounts(said: str, meant: str) -> bool:
    """Whether the numbers are the same; where one text alone has scales, with them or without:
    a table in millions has 1,577 for 1,577 million.
    """
    given, wanted = _amounts(said), _amounts(meant)
    if _same([value for value, _ in given], [value for value, _ in wanted]):
        return True
    if any(times != 1 for _, times in given) == any(times != 1 for _, times in wanted):
        return False
    return _same([_over(*one) for one in given], [_over(*one) for one in wanted])


def _over(meanings: frozenset[Decimal], times: Decimal) -> frozenset[Decimal]:
    return frozenset(meaning / times for meaning in meanings)


def _amounts(text: str) -> list[tuple[frozenset[Decimal], Decimal]]:
    """What each number of a text may mean, with the scale right after it, and that scale."""
    scales = dict(_SCALES)
    if not _SIGNS["money"].search(text):
        scales = {word: times for word, times in scales.items() if word not in _OF_MONEY}
    amounts = []
    for number, scale in _AMOUNT.findall(text):
        times = scales.get(scale, Decimal(1))
        amounts.append((frozenset(value * times for value in values(number)), times))
    return amounts


def _same(given: list[frozenset[T]], wanted: list[frozenset[T]]) -> bool:
    """Whether each may mean what one of the other does, each once, in any order."""
    if len(given) != len(wanted) or not wanted or len(wanted) > _MANY:
        return False
    return any(
        all(a & b for a, b in zip(given, order, strict=True)) for order in permutations(wanted)
    )


def values(number: str) -> frozenset[Decimal]:
    """What digits with points and commas may mean: thousands separators or a decimal mark.

    Three zeros after a mark are thousands: nobody writes 1 as 1.000. Before thousands stand one
    to three digits, the first no zero: 0.125 and .125 are an eighth.
    """
    sign = -1 if number[0] in "-\u2212" else 1
    plain = re.sub(r"[-'\u2212\u2019\u00a0\u202f$€£\s]", "", number)
    marks = re.findall(r"[.,]", plain)
    whole = sign * Decimal(re.sub(r"[.,]", "", plain))
    if not marks:
        return frozenset({whole})
    head, _, tail = plain.rpartition(marks[-1])
    fraction = sign * Decimal(f"{re.sub('[.,]', '', head)}.{tail}")
    if len(set(marks)) == 2:
        return frozenset({fraction})
    if len(marks) > 1:
        return frozenset({whole})
    if not _THOUSANDS.fullmatch(plain):
        return frozenset({fraction})
    return frozenset({whole}) if tail == "000" else frozenset({whole, fraction})


def ngram_cosine(first: str, second: str, n: int = 3) -> float:
    """Cosine of the counts of ``n`` characters in a row within words, case aside; in [0, 1]."""
    a, b = _ngrams(first, n), _ngrams(second, n)
    dot = sum(count * b[gram] for gram, count in a.items())
    norm = sqrt(sum(c * c for c in a.values()) * sum(c * c for c in b.values()))
    return min(dot / norm, 1.0) if norm else 0.0


def _ngrams(text: str, n: int) -> Counter[str]:
    words = (f" {word} " for word in re.findall(r"\w+", fold(text).casefold()))
    return Counter(word[at : at + n] for word in words for at in range(max(len(word) - n + 1, 1)))
