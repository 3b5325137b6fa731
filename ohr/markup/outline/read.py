"""Reads the tree of a document out of its pages' text.

Headings are those of Markdown and LaTeX. Where an engine writes none, lines of plain text that look
like headings take their place (:mod:`ohr.markup.outline.plain`). Levels are repaired: where mark-up
has one level for all, numbers ("2", "2.1") say which stands in which; no heading is more than one
level below the one that it stands in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ohr.markup.headings import headings
from ohr.markup.outline.numbering import number_of
from ohr.markup.outline.parts import lists_of, parts_of
from ohr.markup.outline.plain import plain_headings, running_lines
from ohr.markup.outline.tree import (
    DocumentTree,
    FigureNode,
    Found,
    ListNode,
    Place,
    Section,
    TableNode,
)
from ohr.markup.strip import strip_markup
from ohr.types import Document, Page

MARKED_SHARE = 0.25
"""Share of a document's pages with headings in mark-up from which on an engine is taken to mark
them all, so that no line of plain text is taken for one."""
DEEPEST = 6
TOP = 200
"""Characters of a page within which a heading may be a running header."""
_MARKED_RANK = 10  # of level 0; between numbers and capitals


@dataclass(frozen=True, slots=True)
class _Heading:
    start: Place
    end: Place
    title: str
    rank: int
    found: Found


def document_tree(document: Document) -> DocumentTree:
    """The tree of a document as an engine left it. Time and memory are linear in its text."""
    pages = tuple(document.pages)
    texts = [page.text for page in pages]
    found = _ranked(_headings(pages, running_lines(texts)))
    tables: list[TableNode] = []
    figures: list[FigureNode] = []
    lists: list[ListNode] = []
    by_page: dict[int, list[tuple[int, int]]] = {}
    for heading in found:
        by_page.setdefault(heading.start.page, []).append((heading.start.at, heading.end.at))
    for number, text in enumerate(texts):
        parts = parts_of(text)
        for part in parts:
            start, end = Place(number, part.start), Place(number, part.end)
            if part.is_table:
                place = (part.header, part.n_rows, start, end, part.found)
                tables.append(TableNode(len(tables) + 1, part.label, part.caption, *place))
            else:
                figures.append(FigureNode(len(figures) + 1, part.label, part.caption, start, end))
        skip = sorted([*by_page.get(number, ()), *((part.start, part.end) for part in parts)])
        lists += [
            ListNode(items, Place(number, start), Place(number, end))
            for start, end, items in lists_of(text, skip)
        ]
    last = Place(len(pages) - 1, len(texts[-1])) if pages else Place(0, 0)
    sections = tuple(_sections(found, last))
    return DocumentTree(
        document.doc_id, pages, sections, tuple(tables), tuple(figures), tuple(lists)
    )


def _headings(pages: Sequence[Page], running: frozenset[str]) -> list[_Heading]:
    marked = [headings(page.text, untitled=True) for page in pages]
    with_text = sum(bool(page.text.strip()) for page in pages)
    all_marked = sum(map(bool, marked)) >= MARKED_SHARE * max(with_text, 1)
    found: list[_Heading] = []
    for number, (page, of_page) in enumerate(zip(pages, marked, strict=True)):
        for one in of_page:
            title = " ".join(strip_markup(one.title).split()) or one.title
            start, end = Place(number, one.start), Place(number, one.end)
            found.append(_Heading(start, end, title, _MARKED_RANK + one.level, "markup"))
        if not of_page and not all_marked:
            for line in plain_headings(page.text, running):
                start, end = Place(number, line.start), Place(number, line.end)
                found.append(_Heading(start, end, line.title, line.rank, line.found))
    return found


def _ranked(found: list[_Heading]) -> list[_Heading]:
    """Ranks taken from the headings' numbers where mark-up says nothing: one level for all, or
    beside headings of plain text.
    """
    marked = {heading.rank for heading in found if heading.found == "markup"}
    mixed = any(heading.found != "markup" for heading in found)
    if len(marked) != 1 and not mixed:
        return found
    numbers = [number_of(h.title) if h.found == "markup" else None for h in found]
    ranks = sorted({number.rank for number in numbers if number is not None})
    if mixed:
        return [
            heading if number is None else replace(heading, rank=number.rank)
            for heading, number in zip(found, numbers, strict=True)
        ]
    if len(ranks) < 2:
        return found
    return [
        # One without a number stands beside the outermost ones.
        replace(heading, rank=ranks[0] if number is None else number.rank)
        for heading, number in zip(found, numbers, strict=True)
    ]


def _sections(found: Iterable[_Heading], last: Place) -> Iterator[Section]:
    """The sections, in order. A heading said again while it is open goes on with its section."""
    kept: list[_Heading] = []
    parents: list[int] = []
    levels: list[int] = []
    ends: list[Place] = []
    open_: list[int] = []
    for heading in found:
        if any(_same(kept[at], heading) for at in open_):
            continue
        while open_ and kept[open_[-1]].rank >= heading.rank:
            ends[open_.pop()] = heading.start
        parents.append(open_[-1] + 1 if open_ else 0)
        levels.append(min(len(open_) + 1, DEEPEST))
        open_.append(len(kept))
        kept.append(heading)
        ends.append(last)
    for at, heading in enumerate(kept):
        following = kept[at + 1].start if at + 1 < len(kept) else last
        own_end = min(following, ends[at])
        yield Section(
            at + 1,
            heading.title,
            levels[at],
            parents[at],
            heading.start,
            heading.end,
            own_end,
            ends[at],
            heading.found,
        )


def _same(one: _Heading, other: _Heading) -> bool:
    """Whether a heading at the top of a page is another one's running header: the same words."""
    if not other.title or one.title != other.title or one.rank != other.rank:
        return False
    return one.start.page < other.start.page and other.start.at < TOP
