"""Text that is drawn in another order than it is read, twice, or without its blanks."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import pikepdf

from benchmarks.layer_corpus.drawing import Drawing, Glyph
from benchmarks.layer_corpus.faults.planted import Plant, Planted
from benchmarks.layer_corpus.lines import Group, lines, sort_glyphs, words
from benchmarks.layer_corpus.page import Page

SHAPED = ("arabic", "devanagari", "hebrew", "tamil", "thai")
GREY = b"0.7 g\n"
Arrange = Callable[[Page, Sequence[Glyph]], list[Group] | None]


def _plant(arrange: Arrange, document: pikepdf.Pdf, page: Page) -> Planted | None:
    drawing = Drawing(document)
    groups = arrange(page, drawing.glyphs)
    if not groups:
        return None
    drawing.write(groups)
    return Planted([], "text")


def _reversed(page: Page, glyphs: Sequence[Glyph]) -> list[Group] | None:
    return lines(glyphs)[::-1] if len(lines(glyphs)) > 1 else None


def _row_by_row(page: Page, glyphs: Sequence[Glyph]) -> list[Group] | None:
    """Columns line by line, across both."""
    columns = any(block.kind == "columns" for block in page.blocks)
    return list(map(sort_glyphs, lines(glyphs))) if columns else None


def _heading_last(page: Page, glyphs: Sequence[Glyph]) -> list[Group] | None:
    matches = lines(glyphs)
    return [*matches[1:], matches[0]] if len(matches) > 1 else None


def _shuffled(page: Page, glyphs: Sequence[Glyph]) -> list[Group] | None:
    """Words in any order."""
    if page.script in SHAPED:
        return None
    matches = [word for line in lines(glyphs) for word in words(line)]
    random.Random(page.key).shuffle(matches)
    return matches


def _letters_shuffled(page: Page, glyphs: Sequence[Glyph]) -> list[Group] | None:
    """Letters of a line in any order, each where it belongs."""
    if page.script in SHAPED:
        return None
    generator, matches = random.Random(page.key), []
    for line in lines(glyphs):
        apart = [[glyph] for glyph in line]
        generator.shuffle(apart)
        matches += apart
    return matches


def _twice(x: float, y: float, part: str, page: Page, glyphs: Sequence[Glyph]) -> list[Group]:
    """Every line, word or glyph a second time, (x, y) points away: a grey shadow, or bold."""
    if part == "line":
        groups = lines(glyphs)
    elif part == "word":
        groups = [word for line in lines(glyphs) for word in words(line)]
    else:
        groups = _syllables(glyphs)
    matches = []
    for group in groups:
        again = [glyph.moved(x, y) for glyph in group]
        matches += [[replace(glyph, fill=GREY) for glyph in again] if y else again, group]
    return matches


def _syllables(glyphs: Sequence[Glyph]) -> list[Group]:
    """Each glyph by itself, but those of a span together: its text is that of all of them."""
    groups: list[Group] = []
    for glyph in glyphs:
        if groups and glyph.span and glyph.span == groups[-1][-1].span:
            groups[-1].append(glyph)
        else:
            groups.append([glyph])
    return groups


def _page_twice(page: Page, glyphs: Sequence[Glyph]) -> list[Group]:
    """The whole page a second time, in the same place."""
    return [list(glyphs), list(glyphs)]


def _no_blanks(page: Page, glyphs: Sequence[Glyph]) -> list[Group] | None:
    """Letter-spaced text whose blanks are gaps."""
    remaining = [glyph for glyph in glyphs if glyph.text.strip()]
    return [remaining] if page.tracking and page.script not in SHAPED else None


def _visual(step: int, page: Page, glyphs: Sequence[Glyph]) -> list[Group] | None:
    """Right-to-left text glyph by glyph, from the left (1) or the right (-1) of each line."""
    if not page.right_to_left:
        return None
    return [[_alone(glyph)] for line in lines(glyphs) for glyph in sort_glyphs(line)[::step]]


def _alone(glyph: Glyph) -> Glyph:
    return replace(glyph, span=None)


def _marks_last(page: Page, glyphs: Sequence[Glyph]) -> list[Group] | None:
    """The signs of a line after its letters."""
    if page.script not in ("devanagari", "tamil", "thai"):
        return None
    matches = []
    for line in lines(glyphs):
        signs = [glyph for glyph in line if _is_sign(glyph)]
        matches += [[_alone(glyph) for glyph in line if not _is_sign(glyph)]]
        matches += [[_alone(glyph)] for glyph in signs]
    return matches if any(map(_is_sign, glyphs)) else None


def _clusters_apart(page: Page, glyphs: Sequence[Glyph]) -> list[Group] | None:
    """Each glyph by itself, as Chromium draws them."""
    if page.script not in ("devanagari", "tamil", "thai"):
        return None
    return [[_alone(glyph)] for glyph in glyphs]


def _is_sign(glyph: Glyph) -> bool:
    return bool(glyph.text) and unicodedata.category(glyph.text[0])[0] == "M"


ORDER: dict[str, Plant] = {
    "lines_reversed": partial(_plant, _reversed),
    "row_by_row": partial(_plant, _row_by_row),
    "heading_last": partial(_plant, _heading_last),
    "words_shuffled": partial(_plant, _shuffled),
    "letters_shuffled": partial(_plant, _letters_shuffled),
}
DOUBLES: dict[str, Plant] = {
    "shadow_1pt": partial(_plant, partial(_twice, 1.0, -1.0, "line")),
    "shadow_2pt": partial(_plant, partial(_twice, 2.0, -1.2, "line")),
    "shadow_words": partial(_plant, partial(_twice, 1.2, -0.8, "word")),
    "bold": partial(_plant, partial(_twice, 0.3, 0.0, "line")),
    "bold_glyphs": partial(_plant, partial(_twice, 0.3, 0.0, "glyph")),
    "page": partial(_plant, _page_twice),
}
SPACED: dict[str, Plant] = {"no_blanks": partial(_plant, _no_blanks)}
DIRECTION: dict[str, Plant] = {
    "visual": partial(_plant, partial(_visual, 1)),
    "from_right": partial(_plant, partial(_visual, -1)),
    "marks_last": partial(_plant, _marks_last),
    "clusters_apart": partial(_plant, _clusters_apart),
}
