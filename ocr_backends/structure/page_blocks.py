"""Phrases of a page into blocks: running text and tables, in reading order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ocr_backends.structure.layout_model import Region
from ocr_backends.structure.page_lines import body_height, joined_lines
from ocr_backends.structure.page_regions import region_blocks
from ocr_backends.structure.phrases import Phrase
from ocr_backends.structure.table_columns import Line
from ocr_backends.structure.table_find import find_tables
from ocr_backends.structure.text_blocks import header_and_footer, text_blocks
from ohr.markup.blocks import Block, GridCell, html_table

Cells = Callable[[Sequence[Line], float], list[GridCell]]
"""Cells of a table from its lines and the height of a line."""


def page_blocks(
    phrases: Sequence[Phrase], height: float, cells: Cells, regions: Sequence[Region] | None = None
) -> list[Block]:
    """Blocks of a page, ``height`` pixels high, in reading order; tables in HTML.

    ``regions``: those of a layout model, the surest first; None finds tables by their columns,
    headings by the size of their type, headers and footers by their place.
    """
    if not phrases:
        return []
    unit = body_height(phrases)
    if regions is None:
        blocks = _sort_by_place(phrases, height, unit)
    else:
        blocks = region_blocks(phrases, regions, unit)
    return [
        block if isinstance(block, Block) else Block("table", html_table(cells(block, unit)))
        for block in blocks
    ]


def _sort_by_place(
    phrases: Sequence[Phrase], height: float, unit: float
) -> Iterator[Block | list[Line]]:
    parts = joined_lines(phrases, unit)
    furniture = header_and_footer(parts, height, unit)
    for part in parts:
        position = 0
        for run in find_tables(part, unit, furniture):
            yield from text_blocks(part[position : run.first], unit, furniture)
            yield part[run.first : run.end]
            position = run.end
        yield from text_blocks(part[position:], unit, furniture)
