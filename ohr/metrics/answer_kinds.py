"""Kinds of short answers, and rules that say whether two of a kind mean the same.

After Noe, Breier and Nuredini: binary, numerical and time span answers are compared by rule, in
English and German; what is none of these is text.
"""

from __future__ import annotations

import re
from collections import Counter
from decimal import Decimal
from itertools import permutations
from math import sqrt
from typing import Literal

from ohr.metrics.refusal import refused

Kind = Literal["binary", "numerical", "time span", "none", "text"]

_YES = frozenset("yes true correct ja wahr richtig".split())
_NO = frozenset("no false incorrect nein falsch".split())
_WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"\d+(?:[.,'\u2019\u00a0\u202f]\d+)*")
_COUNTS = {
    word: str(number)
    for number, words in enumerate(
        (
            "null zero",
            "ein eine einem einen einer one",
            "zwei two",
            "drei three",
            "vier four",
            "fünf five",
            "sechs six",
            "sieben seven",
            "acht eight",
            "neun nine",
            "zehn ten",
            "elf eleven",
            "zwölf twelve",
        )
    )
    for word in words.split()
}
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
_SPAN = re.compile(rf"({_NUMBER.pattern}|{'|'.join(_COUNTS)})[\s-]*({'|'.join(_UNITS)})\b")
_MEASURES = frozenset(
    "euro eur usd dollar dollars prozent percent per cent pro million millions millionen billion "
    "km kg mm cm kilometer mal times fach".split()
)
_SIGNS = {
    "share": re.compile(r"%|\b(?:prozent|percent|per cent)\b"),
    "money": re.compile(r"[€$£]|\b(?:euro|eur|usd|dollars?)\b"),
}
_LITTLE = 3
"""An answer of so many words beside its number or span is one of that kind."""


def kind_of(answer: str) -> Kind:
    """The kind of an accepted answer."""
    text = answer.casefold()
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

    Binary: the same verdict first. Numerical: the same numbers, each once, in any order; ``1.500``
    is 1500 or 1.5, and per cent is not an amount. Time spans: of equal length, 12 months being a
    year and 7 days a week. None: it declines to answer.
    """
    if kind == "none":
        return refused(answer)
    said, meant = answer.casefold(), gold.casefold()
    if kind == "binary":
        return _verdict(said) is not None and _verdict(said) == _verdict(meant)
    if kind == "time span":
        return bool(_spans(said)) and _spans(said) == _spans(meant)
    units, wanted = _units(said), _units(meant)
    return (not units or not wanted or bool(units & wanted)) and _same_numbers(said, meant)


def _units(text: str) -> set[str]:
    """Whether a text speaks of a share, of money, or of both."""
    return {name for name, sign in _SIGNS.items() if sign.search(text)}


def _verdict(text: str) -> bool | None:
    for word in _WORD.findall(text)[:_LITTLE]:
        if word in _YES | _NO:
            return word in _YES
    return None


def _spans(text: str) -> Counter[tuple[Decimal, Decimal]]:
    spans: Counter[tuple[Decimal, Decimal]] = Counter()
    for number, unit in _SPAN.findall(text):
        value = min(values(_COUNTS.get(number, number)))
        months, minutes = _UNITS[unit]
        spans[value * months, value * minutes] += 1
    return spans


def _same_numbers(said: str, meant: str) -> bool:
    given = [values(number) for number in _NUMBER.findall(said)]
    wanted = [values(number) for number in _NUMBER.findall(meant)]
    if len(given) != len(wanted) or not wanted or len(wanted) > 6:
        return False
    return any(
        all(a & b for a, b in zip(given, order, strict=True)) for order in permutations(wanted)
    )


def values(number: str) -> frozenset[Decimal]:
    """What digits with points and commas may mean: thousands separators or a decimal mark."""
    plain = re.sub(r"['\u2019\u00a0\u202f]", "", number)
    marks = re.findall(r"[.,]", plain)
    whole = Decimal(re.sub(r"[.,]", "", plain))
    if not marks:
        return frozenset({whole})
    head, _, tail = plain.rpartition(marks[-1])
    fraction = Decimal(f"{re.sub('[.,]', '', head)}.{tail}")
    if len(set(marks)) == 2:
        return frozenset({fraction})
    if len(marks) > 1:
        return frozenset({whole})
    return frozenset({whole, fraction}) if len(tail) == 3 else frozenset({fraction})


def ngram_cosine(first: str, second: str, n: int = 3) -> float:
    """Cosine of the counts of ``n`` characters in a row within words, case aside; in [0, 1]."""
    a, b = _ngrams(first, n), _ngrams(second, n)
    dot = sum(count * b[gram] for gram, count in a.items())
    norm = sqrt(sum(c * c for c in a.values()) * sum(c * c for c in b.values()))
    return min(dot / norm, 1.0) if norm else 0.0


def _ngrams(text: str, n: int) -> Counter[str]:
    words = (f" {word} " for word in re.findall(r"\w+", text.casefold()))
    return Counter(word[at : at + n] for word in words for at in range(max(len(word) - n + 1, 1)))
