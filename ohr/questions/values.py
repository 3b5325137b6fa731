"""Finds values in a sentence that a question can ask for, such as dates, amounts and names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)
_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_SCALE = r"(?:\s(?:hundred|thousand|million|billion|trillion|crore|lakh)s?)?"
_WHOLE = r"(?![\w/]|[.,]\d|\s(?:hundred|thousand|million|billion|trillion|crore|lakh))"
_WORDS = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|eighteen|twenty|"
    r"thirty|forty|forty-five|fifty|sixty|seventy|seventy-five|ninety|hundred|"
    r"one hundred(?: and)?(?: twenty| eighty| fifty)?)"
)
_UNIT = (
    r"(?:business |calendar |working |consecutive |full )?"
    r"(?:second|minute|hour|day|week|month|year)s?"
)

_NO_NOUN = (
    "and|or|of|to|percent|per|was|were|are|is|has|had|have|for|from|with|which|that|than|the|in|on|"
    "at|by|shall|will|may|above|below|but|who|as|hereof|thereof|if|when|would|did|does|its|their"
)
_REFERRING = frozenset(
    "page pages note notes section sections clause clauses item items chapter part article "
    "articles exhibit schedule paragraph paragraphs rule rules regulation figure table form act "
    "no number since year step version type class grade level appendix annex line column row "
    "circuit vol volume subparagraph subparagraphs subsection theorem lemma and or by until before "
    "after fiscal".split()
)
"""After one of these words a number is a reference, and after "and" one of several."""

PATTERNS = {
    "date": re.compile(
        rf"\b(?:{_MONTH}\s\d{{1,2}},\s\d{{4}}|\d{{1,2}}(?:st|nd|rd|th)?\s(?:of\s)?{_MONTH},?\s\d{{4}}|{_MONTH},?\s\d{{4}})\b"
    ),
    "amount": re.compile(
        rf"(?<![\w$])(?:US|U\.S\.\s?|CAD|C|A|HK)?[$€£]\s?(?:{_NUMBER}){_SCALE}{_WHOLE}"
        rf"|\b(?:USD|EUR|GBP|Rs\.?)\s?(?:{_NUMBER}){_SCALE}{_WHOLE}"
    ),
    "percentage": re.compile(rf"(?<![\w.,$(\u2013-])(?:{_NUMBER})\s?(?:%|percent\b|per cent\b)"),
    "period": re.compile(
        rf"(?<![\w-])(?:{_WORDS}\s\(\d+\)|(?:{_NUMBER})|{_WORDS})(?:\s|-(?!second)){_UNIT}\b(?!['\u2019-]|\s(?:ended|ending|ago)\b)",
        re.IGNORECASE,
    ),
    "year": re.compile(r"(?<=\bin )(?:1[5-9]|20)\d{2}\b(?!\s?(?:and|to|or|[-\u2013/])\s?\d)"),
    "number": re.compile(
        rf"(?<=[a-z] )(?!(?:1[5-9]|20)\d\d\b)(?:{_NUMBER}){_SCALE}"
        rf"(?=\s[a-z]{{3,}})(?!\s(?:{_NO_NOUN})\b)"
    ),
    "name": re.compile(
        r"(?<=[a-z,] )[A-Z][a-z]{2,}(?:[\s-](?:of |for )?[A-Z][a-zA-Z]{2,}){1,3}"
        r"(?=[\s,.)])(?!,? [A-Z&$\d(]| (?:and|or|of|the|\d))"
    ),
}
"""Kind of value -> pattern, the most reliable first: the first that matches a place counts."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value in a sentence: its kind and its span."""

    kind: str
    start: int
    end: int


def values(plain: str) -> Iterator[Value]:
    """The values of a sentence, each place once, in the order of :data:`PATTERNS`."""
    spans: list[tuple[int, int]] = []
    for kind, pattern in PATTERNS.items():
        for match in pattern.finditer(plain):
            start, end = match.span()
            if any(start < b and a < end for a, b in spans) or not _is_meant(kind, plain, start):
                continue
            spans.append((start, end))
            yield Value(kind, start, end)


def _is_meant(kind: str, plain: str, start: int) -> bool:
    """Whether the words before a value fit its kind."""
    before = plain[:start].split()
    if kind == "number":
        return bool(before) and before[-1].islower() and before[-1] not in _REFERRING
    if kind == "name":
        return len(before) > 1 and before[-1].strip('("\u201c').islower()
    return True
