"""Blocks of a page as a layout model sees them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from ocr_backends.structure.layout_model import Region
from ocr_backends.structure.page_lines import NEAR, joined_lines, ordered
from ocr_backends.structure.phrases import Phrase, joined
from ocr_backends.structure.table_columns import Line
from ocr_backends.structure.text_blocks import text_blocks
from ohr.markup.blocks import Block

OUTSIDE = -1


def region_blocks(
    phrases: Sequence[Phrase], regions: Sequence[Region], unit: float
) -> Iterator[Block | list[Line]]:
    """Blocks in reading order, a table as its lines; what is in no region is running text.

    ``regions``: the surest first; ``unit``: height of a line.
    """
    tables: dict[int, list[Phrase]] = {}
    flow: list[Phrase] = []
    homes: list[int] = []
    for phrase in phrases:
        number = _region_of(phrase, regions)
        if number != OUTSIDE and regions[number].kind == "table":
            tables.setdefault(number, []).append(phrase)
        else:
            flow.append(phrase)
            homes.append(number)
    for number, inside in tables.items():  # in the order of the page a table is one box
        flow.append(_enclose(inside))
        homes.append(number)
    for part in ordered(flow):
        stretches = [
            (number, [flow[position] for position in stretch])
            for line in part
            for number, stretch in groupby(line, key=homes.__getitem__)
        ]
        for number, same in groupby(stretches, key=lambda stretch: stretch[0]):
            if number in tables:
                [lines] = joined_lines(tables[number], unit, columns=False)
                yield lines
            else:
                lines = [joined(stretch, NEAR * unit) for _, stretch in same]
                region = None if number == OUTSIDE else regions[number]
                yield from _blocks(lines, region, unit)


def _enclose(phrases: Sequence[Phrase]) -> Phrase:
    """A phrase without text round others."""
    return replace(
        phrases[0],
        text="",
        left=min(phrase.left for phrase in phrases),
        top=min(phrase.top for phrase in phrases),
        right=max(phrase.right for phrase in phrases),
        bottom=max(phrase.bottom for phrase in phrases),
    )


def _region_of(phrase: Phrase, regions: Sequence[Region]) -> int:
    """The surest region that the middle of a phrase lies in, tables first; OUTSIDE for none."""
    for tables in (True, False):
        for number, region in enumerate(regions):
            if (region.kind == "table") is tables and (
                region.left <= phrase.centre <= region.right
                and region.top <= phrase.middle <= region.bottom
            ):
                return number
    return OUTSIDE


def _blocks(lines: Sequence[Line], region: Region | None, unit: float) -> Iterator[Block]:
    text = "\n".join(" ".join(phrase.text for phrase in line) for line in lines)
    if region is None or region.kind == "text":
        yield from text_blocks(lines, unit)
    elif region.kind in ("figure", "note"):
        for block in text_blocks(lines, unit):
            yield replace(block, kind=region.kind) if block.kind == "text" else block
    elif region.kind == "heading":
        yield Block("heading", text, 1 if region.title else 2)
    else:
        yield Block("item" if region.kind == "item" else "furniture", text)
