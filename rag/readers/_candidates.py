"""A page as candidates for evidence: sentences, headings, table rows and formulas.

A page is parsed once and kept in flat arrays over its tokens, so that all answer spans of a
question are scored in a few array operations.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import lru_cache

import numpy as np

from rag.readers._tables import RawTable, split_tables
from rag.readers._text import FORMULA_MARK, split_formulas, stems, token_spans
from rag.readers._words import AUXILIARIES, FUNCTION_WORDS, MONTHS, NUMBER_WORDS, PREPOSITIONS

MAX_CHARS = 100_000
"""Characters of a hit that are read; a page has a few thousand."""

_SHORT = 1_000
"""Most characters of a short text, such as a chunk: many more of these are cached than of pages."""
_MAX_UNIT_TOKENS = 100  # a longer sentence is cut at its next comma,
_LONGEST_UNIT = 160  # or here at the latest
_CJK_SIZE = 0.6  # an ideograph carries about as much as this share of an English word


class UnitKind(IntEnum):
    """What a unit of evidence was cut from; a feature of the ranking."""

    SENTENCE = 0
    HEADING = 1
    ROW = 2
    FORMULA = 3


class Gap(IntEnum):
    """The gap before a token."""

    SPACE = 0
    COMMA = 1
    BREAK = 2
    EDGE = 3


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence, heading, row or formula: tokens ``start`` to ``end`` of its page.

    ``parents`` are units that name its topic: the heading above, the header of its table.
    """

    kind: UnitKind
    text: str
    start: int
    end: int
    parents: tuple[int, ...] = ()


@dataclass(frozen=True)
class ParsedPage:
    """Units of one text, and parallel arrays over all their tokens.

    ``flags`` has a row for each of :data:`FLAGS`; ``columns`` holds the stems of the header
    of each table column, and ``column`` the index into it, or -1. ``parents`` of ``children``
    are the links between units; ``formulas`` are the spans of formulas in a unit's text.
    """

    units: list[Unit]
    vocabulary: dict[str, int]
    postings: dict[str, list[int]]
    stem: np.ndarray
    char_start: np.ndarray
    char_end: np.ndarray
    gap: np.ndarray
    size: np.ndarray
    column: np.ndarray
    flags: np.ndarray
    columns: list[frozenset[str]]
    formulas: dict[int, tuple[tuple[int, int], ...]]
    children: np.ndarray
    parents: np.ndarray


FLAGS = (
    "function", "auxiliary", "preposition", "number", "capital", "date", "formula", "symbol",
    "percent", "money",
)  # fmt: skip
"""Token features that depend on the token and the signs beside it."""

_ABBREVIATION = re.compile(
    r"(?:\b(?:Inc|Co|Corp|Ltd|No|Nos|Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|vs|cf|Fig|Figs|Eq|Eqs|Sec|Art|"
    r"al|e\.g|i\.e|etc|approx|Vol|pp|Rev|Gen|Messrs|[A-Z])|^\W{0,3}\w{1,3}(?:\.\w{1,3}){0,3})$"
)
_SENTENCE_END = re.compile(
    r"[.!?][\"'”’)\]]{0,3}\s+(?=[A-Z0-9\"'“‘(\[$•"
    + FORMULA_MARK
    + r"])|[。！？；](?![”’」』）])\s*"
)
_CURRENCIES = ("$", "€", "£", "¥")
_HEADING = re.compile(r"[^a-z\s].*[^.!?;,。！？；]")
_WRAPPED = re.compile(r"(?<=[\w,])[ \t]*\n[ \t]*(?=[a-z])")
_BLANK = re.compile(r"\n\s*")


@dataclass
class _Builder:
    units: list[Unit] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    char_start: list[int] = field(default_factory=list)
    char_end: list[int] = field(default_factory=list)
    gap: list[int] = field(default_factory=list)
    column: list[int] = field(default_factory=list)
    in_formula: list[bool] = field(default_factory=list)
    percent: list[bool] = field(default_factory=list)
    money: list[bool] = field(default_factory=list)
    columns: list[frozenset[str]] = field(default_factory=list)
    formulas: dict[int, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    heading: tuple[int, ...] = ()

    def add(
        self,
        kind: UnitKind,
        text: str,
        formulas: Sequence[tuple[int, int]] = (),
        cells: Iterable[tuple[int, int]] = (),
        parents: tuple[int, ...] = (),
    ) -> int | None:
        """Append a unit; ``cells`` are pairs of the character where a cell starts and its column.

        Returns the index of its last part, or None for a text without words.
        """
        start, first_unit = len(self.words), len(self.units)
        inside = iter(formulas)
        formula = next(inside, None)
        cell_iter = iter(cells)
        cell, column = next(cell_iter, None), -1
        previous = 0
        for a, b in token_spans(text):
            while formula is not None and formula[1] <= a:
                formula = next(inside, None)
            new_cell = False
            while cell is not None and cell[0] <= a:
                column, new_cell = cell[1], True
                cell = next(cell_iter, None)
            if len(self.words) == start or new_cell:
                gap = Gap.EDGE
            else:
                gap = _gap(text[previous:a])
                length = len(self.words) - start
                if length >= _MAX_UNIT_TOKENS and (gap > Gap.SPACE or length > _LONGEST_UNIT):
                    self.units.append(Unit(kind, text, start, len(self.words), parents))
                    start, gap = len(self.words), Gap.EDGE
            self.words.append(text[a:b])
            self.char_start.append(a)
            self.char_end.append(b)
            self.gap.append(gap)
            self.column.append(column)
            self.in_formula.append(formula is not None and formula[0] <= a)
            self.percent.append(text[b : b + 1] == "%" or text[b : b + 2] == " %")
            self.money.append(text[max(0, a - 1) : a] in _CURRENCIES)
            previous = b
        if len(self.words) == start:
            return None
        self.units.append(Unit(kind, text, start, len(self.words), parents))
        if formulas:
            spans = tuple(formulas)
            self.formulas |= dict.fromkeys(range(first_unit, len(self.units)), spans)
        return len(self.units) - 1


def _gap(between: str) -> Gap:
    if not between or between.isspace():
        return Gap.SPACE
    if any(mark in between for mark in '(:;—“"[）（：；，。、!?'):
        return Gap.BREAK
    if "," in between or ")" in between or "]" in between or "”" in between:
        return Gap.COMMA
    return Gap.SPACE


def read_page(text: str) -> ParsedPage:
    """Units and token arrays of a text; cached, since a page gets many questions."""
    return (_parse_long if len(text) > _SHORT else _parse_short)(text[:MAX_CHARS])


@lru_cache(maxsize=128)
def _parse_long(text: str) -> ParsedPage:
    return _parse(text)


@lru_cache(maxsize=4096)
def _parse_short(text: str) -> ParsedPage:
    return _parse(text)


def _parse(text: str) -> ParsedPage:
    builder = _Builder()
    for piece in split_tables(text):
        if isinstance(piece, str):
            _add_text(builder, piece)
        else:
            _add_table(builder, piece)
    return _finish(builder)


def _add_text(builder: _Builder, text: str) -> None:
    plain, formulas = split_formulas(text)
    plain = _WRAPPED.sub(" ", plain)
    remaining = iter(formulas)
    for line in _BLANK.split(plain):
        line = line.strip()
        if not line:
            continue
        for sentence in _sentences(line):
            restored, spans = _restore(sentence, remaining)
            kind = UnitKind.SENTENCE
            if len(spans) == 1 and len(sentence) <= 3:
                kind = UnitKind.FORMULA
            elif len(line) < 80 and sentence == line and _HEADING.fullmatch(line):
                kind = UnitKind.HEADING
            index = builder.add(kind, restored, spans, parents=builder.heading)
            if kind == UnitKind.HEADING and index is not None:
                builder.heading = (index,)


def _sentences(line: str) -> Iterator[str]:
    start = 0
    for match in _SENTENCE_END.finditer(line):
        if line[match.start()] == "." and _ABBREVIATION.search(
            line[max(start, match.start() - 16) : match.start()]
        ):
            continue
        yield line[start : match.end()].strip()
        start = match.end()
    if remainder := line[start:].strip():
        yield remainder


def _restore(sentence: str, formulas: Iterator[str]) -> tuple[str, list[tuple[int, int]]]:
    parts = sentence.split(FORMULA_MARK)
    out, spans, length = [parts[0]], [], len(parts[0])
    for part in parts[1:]:
        formula = next(formulas)
        spans.append((length, length + len(formula)))
        out += [formula, part]
        length += len(formula) + len(part)
    return "".join(out), spans


def _add_table(builder: _Builder, table: RawTable) -> None:
    caption = len(builder.units) - 1
    above = (*builder.heading, caption) if caption >= 0 else builder.heading
    header_cells = table.rows[: table.header_rows]
    first_column = len(builder.columns)
    width = max(map(len, table.rows), default=0)
    for column in range(width):
        names = [_spanning(row, column) for row in header_cells]
        builder.columns.append(frozenset(_stems(" ".join(names))))
    section: tuple[int, ...] = ()
    header: tuple[int, ...] = ()
    for number, row in enumerate(table.rows):
        text, cells, spans = "", [], []
        pending = ""
        for column, cell in enumerate(row):
            plain, formulas = split_formulas(cell)
            restored, inside = _restore(" ".join(plain.split()), iter(formulas))
            if restored in ("(", *_CURRENCIES):
                pending = restored
                continue
            if not restored:
                continue
            if text:
                text += ", "
            offset = len(text) + len(pending)
            cells.append((len(text), first_column + column))
            spans += [(a + offset, b + offset) for a, b in inside]
            text += pending + restored
            pending = ""
        index = builder.add(UnitKind.ROW, text, spans, cells, (*above, *header, *section))
        if index is None:
            continue
        if number < table.header_rows:
            header = (*header, index)
        elif len(cells) == 1:
            section = (index,)


def _spanning(row: list[str], column: int) -> str:
    """Cell above a column; an empty one belongs to the cell on its left that spans it."""
    while column > 0 and (column >= len(row) or not row[column]):
        column -= 1
    return row[column] if row else ""


def _stems(text: str) -> list[str]:
    return stems([text[a:b] for a, b in token_spans(text)])


def _finish(builder: _Builder) -> ParsedPage:
    words = builder.words
    lower = [
        "" if word == "May" and _is_month(words, i) else word.lower()
        for i, word in enumerate(words)
    ]
    stemmed = stems(words)
    vocabulary: dict[str, int] = {}
    ids = [vocabulary.setdefault(stem, len(vocabulary)) for stem in stemmed]
    postings: dict[str, list[int]] = {}
    for index, unit in enumerate(builder.units):
        for stem in dict.fromkeys(stemmed[unit.start : unit.end]):
            postings.setdefault(stem, []).append(index)
    number = [word[:1].isdigit() or word in NUMBER_WORDS for word in lower]
    flags = np.array(
        [
            [word in FUNCTION_WORDS for word in lower],
            [word in AUXILIARIES for word in lower],
            [word in PREPOSITIONS for word in lower],
            number,
            [word[0].isupper() for word in words],
            [not word or word in MONTHS or _is_year(word) for word in lower],
            builder.in_formula,
            [len(word) == 1 for word in words],
            builder.percent,
            builder.money,
        ],
        dtype=np.float32,
    ).reshape(len(FLAGS), len(words))
    links = [(i, parent) for i, unit in enumerate(builder.units) for parent in unit.parents]
    ideograph = [word[0] > "\u3000" for word in words]
    return ParsedPage(
        units=builder.units,
        vocabulary=vocabulary,
        postings=postings,
        stem=np.array(ids, dtype=np.int32),
        char_start=np.array(builder.char_start, dtype=np.int32),
        char_end=np.array(builder.char_end, dtype=np.int32),
        gap=np.array(builder.gap, dtype=np.int8),
        size=np.where(ideograph, _CJK_SIZE, 1.0).astype(np.float32),
        column=np.array(builder.column, dtype=np.int32),
        flags=flags,
        columns=builder.columns,
        formulas=builder.formulas,
        children=np.array([child for child, _ in links], dtype=np.int32),
        parents=np.array([parent for _, parent in links], dtype=np.int32),
    )


def _is_month(words: list[str], position: int) -> bool:
    """Whether "May" is a month here, and not the auxiliary verb."""
    return any(word[0].isdigit() for word in words[max(0, position - 1) : position + 2])


def _is_year(word: str) -> bool:
    return len(word) == 4 and word.isdigit() and "1500" <= word < "2100"
