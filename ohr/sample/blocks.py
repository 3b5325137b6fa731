"""The block model: what a document says, once, before it is written as Markdown or as Typst.

A document is pages of blocks under one :class:`PageLayout`; each page of blocks is one printed
page, so what its author writes is the ground truth. Where on its page, and in which columns, a
block came to stand is known when it is rendered (``boxes.py``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Words:
    """Plain words; any character may occur, the writers escape."""

    text: str


@dataclass(frozen=True, slots=True)
class Strong:
    """Words in bold."""

    text: str


@dataclass(frozen=True, slots=True)
class Emph:
    """Words in italics."""

    text: str


@dataclass(frozen=True, slots=True)
class Math:
    """Inline mathematics, in the LaTeX subset of :mod:`.mathematics`."""

    latex: str


@dataclass(frozen=True, slots=True)
class Note:
    """A footnote: its mark stands here, its words at the foot of the same page or column.

    In the ground truth the mark is ``$^{1}$``, and the note, ``$^{1}$ words``, is a paragraph
    of its own after the page's other blocks and before its footer.
    """

    mark: str
    words: str


Inline: TypeAlias = Words | Strong | Emph | Math | Note
Text: TypeAlias = tuple[Inline, ...]

Role: TypeAlias = Literal["", "byline", "center", "right", "quote", "small", "abstract"]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; level 1 is the document's title, 2 a section, 3 a subsection."""

    level: int
    text: Text


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of running text; ``role`` changes its look only, never the ground truth.

    A paragraph that runs on to the next page is two: the last of its page, which ``continues``,
    and the first of the next, which is ``continued``.
    """

    text: Text
    role: Role = ""
    continues: bool = False
    continued: bool = False


@dataclass(frozen=True, slots=True)
class ListBlock:
    """A bulleted or, if ``ordered``, a numbered list."""

    items: tuple[Text, ...]
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """A table cell that covers several columns or rows, or is aligned (l, c, r) by itself."""

    text: Text
    colspan: int = 1
    rowspan: int = 1
    align: str = ""


TableCell: TypeAlias = Text | Cell
TableRow: TypeAlias = tuple[TableCell, ...]


@dataclass(frozen=True, slots=True)
class TableBlock:
    """A table: a header of one or two rows, rows of cells, one alignment letter a column.

    A place that a merged cell covers is left out, as in HTML: under ``Cell(…, rowspan=2)`` the
    next row has one cell fewer. ``grid`` rules every cell; otherwise only the header and the end
    are ruled. ``widths`` are shares of the text width; without them a column is as wide as its
    widest cell. ``caption`` stands above.
    """

    header: TableRow
    rows: tuple[TableRow, ...]
    align: str
    grid: bool = False
    widths: tuple[int, ...] = ()
    caption: Text = ()
    subheader: TableRow = ()

    def __post_init__(self) -> None:
        columns = len(self.align)
        if self.widths and len(self.widths) != columns:
            raise ValueError(f"a table of {columns} columns has {len(self.widths)} widths")
        self.places()

    @property
    def heads(self) -> tuple[TableRow, ...]:
        """The header's rows: one, or two with a ``subheader``."""
        return (self.header, self.subheader) if self.subheader else (self.header,)

    def places(self) -> list[list[tuple[int, Cell]]]:
        """Every row's cells (the header's first), each with the column it starts in.

        Raises ValueError for rows that are uneven, or for cells that overlap or jut out.
        """
        columns = len(self.align)
        every = (*self.heads, *self.rows)
        occupied = [[False] * columns for _ in every]
        placed: list[list[tuple[int, Cell]]] = []
        uneven = f"a table of {columns} columns with align {self.align!r}: uneven rows"
        for row, cells in enumerate(every):
            placed.append([])
            column = 0
            for cell in map(make_cell, cells):
                while column < columns and occupied[row][column]:
                    column += 1
                across = range(column, column + cell.colspan)
                down = range(row, row + cell.rowspan)
                if across.stop > columns or down.stop > len(every):
                    raise ValueError(uneven)
                if any(occupied[i][j] for i in down for j in across):
                    raise ValueError(uneven)
                for i in down:
                    for j in across:
                        occupied[i][j] = True
                placed[row].append((column, cell))
                column = across.stop
            if not all(occupied[row]):
                raise ValueError(uneven)
        return placed


def make_cell(cell: TableCell) -> Cell:
    """The cell itself; plain text as a cell that covers one place."""
    return cell if isinstance(cell, Cell) else Cell(cell)


@dataclass(frozen=True, slots=True)
class Formula:
    """A displayed formula, in the LaTeX subset of :mod:`.mathematics`; ``(number)`` at its side."""

    latex: str
    number: str = ""


@dataclass(frozen=True, slots=True)
class Series:
    """Values of one quantity, one a category, as they are printed: ``1,234.5``."""

    name: str
    values: tuple[str, ...]

    @property
    def numbers(self) -> tuple[float, ...]:
        """A float a value, thousands separators left out; ValueError for what is no number."""
        return tuple(float(value.replace(",", "")) for value in self.values)


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawn chart, every value printed beside its mark, so that the page says what the data is.

    ``label`` names the categories (``Year``), ``unit`` the values (``EUR million``). The ground
    truth is OHR-Bench's: ``<chart>``, a LaTeX table with a row for each category, ``</chart>``;
    the caption follows. A pie has one series of values that are not negative.
    """

    kind: Literal["bar", "line", "pie"]
    categories: tuple[str, ...]
    series: tuple[Series, ...]
    label: str
    unit: str = ""
    caption: Text = ()

    def __post_init__(self) -> None:
        if any(len(series.values) != len(self.categories) for series in self.series):
            raise ValueError(f"a chart of {len(self.categories)} categories: uneven series")
        if not self.series or not self.categories:
            raise ValueError("a chart needs a category and a series")
        if self.kind == "pie" and (len(self.series) > 1 or min(self.series[0].numbers) < 0):
            raise ValueError("a pie chart has one series, of values that are not negative")


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing with a caption. Its ground truth is the caption and, before it, its labels.

    ``flow`` is a chain of labelled boxes, ``device`` an apparatus with labelled parts,
    ``photo`` a landscape in grey without any words.
    """

    kind: Literal["flow", "device", "photo"]
    caption: Text
    labels: tuple[str, ...] = ()


Plain: TypeAlias = Heading | Paragraph | ListBlock | TableBlock | Formula | Chart | Figure


@dataclass(frozen=True, slots=True)
class Columns:
    """Blocks in two or three columns of even height, the rest of the page around them.

    For a page whose parts have columns of their own (a newspaper article under its headline).
    """

    count: Literal[2, 3]
    blocks: tuple[Plain, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """Blocks across all columns at the head of a page whose layout has several."""

    blocks: tuple[Plain, ...]


Block: TypeAlias = Plain | Columns | Span
PageBlocks: TypeAlias = tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class PageLayout:
    """What all pages of a document share.

    ``columns``: the text fills one column after the other. ``header`` and ``footer`` are printed
    on every page, ``{page}`` being its number from 1; they are the first and the last paragraph
    of its ground truth, because they are on the page. As a ``nameplate`` the header of the first
    page is printed large, its part after the comma (a date) below it and the comma left out.
    """

    columns: Literal[1, 2, 3] = 1
    header: str = ""
    footer: str = ""
    nameplate: bool = False

    def header_of(self, page_no: int) -> str:
        """The header of a page counted from 0: a nameplate on the first, else with its number."""
        if self.nameplate and page_no == 0:
            return self.header.replace(",", "", 1)
        return self.header.replace("{page}", str(page_no + 1))


_INLINE = re.compile(
    r"\$(?P<math>[^$]+)\$|\*\*(?P<strong>[^*]+)\*\*|\*(?P<emph>[^*\s][^*]*)\*"
    r"|\^\[(?P<mark>\w+) (?P<note>[^\[\]]+)\]"
)


def text(markup: str) -> Text:
    """Inline text from the authors' shorthand, else words.

    ``$latex$``, ``**bold**``, ``*italic*``, and ``^[1 words of a footnote]``.
    """
    spans: list[Inline] = []
    end = 0
    for match in _INLINE.finditer(markup):
        if match.start() > end:
            spans.append(Words(markup[end : match.start()]))
        spans.append(_span(match))
        end = match.end()
    if end < len(markup):
        spans.append(Words(markup[end:]))
    return tuple(spans)


def _span(match: re.Match[str]) -> Inline:
    if match["math"]:
        return Math(match["math"])
    if match["strong"]:
        return Strong(match["strong"])
    if match["emph"]:
        return Emph(match["emph"])
    return Note(match["mark"], match["note"])
