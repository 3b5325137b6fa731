"""Laying a document out: again and again, until its columns are even and its pages full."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import typst

from ohr.errors import DatasetError
from ohr.sample.blocks import Columns, Formula, Note, Paragraph
from ohr.sample.typesetting.boxes import (
    QUERY,
    Arrangement,
    Marks,
    arrange,
    crosses,
    is_text,
    read_marks,
)
from ohr.sample.typesetting.looks import A4
from ohr.sample.typesetting.typst_source import Adjustments, Copy, document_source, entries

_ROUNDS = 14
_MOST = 1.15  # times the type may grow
_SHRINK = (0.96, 0.92, 0.88, 0.84)
_MOST_GAP = 14.0  # points between two blocks of a page that is stretched to its foot


@dataclass(frozen=True, slots=True)
class LaidOut:
    """A document that fits: its last source, its compiler, where everything stands."""

    source: bytes
    compiler: typst.Compiler
    arrangement: Arrangement
    slack: Mapping[int, float]


def lay_out(copy: Copy, fonts: typst.Fonts) -> LaidOut:
    """Lay a document out, each page of blocks on one page.

    Its type grows or shrinks a little, so that the fullest page is nearly full. Raises
    DatasetError if a page's blocks do not fit on one page even so, if a block is wider than its
    column, or if Typst fails.
    """
    plain = copy.look
    laid_out, problem = _settle(copy, fonts)
    if not problem:
        scale = _roomy(copy, laid_out.arrangement)
        if scale > 1.0:
            start = Adjustments(slack={k: 0.8 * v for k, v in laid_out.slack.items()})
            grown, problem = _settle(replace(copy, look=plain.scaled(scale)), fonts, start)
            return laid_out if problem else grown
        return laid_out
    for scale in _SHRINK:
        laid_out, problem = _settle(replace(copy, look=plain.scaled(scale)), fonts)
        if not problem:
            return laid_out
    raise DatasetError(f"sample document {copy.title!r}: {problem}")


def _roomy(copy: Copy, arrangement: Arrangement) -> float:
    """How much larger the type may be, from the foot of the fullest page; 1 for no more."""
    top, bottom = copy.look.margins[2:]
    noted = any(box.kind == "footnote" for box in arrangement.boxes)
    foot = max(box.box[3] for box in arrangement.boxes if box.kind not in ("footer", "footnote"))
    height = A4[1] - top - bottom - (24.0 if noted else 6.0)
    # Twice the type takes four times the room.
    scale = (height / max(foot - top, 1.0)) ** 0.5 * 0.985
    return min(round(scale, 2), _MOST) if scale > 1.02 and len(arrangement.boxes) > 8 else 1.0


def _settle(
    copy: Copy, fonts: typst.Fonts, adjusted: Adjustments | None = None
) -> tuple[LaidOut, str]:
    """The layout at one size of type, and what is wrong with it."""
    adjusted = adjusted if adjusted is not None else Adjustments()
    for _ in range(_ROUNDS):
        source = document_source(copy, adjusted).encode()
        compiler = typst.Compiler(source, font_paths=fonts)
        try:
            marks = read_marks(compiler.eval(QUERY))
        except typst.TypstError as error:
            raise DatasetError(f"sample document {copy.title!r}: {error.message}") from error
        problem = _misfit(copy, marks)
        better = adjusted if problem else _better(copy, marks, adjusted)
        if better == adjusted:
            arrangement = Arrangement((), ()) if problem else arrange(copy, marks)
            return LaidOut(source, compiler, arrangement, adjusted.slack), problem
        adjusted = better
    return LaidOut(source, compiler, Arrangement((), ()), {}), "its columns cannot be made even"


def _better(copy: Copy, marks: Marks, last: Adjustments) -> Adjustments:
    listed = entries(copy)
    slack = dict(last.slack)
    worded = set(last.worded)
    overfull = False
    for number, entry in enumerate(listed):
        if isinstance(entry.block, Columns):
            inner = [i for i, entry in enumerate(listed) if entry.within == number]
            foot = marks[number][-1].y
            lowest = max(mark.y for i in inner for mark in marks[i])
            if lowest > foot + 1:
                overfull = True
                slack[number] = slack.get(number, 0.0) + max(9.0, 0.8 * (lowest - foot))
        elif entry.columns > 1 and number not in worded and crosses(copy, entry, marks[number]):
            worded.add(number)
    # Where a paragraph breaks is only asked once the columns have their height.
    if overfull:
        return Adjustments(last.worded, slack)
    gaps, flush = (
        (dict(last.gaps), last.flush) if last.gaps or last.flush else _stretch(copy, marks)
    )
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
        last = max((i for i in own if isinstance(numbered[i][1].block, Paragraph)), default=-1)
        block = numbered[last][1].block
        if last < 0 or not isinstance(block, Paragraph) or not block.continues:
            continue
        end = marks[last][-1]
        if "justify: true" in look.style and end.x > right - 0.3 * look.width:
            flush.add(last)
        room = A4[1] - look.margins[3] - end.y - 3.0
        if len(blocks) > 1 and room > 2 and own[-1] == last:
            gaps[page] = min(room / (len(blocks) - 1), _MOST_GAP)
    return gaps, frozenset(flush)


def _misfit(copy: Copy, marks: Marks) -> str:
    pages = 1 + max(mark.page for of_block in marks.values() for mark in of_block)
    foot = A4[1] - copy.look.margins[3] + 1
    if pages > len(copy.pages):  # space or a note may make a page of its own
        return f"{len(copy.pages)} pages of blocks take {pages}"
    for number, entry in enumerate(entries(copy)):
        _, right = copy.look.column_span(entry.columns - 1, entry.columns)
        for mark in marks[number]:
            if mark.page != entry.page or (mark.y > foot and not isinstance(entry.block, Note)):
                return f"{len(copy.pages)} pages of blocks take {len(copy.pages) + 1}"
            wide = isinstance(entry.block, Formula) and mark.end == 3
            if (wide and mark.size > copy.look.column_width(entry.columns)) or (
                mark.x > right + 1 and not is_text(entry)
            ):
                return f"block {number} on page {entry.page} juts out of its column"
    return ""
