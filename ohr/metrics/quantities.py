"""The numbers of a text with their signs, scales, units and currencies, in English and German.

Names of units are in ``units.json``. Different units are never converted, except spans of time: 12
months are a year, and 7 days a week.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from importlib.resources import files
from typing import Any

_TABLE: dict[str, Any] = json.loads(files("ohr.metrics").joinpath("units.json").read_text("utf-8"))

NUMBER = (
    r"(?:(?<![\w%)])[-\u2212](?:[$€£]\s?)?)?"
    # From the first digit to the last: parts of a long number do not match.
    r"(?:(?<!\d)(?<!\d[.,'\u2019\u00a0\u202f])\d++(?:[.,'\u2019\u00a0\u202f]\d++)*+"
    r"|(?<![\w.,])\.\d++)"
)
"""A pattern of a number with its sign."""
_THOUSANDS = re.compile(r"[1-9]\d{0,2}[.,]\d{3}")
"""Digits with one mark that may separate thousands; in 0.125 and 1234.567 it cannot."""
SCALES = {
    word: Decimal(10) ** power
    for words, power in (
        ("k thousand tausend tsd", 3),
        ("m million millions millionen mio mln mn", 6),
        ("b billion billions bn milliarde milliarden mrd", 9),
        ("trillion trillions tn billionen", 12),
    )
    for word in words.split()
}
"""Word right after a number -> factor; billion and trillion as in English."""
OF_MONEY = frozenset("kmb")
"""Scales only in texts about money: elsewhere 5 m may be metres."""
SCALE = rf"(?:[\s-]*({'|'.join(SCALES)})(?!\w))?"
_LOSS = re.compile(
    r"^\s*([$€£]?)\s?\((?=[$€£\s]{0,2}[\d.,]{3})(?!(?:1[5-9]|20)\d\d\))"
    rf"([$€£]?\s?\d[\d.,]*(?:\s(?:{'|'.join(SCALES)}))?)\s?(%?)\)(?!\s?\d)"
)
"""An amount in brackets at the beginning of an answer, which is negative as in
:mod:`ohr.metrics.default`; not a year, a telephone number or an item's mark.
"""
_MONEY = re.compile(r"[€$£¥₹₩]|\b(?:euros?|eur|usd|dollars?|gbp|chf|jpy|cny|inr)\b")
_CURRENCIES = frozenset("usd eur gbp jpy cny chf inr krw cent".split())
TIMES = {
    unit: size
    for units, size in (
        ("minute minutes min mins minuten", (0, 1)),
        ("hour hours hr hrs stunde stunden", (0, 60)),
        ("day days tag tage tagen kalendertage kalendertagen", (0, 1440)),
        ("week weeks wk wks woche wochen", (0, 10080)),
        ("month months mo mos monat monate monaten monats", (1, 0)),
        ("quarter quarters quartal quartale quartalen", (3, 0)),
        ("year years yr yrs jahr jahre jahren jahres", (12, 0)),
    )
    for unit in units.split()
}
"""Unit of time -> (months, minutes) of one."""


def any_of(words: Iterable[str]) -> str:
    """A pattern that matches any of the words, the longest first."""
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))


def _unit_names() -> tuple[dict[str, frozenset[str]], dict[str, str]]:
    """Case-folded name of a unit -> the units that it may mean; and symbol -> full name, for
    symbols that differ only in case (mW, MW).
    """
    names: dict[str, set[str]] = {}
    symbols: dict[str, str] = {}
    for base, text in _TABLE["prefixed"].items():
        for name in (base, *text.split()):
            names.setdefault(name.casefold(), set()).add(base)
            short = len(name) <= 2 or name in ("mol", "cal", "bar")
            for symbol, prefix in _TABLE["prefixes"].items():
                full = prefix + base
                names.setdefault(full, set()).add(full)
                if short:
                    symbols[symbol + name] = full
                else:
                    names.setdefault((prefix + name).casefold(), set()).add(full)
    for unit, text in _TABLE["others"].items():
        for name in (unit, *text.split()):
            names.setdefault(name.casefold(), set()).add(unit)
    for symbol, full in symbols.items():
        # Without regard to case, a symbol may be any of them.
        names.setdefault(symbol.casefold(), set()).add(full)
    names = {name: units for name, units in names.items() if name not in TIMES}
    folded = [symbol.casefold() for symbol in symbols]
    ambiguous = {s: full for s, full in symbols.items() if folded.count(s.casefold()) > 1}
    return {name: frozenset(units) for name, units in names.items()}, ambiguous


_UNITS, _SYMBOLS = _unit_names()
_SYMBOL = re.compile(rf"(?<=\d)([\s-]?)({any_of(_SYMBOLS)})(?![^\W\d_])")
_DEGREE = re.compile(r"\s?(?:\^\s?\{?\s?)?\\circ\s?\}?\s?|\s?\u00ba")
_FONT = re.compile(r"\\(?:mathrm|text|mathsf|mathbf|operatorname)\s?\{([^{}]{1,30})\}")
_DELIMITED = re.compile(r"(?<!\\)\$((?:[^$\\]|\\.)++)\$")
_THIN = re.compile(r"\\[,;:! ]|(?<=\d)~")
_PERCENT = re.compile(r"\bper cents?\b")
_BEFORE = (
    r"(?:(us\s?\$|(?<![\w$])\$|[€£¥₹₩]|\b(?:eur|euro|usd|gbp|chf|jpy|cny|rmb|inr)(?![^\W\d_]))\s?)?"
)
_UNIT_WORD = (
    rf"(?:\)?[\s-]?({any_of(_UNITS.keys() | TIMES.keys())})(?:\^?\{{?([23])\}}?)?(?![^\W_]))?"
)
_AMOUNT = re.compile(rf"{_BEFORE}({NUMBER}){SCALE}{_UNIT_WORD}")
# Words between a number and a unit of time that do not change its length.
_BETWEEN = re.compile(
    r"(?<=\d)\)?\s+(?:(?:business|working|calendar|consecutive|full)\s+)"
    rf"(?=(?:{any_of(TIMES)})\b)"
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in a text.

    ``meanings`` are its possible values, with the ``scale`` applied. ``units`` are the units that
    it may have, empty if none is named. ``mark`` is its mark if that may separate either thousands
    or decimals.
    """

    meanings: frozenset[Decimal]
    scale: Decimal = Decimal(1)
    units: frozenset[str] = frozenset()
    mark: str = ""

    @property
    def is_year(self) -> bool:
        """Whether it may be a year."""
        return not self.units and any(
            1500 <= number < 2100 and number == int(number) for number in self.meanings
        )

    def is_same(self, other: Quantity) -> bool:
        """Whether both may mean the same; a missing unit matches any.

        The same mark has the same meaning in both: 1,172 million is not 1,172 billion.
        """
        alike = self.mark and self.mark == other.mark
        same = self.meanings == other.meanings if alike else bool(self.meanings & other.meanings)
        return same and self.fits(other)

    def fits(self, other: Quantity) -> bool:
        """Whether no unit of one contradicts the other's."""
        return not self.units or not other.units or bool(self.units & other.units)

    def unscaled(self) -> Quantity:
        """The number without its scale, as in a table whose header names the scale."""
        return replace(self, meanings=frozenset(number / self.scale for number in self.meanings))


def spell_units(text: str) -> str:
    r"""Write units so that they survive case folding: ``5 mW`` and ``5 MW`` in full, ``^{\circ}``
    as °, ``\,\mathrm{mm}`` as mm.
    """
    if "\\" in text:
        text = _DELIMITED.sub(_bare_formula, text)
        text = _FONT.sub(r"\1", _DEGREE.sub("°", _THIN.sub(" ", text)))
        text = text.replace("\\%", "%").replace("\\$", "$")
    return _SYMBOL.sub(lambda match: f" {_SYMBOLS[match[2]]}", text)


def _bare_formula(match: re.Match[str]) -> str:
    """Remove the dollars of a formula that has a command: they are no currency."""
    return match[1] if re.search(r"\\[a-zA-Z]", match[1]) else match[0]


def replace_brackets(text: str) -> str:
    """Replace the brackets around an amount at the beginning by a minus sign: (917) is -917."""
    return _LOSS.sub(r"-\1\2\3", text)


def quantities(text: str) -> list[Quantity]:
    """The numbers of a case-folded text, in order. Ranges share a unit: ``5 to 7 km``."""
    text = _BETWEEN.sub(" ", _PERCENT.sub("percent", text))
    of_money = _MONEY.search(text) is not None
    numbers: list[Quantity] = []
    ends: list[tuple[int, int]] = []
    for match in _AMOUNT.finditer(text):
        before, number, scale, word, power = match.groups()
        if scale in OF_MONEY and not of_money:
            scale, word = None, scale if word is None else word
        times = SCALES.get(scale, Decimal(1)) if scale else Decimal(1)
        meanings = frozenset(value * times for value in values(number))
        units: frozenset[str] = frozenset()
        sign = before or next((char for char in number if char in "$€£"), "")
        if word in TIMES:
            months, minutes = TIMES[word]
            units = frozenset({"months" if months else "minutes"})
            meanings = frozenset(value * (months or minutes) for value in meanings)
        elif sign:
            units = _UNITS[re.sub(r"\s", "", sign)] & _CURRENCIES
        elif word:
            units = frozenset(unit + (power or "") for unit in _UNITS.get(word, ()))
        marks = re.findall(r"[.,]", number) if len(meanings) > 1 else [""]
        numbers.append(Quantity(meanings, times, units, marks[0]))
        ends.append(match.span())
    return _shared(numbers, ends, text)


_OF_TIME = frozenset({"months", "minutes"})
_RANGE = re.compile(r"\s*(?:-|\u2013|to|bis|and|und|or|oder|,|/|×|x)\s*")


def _shared(
    numbers: Sequence[Quantity], spans: Sequence[tuple[int, int]], text: str
) -> list[Quantity]:
    """Give the numbers of a range without a unit the unit of the next number."""
    result = list(numbers)
    for position in range(len(result) - 2, -1, -1):
        number, following = result[position], result[position + 1]
        if (
            not number.units
            and following.units
            and not following.units & _OF_TIME
            and _RANGE.fullmatch(text, spans[position][1], spans[position + 1][0])
        ):
            result[position] = replace(number, units=following.units)
    return result


@lru_cache(maxsize=16384)
def values(number: str) -> frozenset[Decimal]:
    """The possible values of digits with points and commas: thousands separators or decimal marks.

    Three zeros after a mark are thousands: nobody writes 1 as 1.000. Before thousands there are one
    to three digits, the first not zero: 0.125 and .125 are an eighth.
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
