"""Glyphs as lines and words, by where they stand."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from benchmarks.layer_corpus.drawing import Glyph

Group = list[Glyph]


def lines(glyphs: Sequence[Glyph]) -> list[Group]:
    """The lines of a page from its top, across columns; glyphs of a line in drawing order."""
    baselines: list[float] = []
    for glyph in sorted(glyphs, key=lambda glyph: -glyph.y):
        if not baselines or baselines[-1] - glyph.y > 0.5 * glyph.height:
            baselines.append(glyph.y)
    placed: dict[float, Group] = {baseline: [] for baseline in baselines}
    for glyph in glyphs:
        placed[min(baselines, key=lambda baseline: abs(baseline - glyph.y))].append(glyph)
    return [group for group in placed.values() if group]


def sort_glyphs(line: Sequence[Glyph]) -> Group:
    """The glyphs of a line from left to right."""
    return sorted(line, key=lambda glyph: glyph.x)


def words(line: Sequence[Glyph]) -> list[Group]:
    """The words of a line from left to right, each with the blanks after it."""
    matches: list[Group] = []
    for glyph in sort_glyphs(line):
        last = matches[-1][-1] if matches else None
        apart = last is not None and (
            (not last.text.strip() and glyph.text.strip())
            or glyph.x - last.end > 0.18 * last.height
        )
        if last is None or apart:
            matches.append([])
        matches[-1].append(glyph)
    return matches


def parts(line: Sequence[Glyph]) -> list[Group]:
    """The parts of a line that wide gaps hold apart, as columns do."""
    matches: list[Group] = []
    for word in words(line):
        if not matches or word[0].x - matches[-1][-1].end > 1.2 * word[0].height:
            matches.append([])
        matches[-1].extend(word)
    return matches


def letters(line: Sequence[Glyph]) -> str:
    """What the glyphs of a line stand for, words apart by a blank."""
    matches = ("".join(glyph.text for glyph in word).strip() for word in words(line))
    return " ".join(word for word in matches if word)


def group_by_font(glyphs: Sequence[Glyph]) -> dict[str, Group]:
    """The glyphs of each font."""
    ordered = sorted(glyphs, key=lambda glyph: glyph.font)
    return {font: list(group) for font, group in groupby(ordered, lambda glyph: glyph.font)}
