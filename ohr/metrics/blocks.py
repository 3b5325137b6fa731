"""Counts the blocks of a page with errors, after table S3 of the OHR-Bench paper.

The ground truth of a page is split into blocks of running text, block formulas and tables. Each
block is searched for in the OCR output by its content, wherever it is, and judged:

- **textual error**: more than ``1 - 0.95`` of the block's words (a formula's symbols) are missing
  from the place where the block was found, or changed;
- **structural error**: a table is not written as a table with the same numbers of rows and columns
  (empty ones left out) and the same merged cells; a formula is not written as a formula, or has
  another structure (scripts, fractions, roots, arrays, line breaks).

Words are those of :func:`ohr.metrics.default.tokens`, without mark-up.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import LCSseq, Levenshtein

from ohr.metrics.formulas import STRUCTURE, find_formulas, formula_tokens
from ohr.metrics.matching import assign, best_window, encode
from ohr.metrics.regions import Region, RegionKind, region_words, regions, text_blocks, words
from ohr.metrics.tables import Grid, match_tables

LEAST_SHARE = 0.95
"""A block with a smaller share of its words has a textual error."""
FOUND_SHARE = 0.75
"""A block is found if this share of its characters is found in order. Unrelated English shares
.6."""
FOUND_FORMULA = 0.4


@dataclass(frozen=True, slots=True)
class BlockResult:
    """How well the OCR output has one block of the ground truth."""

    kind: RegionKind
    size: int
    """Words of the block, or symbols of a formula."""
    is_found: bool
    share: float = 0.0
    """Share of the words or symbols that are found in order, in [0, 1]."""
    structural: bool = False
    """Always false for running text."""
    as_written: bool = False
    """For a formula: whether its LaTeX is the same apart from white space."""

    @property
    def textual(self) -> bool:
        """Whether more than 5 % of the words are missing or changed."""
        return self.share < LEAST_SHARE


def judge_blocks(prediction: str, reference: str) -> list[BlockResult]:
    """The result of each block of the reference: first text, then formulas, then tables."""
    truth, output = regions(reference), regions(prediction)
    results = list(_judge_text(truth, output, prediction))
    results += _judge_formulas(truth, prediction)
    results += _judge_tables(truth, output, prediction)
    return results


def _judge_text(
    truth: Sequence[Region], output: Sequence[Region], prediction: str
) -> Iterator[BlockResult]:
    blocks = text_blocks(truth)
    if not blocks:
        return
    outside = region_words(output, "text")
    places = [outside] if len(output) == 1 else [outside, words(prediction)]
    for block in blocks:
        yield _sought(block, places)


def _sought(block: Sequence[str], places: Sequence[Sequence[str]]) -> BlockResult:
    """The result of a block of running text in the first place that has it, if any."""
    needle = "".join(block)
    for place in places:
        characters, first, end = best_window(needle, place)
        if characters >= FOUND_SHARE:
            share = LCSseq.similarity(block, place[first:end]) / len(block)
            return BlockResult("text", len(block), True, share)
    return BlockResult("text", len(block), False)


def _judge_tables(
    truth: Sequence[Region], output: Sequence[Region], prediction: str
) -> Iterator[BlockResult]:
    """Tables, searched for first among the tables of the output, then in all its text."""
    expected = [region.grid for region in truth if region.grid is not None and region.grid.words]
    if not expected:
        return
    predicted = [region.grid for region in output if region.grid is not None]
    partner = {j: predicted[i] for i, j in match_tables(predicted, expected)}
    everything = words(prediction)
    for j, grid in enumerate(expected):
        block, other = grid.words, partner.get(j)
        if other is not None:
            common = LCSseq.similarity("".join(block), "".join(other.words))
            if common >= FOUND_SHARE * len("".join(block)):
                share = LCSseq.similarity(block, other.words) / len(block)
                structural = shape(grid) != shape(other)
                yield BlockResult("table", len(block), True, share, structural)
                continue
        plain = _sought(block, [everything])
        yield BlockResult("table", plain.size, plain.is_found, plain.share, True)


def shape(grid: Grid) -> tuple[int, int, tuple[tuple[int, int], ...]]:
    """The numbers of rows and columns that have text, and the spans of merged cells."""
    occupied: set[tuple[int, int]] = set()
    rows: set[int] = set()
    columns: set[int] = set()
    merged = []
    for row, (texts, spans) in enumerate(zip(grid.texts, grid.spans, strict=True)):
        column = 0
        for text, (n_rows, n_columns) in zip(texts, spans, strict=True):
            while (row, column) in occupied:
                column += 1
            for below in range(row + 1, row + n_rows):
                occupied.update((below, column + i) for i in range(n_columns))
            if text:
                rows.add(row)
                columns.add(column)
                merged += [(n_rows, n_columns)] if n_rows > 1 or n_columns > 1 else []
            column += n_columns
    return len(rows), len(columns), tuple(sorted(merged))


def _judge_formulas(truth: Sequence[Region], prediction: str) -> Iterator[BlockResult]:
    """Block formulas, searched for first among all formulas of the output, then in all its text."""
    sources = [region.latex for region in truth if region.kind == "formula"]
    expected = [formula_tokens(latex) for latex in sources]
    sources = [latex for latex, tokens in zip(sources, expected, strict=True) if _symbols(tokens)]
    expected = [tokens for tokens in expected if _symbols(tokens)]
    if not expected:
        return
    formulas = [formula.latex for formula in find_formulas(prediction)]
    predicted = [formula_tokens(latex) for latex in formulas]
    codes, gold_codes = encode(predicted, expected)
    partner = {j: i for i, j in assign(codes, gold_codes, least=FOUND_FORMULA)}
    everything: list[str] | None = None
    for j, formula in enumerate(expected):
        symbols = _symbols(formula)
        if j in partner:
            other_formula = predicted[partner[j]]
            other_symbols = _symbols(other_formula)
            share = 1 - Levenshtein.distance(symbols, other_symbols) / len(symbols)
            built = [token for token in formula if token in STRUCTURE]
            other_built = [token for token in other_formula if token in STRUCTURE]
            same = _squeezed(formulas[partner[j]]) == _squeezed(sources[j])
            yield BlockResult(
                "formula", len(symbols), True, max(0.0, share), built != other_built, same
            )
            continue
        if everything is None:
            everything = _symbols(formula_tokens(prediction))
        ((needle,), (place,)) = encode([symbols], [everything])
        share, _, _ = best_window(needle, place)
        yield BlockResult("formula", len(symbols), share >= FOUND_SHARE, share, True)


def _squeezed(latex: str) -> str:
    return "".join(latex.split())


def _symbols(formula: Sequence[str]) -> list[str]:
    return [token for token in formula if token not in STRUCTURE]


_FORMATTING = re.compile(
    r"\*\*|(?<![\w*])[*_](?=\S)|^[ \t]{0,3}#{1,6}(?=[ \t])"
    r"|\\(?:text(?:bf|it|sl|tt|sf|sc)|emph|underline|(?:sub)*section|hline|cline|cmidrule"
    r"|[a-z]*rule|math(?:bf|it|sf|tt|cal|bb|frak|scr|rm)|boldsymbol|bm|pmb|operatorname|bf|it|rm"
    r"|cal|q?quad|displaystyle|textstyle|left|right|[bB]igg?[lr]?|limits)(?![a-zA-Z])"
    r"|\\[,;:!> ]|~|</?(?:b|i|u|em|strong|span|font)\b[^<>]{0,200}>",
    re.MULTILINE,
)


def redundant_commands(prediction: str, reference: str) -> int:
    """Number of formatting commands (emphasis, headings, table lines, fonts, spacing) that the
    prediction has in addition to those of the reference."""
    return (
        Counter(_FORMATTING.findall(prediction)) - Counter(_FORMATTING.findall(reference))
    ).total()
