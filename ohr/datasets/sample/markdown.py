r"""Blocks as ground truth: Markdown, with LaTeX for tables and formulas as in OHR-Bench."""

from __future__ import annotations

import re

from ohr.datasets.sample.blocks import (
    Block,
    Formula,
    Heading,
    ListBlock,
    Math,
    PageBlocks,
    Paragraph,
    Strong,
    Table,
    Text,
)

_MARKDOWN_SPECIAL = re.compile(r"([\\`*_$])")
_LATEX_SPECIAL = re.compile(r"([&%#_${}])")


def page_text(blocks: PageBlocks) -> str:
    """Ground truth of a page: its blocks, an empty line between them."""
    return "\n\n".join(block_text(block) for block in blocks)


def block_text(block: Block) -> str:
    """Markdown of one block."""
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
        case Formula(latex):
            return f"$$\n{latex}\n$$"
        case Table():
            return "\n".join(table_lines(block))


def inline_text(words: Text) -> str:
    """Markdown of running text."""
    parts: list[str] = []
    for span in words:
        if isinstance(span, Math):
            parts.append(f"${span.latex}$")
        else:
            escaped = _MARKDOWN_SPECIAL.sub(r"\\\1", span.text)
            parts.append(f"**{escaped}**" if isinstance(span, Strong) else escaped)
    return "".join(parts)


def table_lines(table: Table) -> list[str]:
    r"""Lines of a ``tabular``; a row is one line, and so is each ``\hline``."""
    columns = "|" + "|".join(table.align) + "|" if table.grid else table.align
    lines = [rf"\begin{{tabular}}{{{columns}}}", r"\hline", row_text(table.header), r"\hline"]
    for row in table.rows:
        lines.append(row_text(row))
        if table.grid:
            lines.append(r"\hline")
    if not table.grid:
        lines.append(r"\hline")
    return [*lines, r"\end{tabular}"]


def row_text(cells: tuple[Text, ...]) -> str:
    r"""One row of a ``tabular``: ``a & b \\``; around an empty cell, ``a & & c \\``."""
    written = [_cell(cell) for cell in cells]
    return " &".join(f" {cell}" if cell else "" for cell in written).strip() + r" \\"


def _cell(words: Text) -> str:
    parts: list[str] = []
    for span in words:
        if isinstance(span, Math):
            parts.append(f"${span.latex}$")
        else:
            escaped = _LATEX_SPECIAL.sub(r"\\\1", span.text.replace("\\", r"\textbackslash "))
            parts.append(rf"\textbf{{{escaped}}}" if isinstance(span, Strong) else escaped)
    return "".join(parts)
