"""Writes the blocks of a page, as engines with a layout model report them, as Markdown."""

from __future__ import annotations

import html
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

BlockKind = Literal[
    "heading", "text", "item", "formula", "table", "code", "figure", "note", "furniture"
]
"""Kinds of blocks: ``figure`` is text within a figure, ``note`` a footnote, ``furniture`` a header
or footer."""


@dataclass(frozen=True)
class Block:
    """A block in reading order. ``level`` is for headings; a table's text is HTML."""

    kind: BlockKind
    text: str
    level: int = 1


@dataclass(frozen=True)
class GridCell:
    """A cell of a table, 0-based."""

    row: int
    column: int
    text: str
    rowspan: int = 1
    colspan: int = 1


def write_markdown(blocks: Iterable[Block], *, furniture: bool) -> str:
    """A page's blocks, separated by blank lines; ``furniture``: with headers and footers."""
    pieces: list[str] = []
    before = ""
    for block in blocks:
        text = block.text.strip()
        if not text or (block.kind == "furniture" and not furniture):
            continue
        items = block.kind == before == "item"
        pieces += ["\n" if items else "\n\n" if pieces else "", _written(block, text)]
        before = block.kind
    return "".join(pieces)


def _written(block: Block, text: str) -> str:
    if block.kind == "heading":
        return f"{'#' * min(max(block.level, 1), 6)} {' '.join(text.split())}"
    if block.kind == "item":
        return f"- {text}" if text[0].isalpha() else text
    if block.kind == "formula":
        return text if text.startswith("$") else f"$${text}$$"
    if block.kind == "code":
        return text if text.startswith("```") else f"```\n{text}\n```"
    return text


def html_table(cells: Iterable[GridCell]) -> str:
    """A table in HTML, the only notation with merged cells that every tool reads."""
    rows: dict[int, list[str]] = {}
    for cell in sorted(cells, key=lambda cell: (cell.row, cell.column)):
        spans = [
            f' {name}="{count}"'
            for name, count in (("rowspan", cell.rowspan), ("colspan", cell.colspan))
            if count > 1
        ]
        text = html.escape(" ".join(cell.text.split()), quote=False)
        rows.setdefault(cell.row, []).append(f"<td{''.join(spans)}>{text}</td>")
    body = "".join(f"<tr>{''.join(rows[row])}</tr>" for row in sorted(rows))
    return f"<table>{body}</table>" if body else ""
