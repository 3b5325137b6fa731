"""Numbers before headings and captions: "Item 1A.", "2.1", "§ 5", "Table 3:"."""

from __future__ import annotations

import re
from dataclasses import dataclass

DEEPEST = 50
"""Levels of a number that are distinguished."""

_ROMAN = r"[IVXLC]{1,7}"
_WORDS = {
    0: "part|book|volume|teil|buch",
    1: "chapter|item|article|appendix|annex|annexe|schedule|exhibit|kapitel|artikel|anhang|anlage",
    2: "section|note|paragraph|abschnitt|ziffer",
}
"""Rank of a heading (0 is outermost) -> words before its number."""
_ALL_WORDS = "|".join(_WORDS.values())
_NUMBERED = re.compile(
    rf"(?:(?P<word>{_ALL_WORDS})[^\S\n]+(?P<of>\d{{1,3}}[A-Z]?(?:\.\d{{1,3}})*|{_ROMAN}|[A-Z])"
    rf"(?=[\s.:)—–-]|\Z)"
    rf"|(?P<sign>§{{1,2}})[ \t]*(?P<law>\d{{1,4}}[a-z]?(?:\.\d{{1,3}})*)"
    rf"|(?P<digits>\d{{1,3}}(?:\.\d{{1,3}})*)(?P<dot>\.|\))?(?=\s)"
    rf"|(?P<roman>{_ROMAN})[.)](?=\s)|(?P<letter>[A-Z])[.)](?=\s))"
    rf"[ \t]*[.:)—–-]*[ \t]*",
    re.IGNORECASE,
)
_FLOOR = 3
"""Rank of numbers such as "1"; "1.1" is one deeper."""


@dataclass(frozen=True, slots=True)
class Number:
    """A heading's number.

    ``text`` is the number as written, ``title_at`` where the title after it begins. Headings with
    a smaller ``rank`` are further out. ``bare``: a number such as "2" without a dot, which is often
    a quantity.
    """

    text: str
    rank: int
    title_at: int
    bare: bool = False


def number_of(line: str) -> Number | None:
    """The number at the beginning of a heading's line; None without one."""
    match = _NUMBERED.match(line)
    if match is None:
        return None
    word = match["word"]
    if word is not None:
        if not (word[0].isupper() and match["of"][0] in "0123456789IVXLCABDEFGH"):
            return None  # "section 5 says", "Part of it": running text
        rank = next(r for r, words in _WORDS.items() if word.lower() in words.split("|"))
        return Number(f"{word} {match['of']}", rank + match["of"].count("."), match.end())
    if match["law"] is not None:
        return Number(f"§ {match['law']}", 2 + match["law"].count("."), match.end())
    if match["digits"] is not None:
        deep = min(match["digits"].count("."), DEEPEST)
        bare = not deep and not match["dot"]
        return Number(match["digits"], _FLOOR + deep, match.end(), bare)
    mark = match["roman"] or match["letter"]
    return Number(mark, 2 if match["roman"] else _FLOOR, match.end()) if mark.isupper() else None


_CAPTION = re.compile(
    r"[ \t>*_#]{0,12}(?P<word>table|tab\.|tabelle|exhibit|figure|fig\.?|abbildung|abb\.|chart|"
    r"diagramm?|graph|plate|scheme)[ \t*_]{0,6}"
    r"(?P<label>[A-Z]?[-.]?\d{1,3}(?:[.\-–]\d{1,3})*[a-z]?|[IVX]{1,5})?"
    r"(?:[ \t*_]*[:.|—–][ \t*_]+|[ \t]*[:.]?[*_]*[ \t]*(?=\n|\Z)|[*_]{1,3}[ \t]+"
    r"|[ \t]+(?=(?-i:[A-Z]|[\"(])))",
    re.IGNORECASE,
)
_TABLES = frozenset(("table", "tab.", "tabelle", "exhibit"))


@dataclass(frozen=True, slots=True)
class Caption:
    """The beginning of a caption: whether it is a table's, its label, and where its text begins."""

    of_table: bool
    label: str
    text_at: int


def caption_of(line: str) -> Caption | None:
    """The caption that a line begins ("Table 3: …", "Fig. 2 …"); None for other lines."""
    match = _CAPTION.match(line)
    if match is None or not match["word"][0].isupper() or not match["label"]:
        return None
    return Caption(match["word"].lower() in _TABLES, match["label"], match.end())
