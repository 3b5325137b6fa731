"""The block model: what a page says, once, before it is written as Markdown or as Typst."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Words:
    """Plain words; any character may occur, the writers escape."""

    text: str


@dataclass(frozen=True, slots=True)
class Strong:
    """Words in bold."""

    text: str


@dataclass(frozen=True, slots=True)
class Math:
    """Inline mathematics, in the LaTeX subset of :mod:`.mathematics`."""

    latex: str


Inline: TypeAlias = Words | Strong | Math
Text: TypeAlias = tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; level 1 is the document's title, 2 a section, 3 a subsection."""

    level: int
    text: Text


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of running text."""

    text: Text


@dataclass(frozen=True, slots=True)
class ListBlock:
    """A bulleted or, if ``ordered``, a numbered list."""

    items: tuple[Text, ...]
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A plain table: a header, rows of as many cells, one alignment letter a column.

    ``grid`` rules every cell; otherwise only the header and the end are ruled. ``widths`` are
    shares of the text width; without them a column is as wide as its widest cell.
    """

    header: tuple[Text, ...]
    rows: tuple[tuple[Text, ...], ...]
    align: str
    grid: bool = False
    widths: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        columns = len(self.header)
        if len(self.align) != columns or any(len(row) != columns for row in self.rows):
            raise ValueError(f"a table of {columns} columns with align {self.align!r}: uneven rows")
        if self.widths and len(self.widths) != columns:
            raise ValueError(f"a table of {columns} columns has {len(self.widths)} widths")


@dataclass(frozen=True, slots=True)
class Formula:
    """A displayed formula, in the LaTeX subset of :mod:`.mathematics`."""

    latex: str


Block: TypeAlias = Heading | Paragraph | ListBlock | Table | Formula
PageBlocks: TypeAlias = tuple[Block, ...]

_INLINE = re.compile(r"\$(?P<math>[^$]+)\$|\*\*(?P<strong>[^*]+)\*\*")


def text(markup: str) -> Text:
    """Inline text from the authors' shorthand: ``$latex$`` and ``**bold**``, else words."""
    spans: list[Inline] = []
    end = 0
    for match in _INLINE.finditer(markup):
        if match.start() > end:
            spans.append(Words(markup[end : match.start()]))
        spans.append(Math(match["math"]) if match["math"] else Strong(match["strong"]))
        end = match.end()
    if end < len(markup):
        spans.append(Words(markup[end:]))
    return tuple(spans)
