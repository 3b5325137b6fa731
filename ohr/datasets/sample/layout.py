"""Laying a document out: again and again, until its columns are even and its pages full."""

from __future__ import annotations

from dataclasses import dataclass

import typst

from ohr.datasets.sample.blocks import Columns, Paragraph
from ohr.datasets.sample.boxes import (
    QUERY,
    Arrangement,
    Marks,
    arrange,
    crosses,
    read_marks,
)
from ohr.datasets.sample.looks import A4
from ohr.datasets.sample.typst_source import Adjustments, Copy, document_source, entries
from ohr.errors import DatasetError

_ROUNDS = 14
_MOST_GAP = 14.0  # points between two blocks of a page that is stretched to its foot


@dataclass(frozen=True, slots=True)
class LaidOut:
    """A document that fits: its last source, its compiler, where everything stands."""

    source: bytes
    compiler: typst.Compiler
    arrangement: Arrangement


def lay_out(copy: Copy, fonts: typst.Fonts) -> LaidOut:
    """Lay a document out, each page of blocks on one page.

    Raises DatasetError if a page's blocks do not fit on one page, if a block is wider than its
    column, or if Typst fails.
    """
    adjusted = Adjustments()
    for _ in range(_ROUNDS):
        source = document_source(copy, adjusted).encode()
        compiler = typst.Compiler(source, font_paths=fonts)
        try:
            marks = read_marks(compiler.eval(QUERY))
        except typst.TypstError as error:
            raise DatasetError(f"sample document {copy.title!r}: {error.message}") from error
        better = _better(copy, marks, adjusted)
        if better == adjusted:
            _check(copy, marks)
            return LaidOut(source, compiler, arrange(copy, marks))
        adjusted = better
    raise DatasetError(f"sample document {copy.title!r}: its columns cannot be made even")


def _better(copy: Copy, marks: Marks, last: Adjustments) -> Adjustments:
    listed = entries(copy)
    slack = dict(last.slack)
    worded = set(last.worded)
    overfull = False
    for number, entry in enumerate(listed):
        if isinstance(entry.block, Columns):
            inner = [i for i, one in enumerate(listed) if one.within == number]
            foot = marks[number][-1].y
            lowest = max(mark.y for i in inner for mark in marks[i])
            if lowest > foot + 1:
                overfull = True
                slack[number] = slack.get(number, 0.0) + max(
                    5.0, 0.8 * (lowest - foot) / entry.block.count
                )
        elif entry.columns > 1 and number not in worded and crosses(copy, entry, marks[number]):
            worded.add(number)
    # Where a paragraph breaks is only asked once the columns have their height.
    if overfull:
        return Adjustments(last.worded, slack)
    gaps, flush = (dict(last.gaps), last.flush) if last.gaps or last.flush else _stretch(copy, marks)
    return Adjustments(frozenset(worded), slack, gaps, flush)


def _stretch(copy: Copy, marks: Marks) -> tuple[dict[int, float], frozenset[int]]:
    """Gaps and full last lines for pages of one column whose last paragraph runs on."""
    gaps: dict[int, float] = {}
    flush: set[int] = set()
    look = copy.look
    right = A4[0] - look.margins[1]
    numbered = list(enumerate(entries(copy)))
    for page, blocks in enumerate(copy.pages):
        own = [number for number, entry in numbered if entry.page == page]
        last = max(
            (i for i in own if isinstance(numbered[i][1].block, Paragraph)), default=-1
        )
        block = numbered[last][1].block
        if last < 0 or not isinstance(block, Paragraph) or not block.continues:
            continue
        end = marks[last][-1]
        if "justify: true" in look.style and end.x > right - 0.3 * look.width:
            flush.add(last)
        room = A4[1] - look.margins[3] - end.y - 3.0
        if copy.layout.columns == 1 and len(blocks) > 1 and room > 2 and own[-1] == last:
            gaps[page] = min(room / (len(blocks) - 1), _MOST_GAP)
    return gaps, frozenset(flush)


def _check(copy: Copy, marks: Marks) -> None:
    pages = 1 + max(mark.page for found in marks.values() for mark in found)
    named = f"sample document {copy.title!r}"
    listed = entries(copy)
    for number, entry in enumerate(listed):
        if any(mark.page != entry.page for mark in marks[number]):
            raise DatasetError(f"{named}: {len(copy.pages)} pages of blocks take {pages} pages")
        _, right = copy.look.column_span(entry.columns - 1, entry.columns)
        for mark in marks[number]:
            if mark.x > right + 1:
                raise DatasetError(
                    f"{named}: block {number} on page {entry.page} juts out of its column"
                )
            if mark.y > A4[1] - copy.look.margins[3] + 1:
                raise DatasetError(f"{named}: {len(copy.pages)} pages of blocks take more pages")
