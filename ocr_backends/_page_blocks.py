"""Phrases of a page into blocks: paragraphs, headings, headers and footers, tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

import numpy as np

from ocr_backends._blocks import Block, BlockKind, GridCell, html_table
from ocr_backends._layout_model import Region
from ocr_backends._phrases import Phrase, joined
from ocr_backends._table_columns import MARKER, Line, middle_of
from ocr_backends._table_find import find_tables
from ocr_backends._tesseract_layout import LINES, WORDS
from ocr_backends.reading_order import reading_order

NEAR = 0.5
"""Phrases of a line less than so many heights apart are one."""
HEADING = 1.25
"""Type so many times as large as the body's is a heading; boxes of a detector vary by a tenth."""
TITLE = 1.6
"""... and so many times, a title."""
BREAK = 1.45
"""A paragraph's lines follow each other at most so many times as far as those of its column."""
MARGIN = 0.08
"""Headers and footers stand in so much of the page's height, at its top and bottom ..."""
ALONE = 1.5
"""... so many heights of a line from the rest."""

Cells = Callable[[Sequence[Line], float], list[GridCell]]
"""Cells of a table from its lines and the height of a line."""


def page_blocks(
    phrases: Sequence[Phrase], height: float, cells: Cells, regions: Sequence[Region] | None = None
) -> list[Block]:
    """Blocks of a page, ``height`` pixels high, in reading order.

    ``regions``: those of a layout model, the surest first; None finds tables by their columns,
    headings by the size of their type, headers and footers by their place.
    """
    if not phrases:
        return []
    unit = _unit(phrases)
    if regions is not None:
        return _by_regions(phrases, regions, unit, cells)
    result: list[Block] = []
    parts = [_joined(phrases, part, unit) for part in _parts(phrases)]
    alone = _alone(parts, height, unit)
    for part in parts:
        at = 0
        for run in find_tables(part, unit):
            result += _text_blocks(part[at : run.first], unit, alone)
            table = part[run.first : run.end]
            result.append(Block("table", html_table(cells(table, unit))))
            at = run.end
        result += _text_blocks(part[at:], unit, alone)
    return result


def _unit(phrases: Sequence[Phrase]) -> float:
    """Height of a line of the body: the median over letters, for boxes of short words vary."""
    heights = np.repeat([p.height for p in phrases], [max(1, len(p.text)) for p in phrases])
    return float(np.median(heights))


def _parts(phrases: Sequence[Phrase]) -> list[list[list[int]]]:
    boxes = np.array([[[p.left, p.top], [p.right, p.top], [p.right, p.bottom], [p.left, p.bottom]]
                      for p in phrases])  # fmt: skip
    return reading_order(boxes, [phrase.text for phrase in phrases])


def _joined(phrases: Sequence[Phrase], part: Sequence[Sequence[int]], unit: float) -> list[Line]:
    return [joined((phrases[at] for at in line), NEAR * unit) for line in part]


def _alone(parts: Sequence[Sequence[Line]], height: float, unit: float) -> set[Phrase]:
    """Phrases of the page's header and footer: its first and last line, if apart from the rest."""
    lines = sorted((line for part in parts for line in part), key=middle_of)
    found: set[Phrase] = set()
    if len(lines) > 2:
        first, last = lines[0], lines[-1]
        if middle_of(first) < MARGIN * height and _gap(first, lines[1]) > ALONE * unit:
            found.update(first)
        if middle_of(last) > (1 - MARGIN) * height and _gap(lines[-2], last) > ALONE * unit:
            found.update(last)
    return found


def _gap(above: Line, below: Line) -> float:
    return min(phrase.top for phrase in below) - max(phrase.bottom for phrase in above)


def _text_blocks(lines: Sequence[Line], unit: float, alone: set[Phrase]) -> Iterator[Block]:
    for paragraph in _paragraphs(lines, unit):
        texts = [" ".join(phrase.text for phrase in line) for line in paragraph]
        if alone.issuperset(paragraph[0]):
            yield Block("furniture", "\n".join(texts))
            continue
        sizes = [phrase.height for line in paragraph for phrase in line]
        level = _level(texts, median(sizes) / unit)
        if level:
            yield Block("heading", " ".join(texts), level)
        else:
            yield Block("text", "\n".join(texts))


def _paragraphs(lines: Sequence[Line], unit: float) -> list[list[Line]]:
    steps = [middle_of(below) - middle_of(above) for above, below in pairwise(lines)]
    close = [step for step in steps if 0.5 * unit < step < 2.2 * unit]
    pitch = median(close) if close else 1.3 * unit
    found: list[list[Line]] = []
    for at, line in enumerate(lines):
        if at and steps[at - 1] < BREAK * pitch and not _begins(lines[at - 1], line, unit):
            found[-1].append(line)
        else:
            found.append([line])
    return found


def _begins(before: Line, line: Line, unit: float) -> bool:
    """Whether a line begins a paragraph though it follows closely."""
    if MARKER.fullmatch(line[0].text.split(" ")[0]) and not line[0].text[:1].isdigit():
        return True
    size, size_before = (median(p.height for p in each) for each in (line, before))
    return abs(size - size_before) > 0.3 * unit


def _level(texts: Sequence[str], ratio: float) -> int:
    """Level of a heading, 0 for what is none."""
    text = " ".join(texts)
    if ratio < HEADING or len(texts) > LINES or len(text.split()) > WORDS:
        return 0
    if sum(char.isalpha() for char in text) < 3 or text.endswith((".", ",", ";")):
        return 0
    return 1 if ratio >= TITLE else 2


def _by_regions(
    phrases: Sequence[Phrase], regions: Sequence[Region], unit: float, cells: Cells
) -> list[Block]:
    """Blocks as a layout model sees them; what is in no region is running text."""
    home = [_region_of(phrase, regions) for phrase in phrases]
    tables: dict[int, list[Phrase]] = {}
    rest: list[Phrase] = []
    home_of: dict[Phrase, int] = {}
    for phrase, number in zip(phrases, home, strict=True):
        if number >= 0 and regions[number].kind == "table":
            tables.setdefault(number, []).append(phrase)
        else:
            rest.append(phrase)
            home_of[phrase] = number
    # A table stands in the order of the page as one box.
    boxes: dict[Phrase, int] = {}
    for number, inside in tables.items():
        box = replace(
            inside[0],
            text="",
            left=min(p.left for p in inside),
            top=min(p.top for p in inside),
            right=max(p.right for p in inside),
            bottom=max(p.bottom for p in inside),
        )
        boxes[box] = number
    flow = [*rest, *boxes]
    result: list[Block] = []
    open_lines: list[Line] = []
    open_home = -1

    def close() -> None:
        if open_lines:
            result.extend(
                _region_blocks(open_lines, regions[open_home] if open_home >= 0 else None, unit)
            )
            open_lines.clear()

    for part in _parts(flow):
        for line in part:
            for number, group in _by_home([flow[at] for at in line], home_of, boxes):
                if group[0] in boxes:
                    close()
                    inside = tables[boxes[group[0]]]
                    table = [
                        row
                        for piece in _parts_in_rows(inside)
                        for row in _joined(inside, piece, unit)
                    ]
                    result.append(Block("table", html_table(cells(table, unit))))
                    continue
                if number != open_home:
                    close()
                open_home = number
                open_lines.append(joined(group, NEAR * unit))
        close()
    return result


def _parts_in_rows(inside: Sequence[Phrase]) -> list[list[list[int]]]:
    """The lines of a table, never cut into columns."""
    boxes = np.array([[[p.left, p.top], [p.right, p.top], [p.right, p.bottom], [p.left, p.bottom]]
                      for p in inside])  # fmt: skip
    return reading_order(boxes, [""] * len(inside))


def _by_home(
    line: Sequence[Phrase], home_of: dict[Phrase, int], boxes: dict[Phrase, int]
) -> Iterator[tuple[int, list[Phrase]]]:
    """Phrases of a line by region, tables alone, from left to right."""
    group: list[Phrase] = []
    last = -1
    for phrase in line:
        number = home_of.get(phrase, -1)
        if group and (phrase in boxes or group[0] in boxes or number != last):
            yield last, group
            group = []
        group.append(phrase)
        last = number
    if group:
        yield last, group


def _region_of(phrase: Phrase, regions: Sequence[Region]) -> int:
    """The surest region that the middle of a phrase lies in, tables first; -1 for none."""
    for tables in (True, False):
        for number, region in enumerate(regions):
            if (region.kind == "table") is tables and (
                region.left <= phrase.centre <= region.right
                and region.top <= phrase.middle <= region.bottom
            ):
                return number
    return -1


def _region_blocks(lines: Sequence[Line], region: Region | None, unit: float) -> Iterator[Block]:
    if region is None or region.kind == "text":
        yield from _text_blocks(lines, unit, set())
        return
    kinds: dict[str, BlockKind] = {"heading": "heading", "item": "text", "furniture": "furniture"}
    text = "\n".join(" ".join(phrase.text for phrase in line) for line in lines)
    yield Block(kinds[region.kind], text, 1 if region.title else 2)
