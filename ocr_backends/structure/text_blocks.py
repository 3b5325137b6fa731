"""Lines of running text into paragraphs, headings, headers and footers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from ocr_backends._tesseract_layout import LINES, WORDS
from ocr_backends.structure.phrases import Phrase
from ocr_backends.structure.table_columns import MARKER, Line, middle_of
from ohr.markup.blocks import Block

HEADING = 1.25
"""Type this many times as large as the body's is a heading; boxes of a detector vary by a tenth."""
TITLE = 1.6
"""... and this many times, a title."""
BREAK = 1.45
"""A paragraph's lines follow each other at most this many times as far as those of its column."""
MARGIN = 0.08
"""Headers and footers stand in this much of the page's height, at its top and bottom ..."""
ALONE = 1.5
"""... this many heights of a line from the rest."""


def header_and_footer(
    parts: Sequence[Sequence[Line]], height: float, unit: float
) -> frozenset[Phrase]:
    """Phrases of the page's header and footer: its first and last line, if apart from the rest."""
    lines = sorted((line for part in parts for line in part), key=middle_of)
    furniture: set[Phrase] = set()
    if len(lines) > 2:
        first, last = lines[0], lines[-1]
        if middle_of(first) < MARGIN * height and _gap(first, lines[1]) > ALONE * unit:
            furniture.update(first)
        if middle_of(last) > (1 - MARGIN) * height and _gap(lines[-2], last) > ALONE * unit:
            furniture.update(last)
    return frozenset(furniture)


def _gap(above: Line, below: Line) -> float:
    return min(phrase.top for phrase in below) - max(phrase.bottom for phrase in above)


def text_blocks(
    lines: Sequence[Line], unit: float, furniture: frozenset[Phrase] = frozenset()
) -> Iterator[Block]:
    """Blocks of running text; ``furniture``: phrases of the page's header and footer."""
    for paragraph in _paragraphs(lines, unit, furniture):
        texts = [" ".join(phrase.text for phrase in line) for line in paragraph]
        if furniture.issuperset(paragraph[0]):
            yield Block("furniture", "\n".join(texts))
            continue
        sizes = [phrase.height for line in paragraph for phrase in line]
        level = _level(texts, median(sizes) / unit)
        if level:
            yield Block("heading", " ".join(texts), level)
        else:
            yield Block("text", "\n".join(texts))


def _paragraphs(
    lines: Sequence[Line], unit: float, furniture: frozenset[Phrase]
) -> list[list[Line]]:
    """Lines that follow closely; one of the header or footer never goes on another's."""
    steps = [middle_of(below) - middle_of(above) for above, below in pairwise(lines)]
    close = [step for step in steps if 0.5 * unit < step < 2.2 * unit]
    pitch = median(close) if close else 1.3 * unit
    paragraphs: list[list[Line]] = []
    apart = [furniture.issuperset(line) for line in lines]
    for at, line in enumerate(lines):
        close_by = at and steps[at - 1] < BREAK * pitch and apart[at - 1] == apart[at]
        if close_by and not _begins(lines[at - 1], line, unit):
            paragraphs[-1].append(line)
        else:
            paragraphs.append([line])
    return paragraphs


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
