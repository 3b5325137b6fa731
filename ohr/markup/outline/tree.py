"""The tree of a document: sections, tables, figures and lists, each with its place."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from ohr.types import Page

Found = Literal["markup", "numbering", "capitals", "short line"]
"""How a heading was recognised: by an engine's mark-up, or in plain text by what it looks like."""


TableFound = Literal["markup", "lines"]
"""How a table was recognised: by mark-up, or by lines of numbers in plain text."""


class Place(NamedTuple):
    """A place in a document: index into :attr:`DocumentTree.pages`, characters into its text."""

    page: int
    at: int


@dataclass(frozen=True, slots=True)
class Section:
    """A section: from its heading up to the next one of its level or above.

    ``number`` counts from 1 in reading order. ``level`` is 1 to 6, after repair: never more than
    one below that of ``parent``, which is the number of the section that it is part of (0: none).
    ``title`` is empty where an engine left a heading's mark alone.
    ``body`` is where its heading ends; ``own_end`` where its first subsection begins, or ``end``.
    """

    number: int
    title: str
    level: int
    parent: int
    start: Place
    body: Place
    own_end: Place
    end: Place
    found: Found


@dataclass(frozen=True, slots=True)
class TableNode:
    """A table. ``number`` counts from 1 in reading order; ``label`` is what its caption calls it
    (``3`` of "Table 3: …"), or nothing. ``header`` has the texts of its first row.
    """

    number: int
    label: str
    caption: str
    header: tuple[str, ...]
    n_rows: int
    start: Place
    end: Place
    found: TableFound


@dataclass(frozen=True, slots=True)
class FigureNode:
    """A figure: a chart's data, an image's mark, or a caption alone. Fields are as of a table."""

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
    """A document as an engine left it. What cannot be recognised is not in it."""

    doc_id: str
    pages: Sequence[Page]
    sections: tuple[Section, ...]
    tables: tuple[TableNode, ...]
    figures: tuple[FigureNode, ...]
    lists: tuple[ListNode, ...]

    def page_number(self, place: Place) -> int:
        """The number of a place's page as a reader counts: from 1, pages not read included."""
        return self.pages[place.page].ref.page_no + 1

    def last_page_number(self, node: Section | TableNode | FigureNode | ListNode) -> int:
        """The number of the last page that holds some of a node."""
        end = node.end
        page = end.page - 1 if end.at == 0 and end.page > node.start.page else end.page
        return self.pages[page].ref.page_no + 1

    def text(self, start: Place, end: Place) -> str:
        """The text between two places; a line break between pages."""
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
        """A section's text with its heading; ``whole=False``: without its subsections."""
        return self.text(section.start, section.end if whole else section.own_end)

    def preamble(self) -> str:
        """What stands before the first heading: all of a document without headings."""
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
