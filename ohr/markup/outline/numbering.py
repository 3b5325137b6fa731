"""Numbers that stand before headings and captions: "Item 1A.", "2.1", "§ 5", "Table 3:"."""

from __future__ import annotations

import re
from dataclasses import dataclass

DEEPEST = 50
"""Levels of a number that are told apart."""

_ROMAN = r"[IVXLC]{1,7}"
_WORDS = {
    0: "part|book|volume|teil|buch",
    1: "chapter|item|article|appendix|annex|annexe|schedule|exhibit|kapitel|artikel|anhang|anlage",
    2: "section|note|paragraph|abschnitt|ziffer",
}
"""Words before a number, by how far out such headings stand."""
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
"""Rank of "1" and its like; "1.1" is one deeper."""


@dataclass(frozen=True, slots=True)
class Number:
    """A heading's number: as written, how deep it says that the heading stands, and where the
    title after it begins. Of two numbers the one of the smaller ``rank`` is further out. ``bare``:
    "2" before words, a quantity as often as a number.
    """

    text: str
    rank: int
    title_at: int
    bare: bool = False


def number_of(line: str) -> Number | None:
    """The number that a heading's line begins with; None without one."""
    found = _NUMBERED.match(line)
    if found is None:
        return None
    word = found["word"]
    if word is not None:
        if not (word[0].isupper() and found["of"][0] in "0123456789IVXLCABDEFGH"):
            return None  # "section 5 says", "Part of it": running text
        rank = next(r for r, words in _WORDS.items() if word.lower() in words.split("|"))
        return Number(f"{word} {found['of']}", rank + found["of"].count("."), found.end())
    if found["law"] is not None:
        return Number(f"§ {found['law']}", 2 + found["law"].count("."), found.end())
    if found["digits"] is not None:
        deep = min(found["digits"].count("."), DEEPEST)
        bare = not deep and not found["dot"]
        return Number(found["digits"], _FLOOR + deep, found.end(), bare)
    mark = found["roman"] or found["letter"]
    return Number(mark, 2 if found["roman"] else _FLOOR, found.end()) if mark.isupper() else None


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
    """The beginning of a caption: of a table or a figure, what it is called, where it ends."""

    of_table: bool
    label: str
    text_at: int


def caption_of(line: str) -> Caption | None:
    """What a line says if it begins a caption: "Table 3: …", "Fig. 2 …"; None if it does not."""
    found = _CAPTION.match(line)
    if found is None or not found["word"][0].isupper() or not found["label"]:
        return None
    return Caption(found["word"].lower() in _TABLES, found["label"], found.end())
