r"""Formulas (appendix III.1.2): inline to block and back, idle spacing, equivalent symbols."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ohr.markup.scanner import MarkupKind, MarkupRegion
from perturb.text.edits import Edit
from perturb.text.formula import Formula, gaps, read_formula, symbols
from perturb.text.page import EditablePage
from perturb.text.sites import Sites

SPACING = ("\\ ", "\\quad ", "\\qquad ", "\\;", "\\:")
"""The paper's five idle commands; a name ends with a space, lest a letter after it join it."""
MOST_SPACING = 5
"""The paper inserts 1 to 5."""

_BLOCK_FORM = {"$": ("$$", "$$"), "\\(": ("\\[", "\\]")}
_INLINE_FORM = {"$$": ("$", "$"), "\\[": ("\\(", "\\)")}
_INLINE_OF_ENVIRONMENT = {
    "equation": ("", ""), "equation*": ("", ""), "displaymath": ("", ""), "math": ("", ""),
    "align": (r"\begin{aligned}", r"\end{aligned}"),
    "align*": (r"\begin{aligned}", r"\end{aligned}"),
    "gather": (r"\begin{gathered}", r"\end{gathered}"),
    "gather*": (r"\begin{gathered}", r"\end{gathered}"),
}  # fmt: skip
_BLOCK_ONLY = ("\\tag", "\\label", "\\notag", "\\nonumber")


def formula_conversion(page: EditablePage, rng: np.random.Generator) -> list[Sites]:
    """Inline formulas become block formulas and block formulas inline ones."""
    return [converted(page, [r for r, _ in _formulas(page)])]


def formula_spacing(page: EditablePage, rng: np.random.Generator) -> list[Sites]:
    """1 to 5 idle spacing commands in a formula's symbol gaps."""
    return [spaced(_formulas(page), rng)]


def equivalent_symbols(page: EditablePage, rng: np.random.Generator) -> list[Sites]:
    """Bold, cursive and Unicode symbols become their equivalents."""
    return [replaced(page, _formulas(page), rng)]


def _formulas(page: EditablePage) -> list[tuple[MarkupRegion, Formula]]:
    return readable(page, (region for area in page.body for region in area.regions))


def readable(
    page: EditablePage, regions: Iterable[MarkupRegion]
) -> list[tuple[MarkupRegion, Formula]]:
    """The formulas among the regions whose inside can be read."""
    pairs = []
    for region in regions:
        if region.kind in (MarkupKind.INLINE, MarkupKind.DISPLAY):
            formula = read_formula(page.text, region.inner_start, region.inner_end)
            if formula is not None and formula.tokens:
                pairs.append((region, formula))
    return pairs


def converted(page: EditablePage, regions: Sequence[MarkupRegion]) -> Sites:
    """A site for each formula that has another form; nothing is drawn at random."""
    conversions = [edits for region in regions if (edits := _conversion(page.text, region))]
    ends = [edits[-1].at + len(edits[-1].removed) for edits in conversions]
    return Sites([edits[0].at for edits in conversions], ends, conversions.__getitem__)


def _conversion(text: str, region: MarkupRegion) -> list[Edit]:
    opener, closer = text[region.start : region.inner_start], text[region.inner_end : region.end]
    inner = text[region.inner_start : region.inner_end]
    if text[region.start - 1 : region.start] == "$" or text[region.end : region.end + 1] == "$":
        return []  # "$a$$b$": other delimiters would run together
    if region.kind is MarkupKind.INLINE:
        if opener not in _BLOCK_FORM:
            return []
        opening, closing = _BLOCK_FORM[opener]
        return [Edit(region.start, opener, opening), Edit(region.inner_end, closer, closing)]
    if any(command in inner for command in _BLOCK_ONLY):
        return []
    if opener in _INLINE_FORM:
        opening, closing = _INLINE_FORM[opener]
    else:
        name = opener.removeprefix("\\begin").strip(" \t{}")
        if name not in _INLINE_OF_ENVIRONMENT:
            return []
        before, after = _INLINE_OF_ENVIRONMENT[name]
        opening, closing = "$" + before, after + "$"
    # An inline formula begins and ends with a symbol, so the space at its ends goes too.
    left_side = len(inner) - len(inner.lstrip())
    right = len(inner.rstrip())
    if "\\\\" in inner and "\\begin" not in inner and "\\begin" not in opening:
        return []
    if not _apart(text, region) and (left_side or right < len(inner)):
        return []
    if text[region.end : region.end + 1].isdigit():
        return []  # "$x$5" reads as two prices
    return [
        Edit(region.start, opener + inner[:left_side], opening),
        Edit(region.inner_start + right, inner[right:] + closer, closing),
    ]


def _apart(text: str, region: MarkupRegion) -> bool:
    """Whether white space or an end of the text stands on both sides."""
    before, after = text[region.start - 1 : region.start], text[region.end : region.end + 1]
    return (region.start == 0 or before.isspace()) and (not after or after.isspace())


def spaced(formulas: Sequence[tuple[MarkupRegion, Formula]], rng: np.random.Generator) -> Sites:
    """A site for each formula with a gap: which gaps, and a command for each, are drawn."""
    open_gaps = [
        (region, positions) for region, formula in formulas if (positions := gaps(formula))
    ]
    counts = rng.integers(1, MOST_SPACING + 1, len(open_gaps)).tolist()
    # One row of draws for each formula: places first, then commands.
    places = rng.random((len(open_gaps), MOST_SPACING)).tolist()
    commands = rng.integers(0, len(SPACING), (len(open_gaps), MOST_SPACING)).tolist()

    def edits(number: int) -> list[Edit]:
        free = list(open_gaps[number][1])
        chosen: list[tuple[int, str]] = []
        for place, command in zip(places[number], commands[number], strict=True):
            if not free or len(chosen) == counts[number]:
                break
            chosen.append((free.pop(int(place * len(free))), SPACING[command]))
        return [Edit(position, "", command) for position, command in sorted(chosen)]

    starts = [region.inner_start for region, _ in open_gaps]
    return Sites(starts, [region.inner_end for region, _ in open_gaps], edits)


def replaced(
    page: EditablePage, formulas: Sequence[tuple[MarkupRegion, Formula]], rng: np.random.Generator
) -> Sites:
    """A site for each symbol that has equals; which of them takes its place is drawn."""
    replaceable = [symbol for _, formula in formulas for symbol in symbols(formula)]
    drawn = rng.random(len(replaceable)).tolist()

    def edits(number: int) -> list[Edit]:
        symbol = replaceable[number]
        equal = symbol.equals[int(drawn[number] * len(symbol.equals))]
        return [Edit(symbol.start, page.text[symbol.start : symbol.end], equal)]

    return Sites([s.start for s in replaceable], [s.end for s in replaceable], edits)
