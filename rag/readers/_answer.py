"""From a span of tokens to the words of an answer."""

from __future__ import annotations

import re

from rag.readers._candidates import ParsedPage

_BEFORE = re.compile(r"(?:(?<!\w)[-−+]\s?)?[$€£¥]\s?$|(?<![\w)])[-−+~≈]$")
_AFTER = re.compile(r"\s?[%°]")
_NUMBER = re.compile(r"[$€£¥]?\s?[\d.,]+\s?%?")
_LIST_MARK = re.compile(
    r"(?:\(?(?:[a-zA-Z]|[ivx]{1,4}|\d{1,2})[.)]|\d{1,3}(?:\.\d{1,3}){2,4}\.?)\s+(?=\w)"
)
_PAIRS = (("(", ")"), ("[", "]"), ("“", "”"), ("（", "）"), ("《", "》"), ("「", "」"))


def render(page: ParsedPage, unit: int, start: int, end: int) -> str:
    """Text of tokens ``start`` to ``end``, formulas as written.

    Signs that belong to the first or last token are included: a currency sign before, a per cent
    sign after, a bracket whose partner is inside, and both brackets of a negative amount.
    """
    text = page.units[unit].text
    first, last = int(page.char_start[start]), int(page.char_end[end - 1])
    for a, b in page.formulas.get(unit, ()):
        if a <= first < b:
            first = a
        if a < last <= b:
            last = b
    if sign := _BEFORE.search(text, max(0, first - 4), first):
        first = sign.start()
    if sign := _AFTER.match(text, last):
        last = sign.end()
    if start == page.units[unit].start and (mark := _LIST_MARK.match(text, 0, last)):
        first = max(first, mark.end())
    return " ".join(_bracketed(text, first, last).split()).strip(" ,;:，；：、。")


def _bracketed(text: str, first: int, last: int) -> str:
    inner = text[first:last]
    before, after = text[max(0, first - 1) : first], text[last : last + 1]
    if (before, after) == ("(", ")") and _NUMBER.fullmatch(inner):
        return f"({inner})"
    for opening, closing in _PAIRS:
        surplus = inner.count(opening) - inner.count(closing)
        if surplus == 1 and after == closing:
            return inner + closing
        if surplus == -1 and before == opening:
            return opening + inner
    return inner
