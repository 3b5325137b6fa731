"""Lines of running text into paragraphs, headings, headers and footers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from ocr_backends._tesseract_layout import LINES, WORDS
from ocr_backends.structure.phrases import Phrase
from ocr_backends.structure.table_columns import MARKER, Line, middle_of
from ohr.markup.blocks import Block

# How these factors were chosen is not recorded: they came with the engine's first version, and no
# value was measured alone. So each comment says what raising or lowering it does.

HEADING = 1.25
"""Type this many times as large as the body's is a heading.

Boxes of a detector vary by a tenth. Lower takes lines of capitals, which are taller, for headings;
higher takes subheadings that are a little larger than the text for text.
"""
TITLE = 1.6
"""Type this many times as large as the body's is a heading of the first level, else of the second.

Lower makes section headings titles; higher leaves a page without a first level.
"""
BREAK = 1.45
"""A paragraph's lines follow each other at most this many times as far as those of its column.

One and a half lines is the usual space between paragraphs, so the limit is a little below. Higher
joins paragraphs that are half a line apart; lower cuts one at a line with an index or a formula.
"""
MARGIN = 0.08
"""Headers and footers are in this much of the page's height, at its top and bottom.

On A4 it is 24 mm, about the usual margin. Higher takes first lines of the text for headers where
margins are narrow; lower keeps running titles in the text.
"""
ALONE = 1.5
"""A header or footer is at least this many heights of a line from the rest.

Lower takes a first line of text for a header; higher keeps headers that are close to it.
"""
NEAR, FAR = 0.5, 2.2
"""Steps between lines, in heights of a line, that count for the usual step of a column.

Nearer ones are parts of one line that the detector cut; farther ones are gaps between blocks, and
would make the usual step too large, so that paragraphs are joined. 2.2 leaves in lines that are set
double.
"""
USUAL_STEP = 1.3
"""The step where no line has another near it: that of ordinary text, 120 to 140 % of the type."""
OTHER_SIZE = 0.3
"""A line whose type differs from the line before by this share of the body's begins a paragraph.

So a heading is cut off from text that follows closely. Lower cuts at lines of capitals or figures;
higher joins small captions to the text.
"""
FEWEST_LETTERS = 3
"""A heading has this many letters: fewer are page numbers, marks and formulas."""


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
    close = [step for step in steps if NEAR * unit < step < FAR * unit]
    pitch = median(close) if close else USUAL_STEP * unit
    paragraphs: list[list[Line]] = []
    apart = [furniture.issuperset(line) for line in lines]
    for place, line in enumerate(lines):
        before = place - 1
        close_by = place and steps[before] < BREAK * pitch and apart[before] == apart[place]
        if close_by and not _begins(lines[before], line, unit):
            paragraphs[-1].append(line)
        else:
            paragraphs.append([line])
    return paragraphs


def _begins(before: Line, line: Line, unit: float) -> bool:
    """Whether a line begins a paragraph though it follows closely."""
    if MARKER.fullmatch(line[0].text.split(" ")[0]) and not line[0].text[:1].isdigit():
        return True
    size, size_before = (median(p.height for p in each) for each in (line, before))
    return abs(size - size_before) > OTHER_SIZE * unit


def _level(texts: Sequence[str], ratio: float) -> int:
    """Level of a heading, 0 for what is none."""
    text = " ".join(texts)
    if ratio < HEADING or len(texts) > LINES or len(text.split()) > WORDS:
        return 0
    if sum(char.isalpha() for char in text) < FEWEST_LETTERS or text.endswith((".", ",", ";")):
        return 0
    return 1 if ratio >= TITLE else 2
