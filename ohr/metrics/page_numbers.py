"""The numbers of a page: amounts, percentages, dates and counts, in whatever way they are written.

``1,234.50``, ``1234.5`` and ``1'234.50`` are one number, and so are ``-5``, ``−5`` and the amount
``(5.00)``. A code such as ``Q3``, ``DH-600`` or ``4,8l2`` is no number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from ohr.metrics.quantities import values

__all__ = ["PageNumber", "find_numbers", "number_of_word"]

_DATE = r"(?<![\w.,/-])(?P<date>\d{1,4}(?P<part>[-/.])\d{1,2}(?P=part)\d{1,4})(?![\w/-]|[.,]\d)"
# From the first digit to the last: parts of a longer number do not match. Neither letters nor a
# look-alike of a digit may be part of it, before it or among its digits.
_DIGITS = (
    r"(?<![^\W_])(?<![^\W\d_]-)(?<!\b[lIOoSBZi][.,])(?<!\d[.,'\u2019\u00a0\u202f])"
    r"(?:\d++(?:[.,'\u2019\u00a0\u202f]\d++)*+|(?<![\w.,])\.\d++)"
    r"(?![.,'\u2019]?[^\W\d_]*+\d)(?![.,'\u2019][lIOoSBZi]\b)"
)
_MINUS = r"(?P<minus>(?<![\w%)\]])(?<![\d%)] )[-\u2212\u2013](?=[$€£¥]?\s?[\d.]))?"
_NUMBER = re.compile(rf"{_DATE}|{_MINUS}(?P<sign>[$€£¥]\s?)?(?P<digits>{_DIGITS})")
_WITH_DIGIT = re.compile(r"\d[^ \t\n\r]*")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_AMOUNT = re.compile(r"[\d.,]{3,}")
_BEFORE = re.compile(r"[(\[$€£¥+\-\u2212]*")
_AFTER = re.compile(r"[%)\]]*[.,;:]?")
_GROUPED = re.compile(r"\d{1,3}(?:([.,])\d{3})+")


@dataclass(frozen=True, slots=True)
class PageNumber:
    """A number of a text, ``text[start:end]`` without its sign and currency.

    ``meanings`` are its possible values; ``mark`` is its only mark if that may separate either
    thousands or decimals; ``digits`` are its digits alone; ``date`` are the parts of a date.
    """

    start: int
    end: int
    digits: str
    meanings: frozenset[Decimal] = frozenset()
    mark: str = ""
    date: tuple[int, ...] = ()

    @property
    def code(self) -> str:
        """Equal for numbers that are written in the same or nearly the same way and are equal."""
        if self.date:
            return "/".join(map(str, self.date))
        parts = sorted(f"{number.normalize():f}" for number in self.meanings)
        return self.mark + "|".join(parts)

    def is_same(self, other: PageNumber) -> bool:
        """Whether both are the same number.

        The same mark has the same meaning in both, and a point is no comma: 4.812 and 4,812 are two
        numbers, and each may be 4812.
        """
        if self.date or other.date:
            return self.date == other.date
        if self.mark and other.mark:
            return self.mark == other.mark and self.meanings == other.meanings
        return bool(self.meanings & other.meanings)


def find_numbers(text: str) -> list[PageNumber]:
    """The numbers of a text, in order. Superscripts and other code points must be folded."""
    numbers = []
    for match in _matches(text):
        if match["date"]:
            parts = tuple(int(part) for part in re.split(r"\D", match["date"]))
            digits = re.sub(r"\D", "", match["date"])
            numbers.append(PageNumber(*match.span("date"), digits, date=parts))
            continue
        literal = match["digits"]
        sign = "-" if match["minus"] or _is_in_brackets(text, match) else ""
        meanings = values(sign + literal)
        grouped = _GROUPED.fullmatch(literal)
        mark = grouped[1] if grouped and len(meanings) > 1 else ""
        start, end = match.span("digits")
        numbers.append(PageNumber(start, end, re.sub(r"\D", "", literal), meanings, mark))
    return numbers


def number_of_word(word: str) -> PageNumber | None:
    """The number that a word is, with signs, a currency, brackets and the end of a sentence around
    it; None if it is anything else, such as two numbers, or one with a misread sign (``22.4%$``).
    """
    numbers = find_numbers(word) if any(map(str.isdigit, word)) else []
    if len(numbers) != 1:
        return None
    [number] = numbers
    before, after = word[: number.start], word[number.end :]
    return number if _BEFORE.fullmatch(before) and _AFTER.fullmatch(after) else None


def _matches(text: str) -> Iterator[re.Match[str]]:
    """The numbers of the parts between spaces that have a digit: most have none."""
    done = 0
    for part in _WITH_DIGIT.finditer(text):
        start = max(done, *(text.rfind(space, done, part.start()) + 1 for space in " \n"))
        yield from _NUMBER.finditer(text, start, part.end())
        done = part.end()


def _is_in_brackets(text: str, match: re.Match[str]) -> bool:
    """Whether brackets make an amount negative: not around a year or a note mark."""
    start, end = match.span()
    before, after = text[max(0, start - 3) : start].rstrip(), text[end : end + 3]
    literal = match["digits"]
    return (
        before.endswith("(")
        and re.match(r"\s?%?\)", after) is not None
        and _AMOUNT.fullmatch(literal) is not None
        and not _YEAR.fullmatch(literal)
    )
