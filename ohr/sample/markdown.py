r"""Blocks as ground truth: Markdown, with LaTeX for tables, charts and formulas as in OHR-Bench."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

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
    TableCell,
    Text,
    Words,
    make_cell,
)

_MARKDOWN_SPECIAL = re.compile(r"([\\`*_$])")
_LATEX_SPECIAL = re.compile(r"([&%#_${}])")


BREAK = "\n\n"
"""What stands between two blocks of a page."""


def page_text(blocks: PageBlocks, layout: PageLayout | None = None, page_no: int = 0) -> str:
    """Ground truth of a page: header, blocks, footnotes, footer; an empty line between them."""
    return BREAK.join(text for _, text in page_parts(blocks, layout or PageLayout(), page_no))


def page_parts(blocks: PageBlocks, layout: PageLayout, page_no: int) -> list[tuple[str, str]]:
    """What stands on a page, in reading order: its kind (``paragraph``, ``footnote``) and text."""
    plain = list(flatten(blocks))
    parts = [(kind_of(block), block_text(block)) for block in plain]
    parts += [("footnote", note_text(note)) for block in plain for note in notes(block)]
    header, footer = (
        inline_text((Words(words),))
        for words in (layout.header_of(page_no), layout.footer.replace("{page}", str(page_no + 1)))
    )
    if header:
        parts.insert(0, ("header", header))
    return [*parts, ("footer", footer)] if footer else parts


def kind_of(block: Plain) -> str:
    """What a block is called in a list of boxes: ``paragraph``, ``table``, ``list``."""
    return type(block).__name__.removesuffix("Block").lower()


def pieces(words: Text) -> list[Inline]:
    """The text cut before each word: ``Words("a b")`` is ``Words("a ")`` and ``Words("b")``."""
    cut: list[Inline] = []
    for span in words:
        if isinstance(span, Math | Note):
            cut.append(span)
        else:
            cut += [type(span)(word) for word in re.findall(r"\S+\s*|\s+", span.text)]
    return cut


def joined(cut: Sequence[Inline]) -> Text:
    """The text of some :func:`pieces`, neighbours of one kind put together again."""
    spans: list[Inline] = []
    for piece in cut:
        last = spans[-1] if spans else None
        if isinstance(piece, Words | Strong | Emph) and type(last) is type(piece):
            spans[-1] = type(piece)(last.text + piece.text)
        else:
            spans.append(piece)
    return tuple(spans)


def flatten(blocks: Sequence[Block]) -> Iterator[Plain]:
    """The blocks in reading order, out of their columns and spans."""
    for block in blocks:
        if isinstance(block, Columns | Span):
            yield from block.blocks
        else:
            yield block


def notes(block: Plain) -> list[Note]:
    """The footnotes of a block. Only running text, lists and headings may have any."""
    match block:
        case Heading(_, words) | Paragraph(words, _):
            texts: tuple[Text, ...] = (words,)
        case ListBlock(items, _):
            texts = items
        case _:
            return []
    return [span for words in texts for span in words if isinstance(span, Note)]


def block_text(block: Block) -> str:
    """Markdown of one block, without the footnotes that it refers to."""
    match block:
        case Heading(level, words):
            return f"{'#' * level} {inline_text(words)}"
        case Paragraph(words):
            return inline_text(words)
        case ListBlock(items, ordered):
            marks = [f"{number}." if ordered else "-" for number in range(1, len(items) + 1)]
            return "\n".join(
                f"{mark} {inline_text(item)}" for mark, item in zip(marks, items, strict=True)
            )
        case Formula(latex, number):
            tag = rf" \tag{{{number}}}" if number else ""
            return f"$$\n{latex}{tag}\n$$"
        case TableBlock(caption=caption):
            return "\n\n".join(filter(None, (inline_text(caption), _lines(table_lines(block)))))
        case Chart(caption=caption):
            return "\n\n".join(filter(None, (_lines(chart_lines(block)), inline_text(caption))))
        case Figure(_, caption, labels):
            shown = "\n".join(inline_text((Words(label),)) for label in labels)
            return "\n\n".join(filter(None, (shown, inline_text(caption))))
        case Columns(_, blocks) | Span(blocks):
            return "\n\n".join(block_text(inner) for inner in blocks)


def _lines(lines: list[str]) -> str:
    return "\n".join(lines)


def note_text(note: Note) -> str:
    """A footnote at the foot of its page."""
    return f"$^{{{note.mark}}}$ {inline_text((Words(note.words),))}"


def inline_text(words: Text) -> str:
    """Markdown of running text."""
    parts: list[str] = []
    for span in words:
        match span:
            case Math(latex):
                parts.append(f"${latex}$")
            case Note(mark):
                parts.append(f"$^{{{mark}}}$")
            case _:
                escaped = _MARKDOWN_SPECIAL.sub(r"\\\1", span.text)
                mark = {Strong: "**", Emph: "*"}.get(type(span), "")
                parts.append(f"{mark}{escaped}{mark}")
    return "".join(parts)


def table_lines(table: TableBlock) -> list[str]:
    r"""Lines of a ``tabular``; a row is one line, and so is each rule."""
    columns = "|" + "|".join(table.align) + "|" if table.grid else table.align
    lines = [rf"\begin{{tabular}}{{{columns}}}", r"\hline"]
    heads, rows = len(table.heads), _row_texts(table)
    for number, row in enumerate(rows, start=1):
        lines.append(row)
        if number == len(rows):
            lines.append(r"\hline")
        elif (table.grid or number == heads) and (rule := _rule(table, number)):
            lines.append(rule)
    return [*lines, r"\end{tabular}"]


def table_evidence(table: TableBlock, row: int) -> str:
    """The table's lines from its header to ``row`` (0 is the first), verbatim as on its page.

    A row alone does not say what its numbers mean.
    """
    lines = table_lines(table)
    ends = [number for number, line in enumerate(lines) if line.endswith(r" \\")]
    return "\n".join(lines[2 : ends[len(table.heads) + row] + 1])


def row_text(cells: Sequence[TableCell], *, grid: bool = False) -> str:
    r"""One row of a ``tabular``: ``a & b \\``; around an empty cell, ``a & & c \\``."""
    column = 0
    entries = []
    for number, cell in enumerate(map(make_cell, cells)):
        entries.append(_entry(cell, _cell(cell.text), "l", grid, first=number == 0))
        column += cell.colspan
    return _joined(entries)


def _row_texts(table: TableBlock) -> list[str]:
    places = table.places()
    columns = len(table.align)
    texts = []
    for row, placed in enumerate(places):
        entries = {
            column: _entry(cell, _cell(cell.text), table.align[column], table.grid, column == 0)
            for column, cell in placed
        }
        # Under a cell of several rows stands an empty entry as wide as that cell.
        for above in range(row):
            for column, cell in places[above]:
                if above + cell.rowspan > row:
                    hidden = Cell((), cell.colspan, 1, cell.align if cell.colspan > 1 else "")
                    entries[column] = _entry(
                        hidden, "", table.align[column], table.grid, column == 0
                    )
        texts.append(_joined([entries[column] for column in range(columns) if column in entries]))
    return texts


def _joined(entries: list[str]) -> str:
    return " &".join(f" {entry}" if entry else "" for entry in entries).strip() + r" \\"


def _entry(cell: Cell, words: str, align: str, grid: bool, first: bool) -> str:
    if cell.rowspan > 1:
        words = rf"\multirow{{{cell.rowspan}}}{{*}}{{{words}}}"
    if cell.colspan > 1 or cell.align:
        side = cell.align or ("c" if cell.colspan > 1 else align)
        bars = f"{'|' if first else ''}{side}|" if grid else side
        words = rf"\multicolumn{{{cell.colspan}}}{{{bars}}}{{{words}}}"
    return words


def _rule(table: TableBlock, number: int) -> str:
    r"""The rule under row ``number`` (from 1): ``\hline``, or ``\cline`` beside merged rows."""
    crossed: set[int] = set()
    for row, placed in enumerate(table.places()[:number]):
        for column, cell in placed:
            if row + cell.rowspan > number:
                crossed |= set(range(column, column + cell.colspan))
    if not crossed:
        return r"\hline"
    rules, start = [], None
    for column in range(len(table.align) + 1):
        ruled = column < len(table.align) and column not in crossed
        if ruled and start is None:
            start = column
        elif not ruled and start is not None:
            rules.append(rf"\cline{{{start + 1}-{column}}}")
            start = None
    return " ".join(rules)


def chart_lines(chart: Chart) -> list[str]:
    """Lines of a chart's data: ``<chart>``, a ``tabular``, ``</chart>``."""
    unit = f" ({chart.unit})" if chart.unit else ""
    table = TableBlock(
        ((Words(chart.label),), *((Words(series.name + unit),) for series in chart.series)),
        tuple(
            ((Words(category),), *((Words(series.values[i]),) for series in chart.series))
            for i, category in enumerate(chart.categories)
        ),
        "l" + "r" * len(chart.series),
        grid=True,
    )
    return ["<chart>", *table_lines(table), "</chart>"]


def _cell(words: Text) -> str:
    parts: list[str] = []
    for span in words:
        if isinstance(span, Math):
            parts.append(f"${span.latex}$")
        elif isinstance(span, Note):
            parts.append(f"$^{{{span.mark}}}$")
        else:
            escaped = _LATEX_SPECIAL.sub(r"\\\1", span.text.replace("\\", r"\textbackslash "))
            command = {Strong: r"\textbf", Emph: r"\textit"}.get(type(span))
            parts.append(f"{command}{{{escaped}}}" if command else escaped)
    return "".join(parts)
