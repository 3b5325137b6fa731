"""Builds the tree of a document from its page texts.

Headings are those of Markdown and LaTeX. If an engine writes none, lines of plain text that look
like headings count instead (:mod:`ohr.markup.outline.plain`). Levels are repaired: if mark-up has
the same level for all headings, their numbers ("2", "2.1") decide the nesting; and no heading is
more than one level below its parent.
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
    HeadingSource,
    ListNode,
    Place,
    Section,
    TableNode,
)
from ohr.markup.strip import strip_markup
from ohr.types import Document, Page

MARKED_SHARE = 0.25
"""If at least this share of a document's pages has headings in mark-up, the engine is assumed to
mark all headings, and lines of plain text do not count."""
DEEPEST = 6
TOP = 200
"""Characters of a page within which a heading may be a running header."""
_MARKED_RANK = 10  # rank of level 0, between those of numbers and of capitals


@dataclass(frozen=True, slots=True)
class _Heading:
    start: Place
    end: Place
    title: str
    rank: int
    source: HeadingSource


def document_tree(document: Document) -> DocumentTree:
    """The tree of a document from its page texts. Time and memory are linear in the text."""
    pages = tuple(document.pages)
    texts = [page.text for page in pages]
    headings_in_order = _ranked(_headings(pages, running_lines(texts)))
    tables: list[TableNode] = []
    figures: list[FigureNode] = []
    lists: list[ListNode] = []
    by_page: dict[int, list[tuple[int, int]]] = {}
    for heading in headings_in_order:
        by_page.setdefault(heading.start.page, []).append((heading.start.at, heading.end.at))
    for number, text in enumerate(texts):
        parts = parts_of(text)
        for part in parts:
            start, end = Place(number, part.start), Place(number, part.end)
            if part.is_table:
                place = (part.header, part.n_rows, start, end, part.source)
                tables.append(TableNode(len(tables) + 1, part.label, part.caption, *place))
            else:
                figures.append(FigureNode(len(figures) + 1, part.label, part.caption, start, end))
        skip = sorted([*by_page.get(number, ()), *((part.start, part.end) for part in parts)])
        lists += [
            ListNode(items, Place(number, start), Place(number, end))
            for start, end, items in lists_of(text, skip)
        ]
    last = Place(len(pages) - 1, len(texts[-1])) if pages else Place(0, 0)
    sections = tuple(_sections(headings_in_order, last))
    return DocumentTree(
        document.doc_id, pages, sections, tuple(tables), tuple(figures), tuple(lists)
    )


def _headings(pages: Sequence[Page], running: frozenset[str]) -> list[_Heading]:
    marked = [headings(page.text, untitled=True) for page in pages]
    with_text = sum(bool(page.text.strip()) for page in pages)
    all_marked = sum(map(bool, marked)) >= MARKED_SHARE * max(with_text, 1)
    result: list[_Heading] = []
    for number, (page, of_page) in enumerate(zip(pages, marked, strict=True)):
        for heading in of_page:
            title = " ".join(strip_markup(heading.title).split()) or heading.title
            start, end = Place(number, heading.start), Place(number, heading.end)
            result.append(_Heading(start, end, title, _MARKED_RANK + heading.level, "markup"))
        if not of_page and not all_marked:
            for line in plain_headings(page.text, running):
                start, end = Place(number, line.start), Place(number, line.end)
                result.append(_Heading(start, end, line.title, line.rank, line.source))
    return result


def _ranked(found_headings: list[_Heading]) -> list[_Heading]:
    """Replace ranks by those of the headings' numbers where mark-up does not help: it has the same
    level for all headings, or there are also headings in plain text.
    """
    marked = {heading.rank for heading in found_headings if heading.source == "markup"}
    mixed = any(heading.source != "markup" for heading in found_headings)
    if len(marked) != 1 and not mixed:
        return found_headings
    numbers = [number_of(h.title) if h.source == "markup" else None for h in found_headings]
    ranks = sorted({number.rank for number in numbers if number is not None})
    if mixed:
        return [
            heading if number is None else replace(heading, rank=number.rank)
            for heading, number in zip(found_headings, numbers, strict=True)
        ]
    if len(ranks) < 2:
        return found_headings
    return [
        # A heading without a number is outermost.
        replace(heading, rank=ranks[0] if number is None else number.rank)
        for heading, number in zip(found_headings, numbers, strict=True)
    ]


def _sections(headings_in_order: Iterable[_Heading], last: Place) -> Iterator[Section]:
    """The sections, in order. A heading that is repeated while it is open continues its section."""
    opened: list[_Heading] = []
    parents: list[int] = []
    levels: list[int] = []
    ends: list[Place] = []
    open_: list[int] = []
    for heading in headings_in_order:
        if any(_same(opened[index], heading) for index in open_):
            continue
        while open_ and opened[open_[-1]].rank >= heading.rank:
            ends[open_.pop()] = heading.start
        parents.append(open_[-1] + 1 if open_ else 0)
        levels.append(min(len(open_) + 1, DEEPEST))
        open_.append(len(opened))
        opened.append(heading)
        ends.append(last)
    for index, heading in enumerate(opened):
        following = opened[index + 1].start if index + 1 < len(opened) else last
        own_end = min(following, ends[index])
        yield Section(
            index + 1,
            heading.title,
            levels[index],
            parents[index],
            heading.start,
            heading.end,
            own_end,
            ends[index],
            heading.source,
        )


def _same(earlier: _Heading, later: _Heading) -> bool:
    """Whether a heading at the top of a later page is a running header that repeats another one."""
    if not later.title or earlier.title != later.title or earlier.rank != later.rank:
        return False
    return earlier.start.page < later.start.page and later.start.at < TOP
