"""The regions of a page: running text, block formulas and tables, and how well each is extracted.

Precision, recall and F1 by kind of region follow the DRC paper's table 3 (text extraction from
paragraphs and tables), with this toolkit's words instead of a model's tokens.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from ohr.markup.page import read_page
from ohr.markup.strip import strip_markup
from ohr.metrics.default import tokens
from ohr.metrics.formulas import find_formulas
from ohr.metrics.tables import Grid

RegionKind = Literal["text", "formula", "table"]
KINDS: tuple[RegionKind, ...] = ("text", "formula", "table")

BLOCK_WORDS = 100
"""Words of a block of running text: about 130 tokens of a language model."""
LEAST_WORDS = 5
"""A page with fewer words of running text has no block of it."""
_BLANK_LINES = re.compile(r"\n[ \t]*\n")


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch of a page: ``page[start:end]``; ``grid`` for tables, ``latex`` for formulas."""

    kind: RegionKind
    start: int
    end: int
    text: str
    grid: Grid | None = None
    latex: str = ""


def regions(text: str) -> list[Region]:
    """A page as running text, block formulas and tables, in order; only outermost regions."""
    marked = [
        Region("table", *table.span, text[slice(*table.span)], Grid.from_table(table))
        for table in read_page(text).tables
    ]
    marked += [
        Region(
            "formula",
            formula.start,
            formula.end,
            text[formula.start : formula.end],
            latex=formula.latex,
        )
        for formula in find_formulas(text)
        if formula.display
    ]
    marked.sort(key=lambda region: (region.start, -region.end))
    parts: list[Region] = []
    done = 0
    for region in marked:
        if region.start < done:
            continue
        if text[done : region.start].strip():
            parts.append(Region("text", done, region.start, text[done : region.start]))
        parts.append(region)
        done = region.end
    if text[done:].strip():
        parts.append(Region("text", done, len(text), text[done:]))
    return parts


def region_words(page: Sequence[Region], kind: RegionKind) -> list[str]:
    """Words of a page's regions of one kind."""
    return [word for region in page if region.kind == kind for word in words(region.text)]


def words(text: str) -> list[str]:
    """Normalised words of a stretch of a page, mark-up removed."""
    return tokens(strip_markup(text))


def text_blocks(page: Sequence[Region], size: int = BLOCK_WORDS) -> list[list[str]]:
    """Words of a page's running text in blocks of about ``size`` words.

    Short paragraphs are joined, also across a formula or a table; long ones are cut evenly.
    """
    most = size * 3 // 2
    blocks: list[list[str]] = [[]]
    for region in page:
        for paragraph in _BLANK_LINES.split(region.text) if region.kind == "text" else ():
            paragraph_words = words(paragraph)
            block = blocks.pop()
            if len(block) >= size // 2 and len(block) + len(paragraph_words) > most:
                blocks.append(block)
                block = []
            block += paragraph_words
            n = round(len(block) / size) if len(block) > most else 1
            blocks += [block[i * len(block) // n : (i + 1) * len(block) // n] for i in range(n)]
    last = blocks.pop()
    if len(last) >= LEAST_WORDS:
        blocks.append(last)
    elif blocks:
        blocks[-1] += last
    return blocks


class Extraction(NamedTuple):
    """Precision, recall and F1, each in [0, 1]."""

    precision: float
    recall: float
    f1: float


def extraction(
    output: Sequence[Region], truth: Sequence[Region], kind: RegionKind
) -> Extraction | None:
    """How well the words of one kind of region were extracted; None if the truth has none.

    Words are compared as multisets. If the output marks no region of this kind, all its words
    count, as for an extractor without regions in the DRC paper: it may have the table's words
    without marking them as a table.
    """
    expected = Counter(region_words(truth, kind))
    if not expected:
        return None
    predicted = Counter(region_words(output, kind))
    if not predicted:
        predicted = Counter(word for other in KINDS for word in region_words(output, other))
    return word_overlap(predicted, expected)


def word_overlap(predicted: Counter[str], expected: Counter[str]) -> Extraction:
    """Precision, recall and F1 of two multisets of words; 0 if none is shared."""
    shared = (predicted & expected).total()
    if not shared:
        return Extraction(0.0, 0.0, 0.0)
    precision, recall = shared / predicted.total(), shared / expected.total()
    return Extraction(precision, recall, 2 * precision * recall / (precision + recall))
