"""The tree of a document: sections, tables, figures and lists, each with its place."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from ohr.types import Page

HeadingSource = Literal["markup", "numbering", "capitals", "short line"]
"""How a heading was recognised: by mark-up, or in plain text by its number, case or length."""

TableSource = Literal["markup", "lines"]
"""How a table was recognised: by mark-up, or by lines of numbers in plain text."""


class Place(NamedTuple):
    """A place in a document: index into :attr:`DocumentTree.pages`, characters into its text."""

    page: int
    at: int


@dataclass(frozen=True, slots=True)
class Section:
    """A section: from its heading up to the next one of its level or above.

    ``number`` counts from 1 in reading order. ``parent`` is the number of the section that it is
    part of (0: none). ``level`` is 1 to 6, after repair: at most one more than the parent's.
    ``title`` is empty if the heading has only its mark. ``body`` is where the heading ends;
    ``own_end`` where the first subsection begins, or ``end``.
    """

    number: int
    title: str
    level: int
    parent: int
    start: Place
    body: Place
    own_end: Place
    end: Place
    source: HeadingSource


@dataclass(frozen=True, slots=True)
class TableNode:
    """A table.

    ``number`` counts from 1 in reading order. ``label`` is the number in its caption (``3`` of
    "Table 3: …"), or empty. ``header`` has the texts of its first row.
    """

    number: int
    label: str
    caption: str
    header: tuple[str, ...]
    n_rows: int
    start: Place
    end: Place
    source: TableSource


@dataclass(frozen=True, slots=True)
class FigureNode:
    """A figure: a chart's data, an image's mark, or only a caption. Fields as in a table."""

    number: int
    label: str
    caption: str
    start: Place
    end: Place


@dataclass(frozen=True, slots=True)
class ListNode:
    """A list of ``n_items`` items, on one page."""

    n_items: int
    start: Place
    end: Place


@dataclass(frozen=True)
class DocumentTree:
    """The tree of a document, as far as it can be recognised in the page texts."""

    doc_id: str
    pages: Sequence[Page]
    sections: tuple[Section, ...]
    tables: tuple[TableNode, ...]
    figures: tuple[FigureNode, ...]
    lists: tuple[ListNode, ...]

    def page_number(self, place: Place) -> int:
        """The number of a place's page, counted from 1, including pages that were not read."""
        return self.pages[place.page].ref.page_no + 1

    def last_page_number(self, node: Section | TableNode | FigureNode | ListNode) -> int:
        """The number of the last page with a part of a node."""
        end = node.end
        page = end.page - 1 if end.at == 0 and end.page > node.start.page else end.page
        return self.pages[page].ref.page_no + 1

    def text(self, start: Place, end: Place) -> str:
        """The text between two places, with a line break between pages."""
        if end <= start:
            return ""
        if start.page == end.page:
            return self.pages[start.page].text[start.at : end.at]
        parts = [self.pages[start.page].text[start.at :]]
        parts += [page.text for page in self.pages[start.page + 1 : end.page]]
        if end.at > 0:
            parts.append(self.pages[end.page].text[: end.at])
        return "\n".join(parts)

    def section_text(self, section: Section, *, whole: bool = True) -> str:
        """A section's text with its heading; with ``whole=False`` without its subsections."""
        return self.text(section.start, section.end if whole else section.own_end)

    def preamble(self) -> str:
        """The text before the first heading; the whole text if there are no headings."""
        return self.text(Place(0, 0), self.sections[0].start if self.sections else self.end)

    @property
    def end(self) -> Place:
        """Where the document ends."""
        return Place(len(self.pages) - 1, len(self.pages[-1].text)) if self.pages else Place(0, 0)

    @cached_property
    def _starts(self) -> list[Place]:
        return [section.start for section in self.sections]

    def section_at(self, place: Place) -> Section | None:
        """The innermost section at a place; None before the first heading."""
        index = bisect_right(self._starts, place) - 1
        return self.sections[index] if index >= 0 else None

    def path(self, section: Section | None) -> tuple[str, ...]:
        """The titles from the outermost section to this one; empty for None."""
        titles: list[str] = []
        while section is not None:
            titles.append(section.title)
            section = self.sections[section.parent - 1] if section.parent else None
        return tuple(reversed(titles))
