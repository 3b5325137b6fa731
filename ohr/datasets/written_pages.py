"""Parses page numbers as people write them: ``12``, ``p. 12``, ``12-13``, ``12, 13``."""

from __future__ import annotations

import re

MOST_PAGES = 1000
"""Most pages of one range; a longer range is a mistake."""
NO_PAGE = frozenset({"", "-", "\u2013", "\u2014", "?", "none", "n/a", "na", "nan", "null", "keine"})
"""Entries of the column if no page is known."""

_LEAD = r"(?:(?:pages?|pp?|pgs?|seiten?|s|p\u00e1g(?:ina)?s?)(?:\.|:|\b)|\#)?\s*"
_NUMBER = r"(\d{1,9})(?:\.0*)?"
_PART = re.compile(
    rf"{_LEAD}{_NUMBER}(?:\s*(?:-|\u2013|\u2014|\.\.+|\u2026|to|bis)\s*{_LEAD}{_NUMBER})?"
)
_PLAIN = re.compile(_NUMBER)
_BETWEEN = re.compile(r"\s*(?:[,;+&]|\b(?:and|und)\b)\s*(?:\b(?:and|und)\b\s*)?")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+")


def pages_of(written: str) -> tuple[int, ...]:
    """The pages in a field, counted from 1, without repetitions; none if it names no page.

    Raises ValueError for a number below 1, other text, and an ambiguous field.
    """
    text = written.strip().strip("[]()").strip().casefold()
    if text in NO_PAGE:
        return ()
    if _THOUSANDS.fullmatch(text):
        apart = text.replace(",", ", ")
        raise ValueError(f"is one page or several: write {text.replace(',', '')} or {apart!r}")
    pages: dict[int, None] = {}
    for part in _BETWEEN.split(text):
        # "p12" has no boundary between its letter and its number
        match = _PART.fullmatch(re.sub(r"^([a-z]+)(?=\d)", r"\1 ", part))
        if match is None:
            raise ValueError("is no number from 1 on")
        first, last = int(match[1]), int(match[2] or match[1])
        if not first >= 1:
            hint = ": is the first page 0 in this file? add 1" if first == 0 else ""
            raise ValueError(f"is no number from 1 on{hint}")
        if last < first:
            raise ValueError(f"runs backwards: write {last}-{first}")
        if last - first >= MOST_PAGES:
            raise ValueError(f"is a range of more than {MOST_PAGES} pages")
        pages |= dict.fromkeys(range(first, last + 1))
    return tuple(pages)


def names_pages(written: str) -> bool:
    """Whether a field can be parsed as pages."""
    try:
        return bool(pages_of(written))
    except ValueError:
        return False


def is_plain(written: str) -> bool:
    """Whether a field is one number and nothing else, which needs no interpretation."""
    return bool(_PLAIN.fullmatch(written.strip()))
