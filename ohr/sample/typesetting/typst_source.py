"""Blocks as Typst source, in the look of their domain, with marks to find them by.

Every block and footnote has a number, its place in :func:`entries`. Its first and last mark say
where it begins and ends; in a block that runs over several columns, every word has one too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ohr.sample.blocks import (
    Block,
    Cell,
    Chart,
    Columns,
    Emph,
    Figure,
    Formula,
    Heading,
    Inline,
    ListBlock,
    Math,
    Note,
    PageBlocks,
    PageLayout,
    Paragraph,
    Plain,
    Span,
    Strong,
    TableBlock,
    Text,
)
from ohr.sample.markdown import notes, pieces
from ohr.sample.typesetting.charts import chart_source
from ohr.sample.typesetting.drawings import figure_source
from ohr.sample.typesetting.looks import Look, style
from ohr.sample.typesetting.mathematics import write_typst

CHART_WIDTH = 340.0
"""Widest chart in points; in a narrower column a chart is as wide as the column."""

SHORT = 12
"""A header or footer of so few characters (a page number) is centred."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A document as it goes to the printer."""

    title: str
    pages: Sequence[PageBlocks]
    look: Look
    layout: PageLayout = field(default_factory=PageLayout)


@dataclass(frozen=True, slots=True)
class Adjustments:
    """What a first layout teaches the next: words to mark, columns and gaps to stretch.

    ``worded``: numbers of blocks whose every word is marked. ``slack``: number of a
    :class:`Columns` -> points of height beyond an even share. ``gaps``: page -> points between
    its blocks. ``flush``: blocks that break off at the end of a full line.
    """

    worded: frozenset[int] = frozenset()
    slack: Mapping[int, float] = field(default_factory=dict)
    gaps: Mapping[int, float] = field(default_factory=dict)
    flush: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Entry:
    """A block or footnote: its page, the number of columns around it, its container's number."""

    page: int
    block: Plain | Note | Columns
    columns: int
    within: int = -1


def columned(blocks: PageBlocks, columns: int) -> PageBlocks:
    """The blocks of a page, what is not in columns or across them gathered into columns."""
    if columns == 1:
        return blocks
    count: Literal[2, 3] = 2 if columns == 2 else 3
    gathered: list[Block] = []
    run: list[Plain] = []
    for block in (*blocks, None):
        if block is not None and not isinstance(block, Columns | Span):
            run.append(block)
            continue
        if run:
            gathered.append(Columns(count, tuple(run)))
            run = []
        if block is not None:
            gathered.append(block)
    return tuple(gathered)


def entries(copy: Copy) -> list[Entry]:
    """Everything that is marked, in the order of its numbers: per page, blocks then notes."""
    listed: list[Entry] = []
    for page, blocks in enumerate(copy.pages):
        first = len(listed)
        for block in columned(blocks, copy.layout.columns):
            match block:
                case Columns(count, inner):
                    listed.append(Entry(page, block, 1))
                    container = len(listed) - 1
                    listed += [Entry(page, part, count, container) for part in inner]
                case Span(inner):
                    listed += [Entry(page, part, 1) for part in inner]
                case _:
                    listed.append(Entry(page, block, 1))
        for entry in listed[first:]:
            if not isinstance(entry.block, Columns | Note):
                listed += [Entry(page, note, 1) for note in notes(entry.block)]
    return listed


def document_source(copy: Copy, adjusted: Adjustments | None = None) -> str:
    """Source of a whole document; every page of blocks begins a page."""
    return _Writer(copy, adjusted if adjusted is not None else Adjustments()).document()


def string(words: str) -> str:
    """A Typst string literal, which Typst does not read as markup."""
    escaped = words.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


class _Writer:
    def __init__(self, copy: Copy, adjusted: Adjustments) -> None:
        self.copy = copy
        self.adjusted = adjusted
        self.number = 0  # of the next block
        self.note = 0  # of the next footnote

    def document(self) -> str:
        look, layout = self.copy.look, self.copy.layout
        left_edge, right, top, bottom = look.margins
        page = (
            '#set page(paper: "a4", numbering: none, fill: white, '
            f"margin: (left: {left_edge}pt, right: {right}pt, top: {top}pt, bottom: {bottom}pt), "
            'background: [#metadata(("page", 0, 0))], '
            f"header: {self.header()}, "
            f"footer: {self.furniture(layout.footer, 'footer')})\n"
        )
        title = (
            f"#set document(title: {string(self.copy.title)}, "
            "date: datetime(year: 2024, month: 1, day: 1))\n"
        )
        pages = [self.page(number, blocks) for number, blocks in enumerate(self.copy.pages)]
        body = "\n#pagebreak()\n".join(pages)
        return f"{title}{style('prelude')}{look.style}{page}{body}\n"

    def furniture(self, words: str, kind: str) -> str:
        if not words:
            return "none"
        before, position, after = words.partition("{page}")
        number = f"#context counter(page).display();#{string(after)};" if position else ""
        place = "center" if len(words) <= SHORT else "left"
        rule = ", line(length: 100%, stroke: 0.4pt)" if kind == "header" else ""
        return (
            f"[#set text(size: 0.85em); #set align({place}); #set par(first-line-indent: 0pt)\n"
            f'#stack(spacing: 3.6pt, par[#t("{kind}", 0)#{string(before)};{number}'
            f'#t("{kind}", 1)]{rule})]'
        )

    def header(self) -> str:
        running = self.furniture(self.copy.layout.header, "header")
        if not self.copy.layout.nameplate or running == "none":
            return running
        return f"context if counter(page).get().first() > 1 {running}"

    def nameplate(self) -> str:
        """The header of the first page as a newspaper prints it: large, between rules."""
        name, _, rest = self.copy.layout.header.partition(",")
        date = f'#par[#{string(rest.strip())};#t("header", 1)]' if rest else '#t("header", 1)'
        size = min(40.0, self.copy.look.width / (0.62 * len(name)))
        return (
            "#block(below: 14pt, width: 100%)[#set align(center); #set par(first-line-indent: 0pt, "
            "spacing: 9pt)\n#line(length: 100%, stroke: 0.5pt)#v(12pt)"
            f'#par[#text(font: "New Computer Modern", size: {size:.1f}pt, weight: 700)'
            f'[#t("header", 0)#{string(name)};]]#v(3pt)'
            f"#line(length: 100%, stroke: 1.6pt){date}#line(length: 100%, stroke: 0.5pt)]\n\n"
        )

    def page(self, number: int, blocks: PageBlocks) -> str:
        blocks = columned(blocks, self.copy.layout.columns)
        plain = sum(len(b.blocks) + 1 if isinstance(b, Columns) else 1 for b in blocks)
        plain += sum(len(b.blocks) - 1 for b in blocks if isinstance(b, Span))
        self.note = self.number + plain
        gap = self.adjusted.gaps.get(number, 0.0)
        between = f"\n\n#v({gap:.2f}pt)\n\n" if gap else "\n\n"
        written = between.join(self.block(block) for block in blocks)
        self.number = self.note
        plate = number == 0 and self.copy.layout.nameplate and self.copy.layout.header
        return self.nameplate() + written if plate else written

    def block(self, block: Block) -> str:
        match block:
            case Span(inner):
                return "\n\n".join(self.plain(part, self.take(), 1) for part in inner)
            case Columns(count, inner):
                number = self.take()
                slack = self.adjusted.slack.get(number, 0.0)
                gutter = self.copy.look.gutter
                body = "\n\n".join(self.plain(part, self.take(), count) for part in inner)
                return f"#balanced({number}, {count}, {gutter}pt, {slack:.2f}pt)[{body}]"
            case _:
                return self.plain(block, self.take(), 1)

    def take(self) -> int:
        self.number += 1
        return self.number - 1

    def plain(self, block: Plain, number: int, columns: int) -> str:
        match block:
            case Heading(level, words):
                return f"#heading(level: {level})[{self.marked(words, number)}]"
            case Paragraph():
                return self.paragraph(block, number)
            case ListBlock(items, ordered):
                return self.listing(items, ordered, number)
            case Formula(latex, tag):
                numbering = f"numbering: (..) => {string(f'({tag})')}, " if tag else ""
                equation = f"math.equation(block: true, {numbering}$ {write_typst(latex)} $.body)"
                shown = f"block(width: 100%, {equation})" if tag else equation
                return _apart(f"formula({number}, {shown})", "1.1em")
            case TableBlock(caption=caption):
                return self.captioned(number, self.table(block, columns), caption, above=True)
            case Chart(caption=caption):
                width = min(CHART_WIDTH, self.copy.look.column_width(columns))
                return self.captioned(number, chart_source(block, width), caption)
            case Figure(caption=caption):
                width = min(CHART_WIDTH * 0.8, self.copy.look.column_width(columns))
                return self.captioned(number, figure_source(block, width), caption)

    def captioned(self, number: int, body: str, caption: Text, *, above: bool = False) -> str:
        """A table, chart or figure (Typst code) with its caption, never broken."""
        below = "5.5pt" if above else "0pt"
        words = (
            f"block(width: 100%, above: 7pt, below: {below}, par(justify: false, "
            f"text(size: 0.92em)[{self.inline(caption)}]))"
        )
        centred = f"align(center, {body})"
        parts = [words, centred] if above else [centred, words]
        stack = " + ".join(parts) if caption else body
        return _apart(f"object({number}, {stack})", "1.3em")

    def paragraph(self, block: Paragraph, number: int) -> str:
        end = "#linebreak(justify: true)" if number in self.adjusted.flush else ""
        indent = "first-line-indent: 0pt, " if block.continued or block.role else ""
        body = f"par({indent[:-2]})[{self.marked(block.text, number)}{end}]"
        match block.role:
            case "center" | "right":
                return f"#align({block.role}, {body})"
            case "byline":
                return f'#block(above: 0.7em, below: 0.9em, text(style: "italic", {body}))'
            case "small":
                return f"#text(size: 0.86em, {body})"
            case "quote" | "abstract":
                size = "0.95em" if block.role == "quote" else "0.92em"
                return f"#pad(x: 2.2em, text(size: {size}, {body}))"
            case _:
                return f"#{body}"

    def listing(self, items: tuple[Text, ...], ordered: bool, number: int) -> str:
        worded, first = number in self.adjusted.worded, 0
        shown = []
        for item in items:
            shown.append(self.worded(item, number, first) if worded else self.inline(item))
            first += len(pieces(item))
        shown[0] = f"#t({number}, 0){shown[0]}"
        shown[-1] += f"#t({number}, 1)"
        body = ", ".join(f"[{item}]" for item in shown)
        return f"#{'enum' if ordered else 'list'}({body})"

    def marked(self, words: Text, number: int) -> str:
        worded = number in self.adjusted.worded
        body = self.worded(words, number, 0) if worded else self.inline(words)
        return f"#t({number}, 0){body}#t({number}, 1)"

    def worded(self, words: Text, number: int, first: int) -> str:
        """Every word with its mark right behind it: one before it could stay on the line above."""
        shown = []
        for place, piece in enumerate(pieces(words), start=first):
            word, space = piece, ""
            if not isinstance(piece, Math | Note):
                word = type(piece)(piece.text.rstrip())
                space = piece.text[len(word.text) :]
            behind = f"#{string(space)};" if space else ""
            shown.append(f"{self.inline((word,))}#w({number}, {place}){behind}")
        return "".join(shown)

    def inline(self, words: Text) -> str:
        return "".join(map(self.span, words))

    def span(self, span: Inline) -> str:
        match span:
            case Math(latex):
                return f"${write_typst(latex)}$"
            case Strong(words):
                return f"#strong({string(words)});"
            case Emph(words):
                return f"#emph({string(words)});"
            case Note(mark, words):
                number = self.note
                self.note += 1
                return (
                    f"#footnote(numbering: (..) => {string(mark)})"
                    f"[#h(0.2em)#t({number}, 0)#{string(words)};#t({number}, 1)];"
                )
            case _:
                return f"#{string(span.text)};"

    def table(self, table: TableBlock, columns: int) -> str:
        sides = {"l": "left", "c": "center", "r": "right"}
        aligns = ", ".join(sides[side] for side in table.align)
        # Shares are meant for a page's width; in a narrow column every letter counts.
        shares = table.widths if columns == 1 else ()
        tracks = [f"{share}fr" for share in shares] or ["auto"] * len(table.align)
        heads, last = len(table.heads), len(table.heads) + len(table.rows)
        rows = [
            ", ".join(self.cell(cell, sides) for _, cell in placed) for placed in table.places()
        ]
        rules = ""
        if not table.grid:
            rules = "".join(
                f"table.hline(y: {y}, stroke: 0.8pt), " for y in (0, heads, last)
            ) + "".join(
                f"table.hline(y: 1, start: {position}, end: {position + cell.colspan}, "
                "stroke: 0.4pt), "
                for position, cell in table.places()[0]
                if heads > 1 and cell.colspan > 1
            )
        fill = f"fill: (_, y) => if y < {heads} {{ luma(232) }}, " if table.grid else ""
        body = ",\n  ".join(row for row in rows[heads:] if row)
        return (
            "{set par(justify: false, first-line-indent: 0pt, spacing: 0.6em)\n"
            f"table(columns: ({', '.join(tracks)},), align: ({aligns},), "
            f"stroke: {'0.6pt' if table.grid else 'none'}, {fill}\n  {rules}"
            f"table.header({', '.join(rows[:heads])}),\n  {body})}}"
        )

    def cell(self, cell: Cell, sides: Mapping[str, str]) -> str:
        words = f"[{self.inline(cell.text)}]"
        options = [f"colspan: {cell.colspan}"] if cell.colspan > 1 else []
        options += [f"rowspan: {cell.rowspan}"] if cell.rowspan > 1 else []
        side = sides[cell.align] if cell.align else "center" if cell.colspan > 1 else ""
        if cell.rowspan > 1:
            side = f"{side} + horizon" if side else "horizon"
        options += [f"align: {side}"] if side else []
        return f"table.cell({', '.join(options)}){words}" if options else words


def _apart(code: str, space: str) -> str:
    return f"#block(above: {space}, below: {space}, width: 100%, align(center, {code}))"
