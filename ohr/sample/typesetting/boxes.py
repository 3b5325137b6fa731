"""Where each block came to stand: its page, its column, its box in points, its words.

Typst is asked for the places of the marks that ``typst_source.py`` sets. A mark inside a line
stands on the line's baseline; the marks of a heading, a list or a page header stand at the top
and on the last baseline of it; those of a table, chart, figure or formula at its corners.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from ohr.sample.blocks import Columns, Heading, ListBlock, Note, Paragraph, Text
from ohr.sample.markdown import BREAK, inline_text, joined, page_parts, pieces
from ohr.sample.typesetting.looks import A4
from ohr.sample.typesetting.typst_source import Copy, Entry, entries

QUERY = (
    "query(metadata).map(m => { let p = m.location().position(); "
    "(m.value, p.page, p.x.pt(), p.y.pt()) })"
)
"""Typst expression that gives every mark: ``[[id, end, size], page, x, y]``."""

# Of the size of the type: from a baseline up over the tallest letter, from the top that Typst
# counts (of the capitals) up to it, and down below the deepest letter.
_RISE, _OVER, _DEPTH = 0.82, 0.2, 0.26
_AROUND = 3.0  # points: Typst counts a caption's last line to its baseline


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark on ``page`` (from 0): ``end`` is 0 for the first of its block, 1 for the last."""

    page: int
    x: float
    y: float
    size: float
    end: int


@dataclass(frozen=True, slots=True)
class Box:
    """A block, or the part of one in one column: PDF points, origin at the top left.

    ``start`` and ``end`` bound its words in the ground truth of its page; ``block`` counts the
    blocks of the page from 0 (parts of one block share it).
    """

    page_no: int
    kind: str
    block: int
    column: int
    box: tuple[float, float, float, float]
    start: int
    end: int

    def record(self) -> dict[str, Any]:
        """The box as JSON, without its page."""
        return {
            "kind": self.kind,
            "block": self.block,
            "column": self.column,
            "box": [round(side, 2) for side in self.box],
            "span": [self.start, self.end],
        }


@dataclass(frozen=True, slots=True)
class Continuation:
    """A paragraph that a column break cuts in two, ``block`` as in :class:`Box`.

    ``before`` and ``after`` are its Markdown before and after the break.
    """

    page_no: int
    block: int
    column_before: int
    column_after: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Arrangement:
    """All boxes of a document in reading order, and its column breaks."""

    boxes: tuple[Box, ...]
    continuations: tuple[Continuation, ...]

    def record(self, n_pages: int) -> list[dict[str, Any]]:
        """The boxes as JSON: a list of pages, each with its size in points and its blocks."""
        by_page: list[list[dict[str, Any]]] = [[] for _ in range(n_pages)]
        for box in self.boxes:
            by_page[box.page_no].append(box.record())
        width, height = A4
        return [
            {"page_idx": page_no, "width": width, "height": height, "blocks": blocks}
            for page_no, blocks in enumerate(by_page)
        ]


Marks = Mapping[int | str, Sequence[Mark]]


def read_marks(answer: str) -> Marks:
    """The answer to :data:`QUERY`: block number (or ``header``, ``footer``, ``page``) -> its
    marks."""
    marks: dict[int | str, list[Mark]] = {}
    for (number, end, size), page, x, y in json.loads(answer):
        marks.setdefault(number, []).append(Mark(page - 1, x, y, size, end))
    return marks


def is_text(entry: Entry) -> bool:
    """Whether the block is running text, which can break off at the end of a column."""
    return isinstance(entry.block, Paragraph | ListBlock | Heading | Note)


def crosses(copy: Copy, entry: Entry, marks: Sequence[Mark]) -> bool:
    """Whether the block begins in one column and ends in another."""
    columns = {copy.look.column(mark.x, entry.columns) for mark in marks}
    return is_text(entry) and len(columns) > 1


def arrange(copy: Copy, marks: Marks) -> Arrangement:
    """Boxes and breaks of a document, from the marks of its last layout."""
    boxes: list[Box] = []
    breaks: list[Continuation] = []
    listed = list(enumerate(entries(copy)))
    for page, blocks in enumerate(copy.pages):
        numbered = [
            (number, entry)
            for number, entry in listed
            if entry.page == page and not isinstance(entry.block, Columns)
        ]
        position = 0
        for place, (kind, text) in enumerate(page_parts(blocks, copy.layout, page)):
            if kind in ("header", "footer"):
                block_marks = [mark for mark in marks[kind] if mark.page == page]
                entry = Entry(page, Paragraph(()), 1)
            else:
                number, entry = numbered.pop(0)
                block_marks = list(marks[number])
            parts = _parts(copy, entry, block_marks, kind)
            cuts = [0, *(len(_common(text, before)) for _, _, before, _ in parts[:-1]), len(text)]
            for (column, box, _, _), start, end in zip(parts, cuts, cuts[1:], strict=False):
                words = text[start:end].strip()
                start = text.index(words, start)
                boxes.append(
                    Box(
                        page,
                        kind,
                        place,
                        column,
                        box,
                        position + start,
                        position + start + len(words),
                    )
                )
            if kind == "paragraph":
                for first, second in pairwise(parts):
                    breaks.append(
                        Continuation(page, place, first[0], second[0], first[2], first[3])
                    )
            position += len(text) + len(BREAK)
    return Arrangement(tuple(boxes), tuple(breaks))


def _common(text: str, before: str) -> str:
    """How the two begin alike: a bold word that is cut in two ends otherwise."""
    same = (number for number, (a, b) in enumerate(zip(text, before, strict=False)) if a != b)
    return text[: next(same, min(len(text), len(before)))]


Part = tuple[int, tuple[float, float, float, float], str, str]
"""Column, box, and the block's Markdown up to the part's end and from there on."""


def _parts(copy: Copy, entry: Entry, marks: list[Mark], kind: str) -> list[Part]:
    look = copy.look
    if not is_text(entry):
        corners = {mark.end: mark for mark in marks}
        first, last = corners[0], corners[1]
        column = look.column((first.x + last.x) / 2, entry.columns)
        box = (first.x, first.y - _AROUND, last.x, last.y + _AROUND)
        return [(column, box, "", "")]
    size = marks[0].size
    # The marks of words stand in lines; with them, the outer ones say nothing more.
    words = [mark for mark in marks if mark.end > 1]
    if not words:
        column = look.column(marks[0].x, entry.columns)
        inline = kind in ("paragraph", "footnote", "header", "footer")
        up = _RISE if inline else _OVER
        left_edge, right = look.column_span(column, entry.columns)
        first, last = marks[0], marks[-1]
        if inline and first.y == last.y and last.x > first.x:
            left_edge, right = first.x, last.x
        return [(column, (left_edge, first.y - up * size, right, last.y + _DEPTH * size), "", "")]
    cut = _pieces(entry)
    parts: list[Part] = []
    start = 0
    for number, mark in enumerate(words, start=1):
        column = look.column(mark.x, entry.columns)
        if number < len(words) and look.column(words[number].x, entry.columns) == column:
            continue
        left_edge, right = look.column_span(column, entry.columns)
        box = (left_edge, words[start].y - _RISE * size, right, mark.y + _DEPTH * size)
        before, after = (inline_text(joined(half)).strip() for half in (cut[:number], cut[number:]))
        parts.append((column, box, before, after))
        start = number
    return parts


def _pieces(entry: Entry) -> list[Any]:
    match entry.block:
        case Paragraph(words) | Heading(_, words):
            texts: tuple[Text, ...] = (words,)
        case ListBlock(items):
            texts = items
        case _:
            texts = ()
    return [piece for words in texts for piece in pieces(words)]


def turned(box: Box, degrees: float) -> Box:
    """The box of a page that was turned about its centre, counter-clockwise."""
    turn = math.radians(degrees)
    cos, sin = math.cos(turn), math.sin(turn)
    x0, y0, x1, y1 = box.box
    middle_x, middle_y = A4[0] / 2, A4[1] / 2
    corners = [
        (
            middle_x + (x - middle_x) * cos + (y - middle_y) * sin,
            middle_y - (x - middle_x) * sin + (y - middle_y) * cos,
        )
        for x in (x0, x1)
        for y in (y0, y1)
    ]
    xs, ys = zip(*corners, strict=True)
    return replace(box, box=(min(xs), min(ys), max(xs), max(ys)))
