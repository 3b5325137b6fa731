"""Does a glyph look like the character that the layer says it is?

Each glyph of each font is drawn once, as the page shows it, and compared with the claimed character
in the reference faces, and with the letters, digits and signs that it might be instead. A glyph
that is like no reference is unknown, not wrong: it may be decorative.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pypdfium2

from ohr.documents.layers.accents import other_accent
from ohr.documents.layers.characters import Characters
from ohr.documents.layers.pictures import Pictures, touched_characters
from ohr.documents.layers.shapes import Shape, likeness
from ohr.documents.layers.specimens import (
    block_of,
    different_specimens,
    has_no_shape,
    shapes_of,
    specimens_of,
)

Look = Literal["right", "wrong", "unknown", "no ink"]

TRIES = 5
"""Most places of the same glyph that are looked at."""
ALIKE = 0.8
"""A glyph this much like the claim is right, if nothing else is clearly more so, ..."""
LEAST_ALIKE = 0.5
"""... and so is one at least this much like it, ..."""
NEARLY = 0.08
"""... if nothing else is like it by this much more."""
CLEARLY = 0.1
"""A glyph is wrong if something else is like it by this much more, ..."""
LIKE_OTHER = 0.82
"""... and like it at least this much."""
FEWEST_CLAIMS = 8
"""Fewest kinds of glyph by whose claims a font is judged as a whole."""
STEPS = 50
"""Steps per size of the type to which the measures of glyphs are rounded."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a glyph looks like.

    ``claim`` is its likeness with the claimed character, NaN without a reference; ``other`` the
    character that it is most like otherwise, and ``likeness`` how much. Where accents decide, these
    are likenesses of accents.
    """

    look: Look
    claim: float = float("nan")
    other: str = ""
    likeness: float = float("nan")
    seen: Shape | None = field(default=None, compare=False, repr=False)
    """What was seen, of a glyph that is not right."""


@dataclass(frozen=True, slots=True)
class Glyph:
    """A glyph of a font: what the layer says it is, and its size, which tells glyphs apart."""

    font: str
    text: str
    measures: tuple[int, ...]


class GlyphJudge:
    """Judges the glyphs of a document's pages, each once."""

    def __init__(self) -> None:
        self.known: dict[Glyph, Judgement] = {}
        self.swapped: dict[str, Mapping[str, str]] = {}
        """By font: letters of joined scripts that stand for another, with the one shown."""

    def judge(
        self,
        page: pypdfium2.PdfPage,
        characters: Characters,
        groups: Sequence[Sequence[int]],
        *,
        has_shadows: bool = False,
    ) -> list[Glyph]:
        """The glyph of each group of characters; afterwards all of them are in ``known``."""
        glyphs = _glyphs(characters, groups)
        places: dict[Glyph, list[Sequence[int]]] = {}
        for glyph, group in zip(glyphs, groups, strict=True):
            if glyph not in self.known:
                places.setdefault(glyph, []).append(group)
        if places:
            pictures = Pictures(page, characters, len(places), has_shadows=has_shadows)
            touched = touched_characters(characters)
            outlined = _outlined_fonts(characters)
            for glyph, seen in places.items():
                if glyph.font in outlined and min(glyph.measures[:2]) <= 0:
                    self.known[glyph] = Judgement("no ink")
                    continue
                free = sorted(seen, key=lambda group: bool(touched[group].any()))
                self.known[glyph] = self._look(glyph, free, pictures)
        return glyphs

    def _look(self, glyph: Glyph, places: Sequence[Sequence[int]], pictures: Pictures) -> Judgement:
        """The most favourable of the first places: neighbours and rules may spoil one."""
        best: Judgement | None = None
        for group in places[:TRIES]:
            seen = pictures.shape(group)
            judgement = Judgement("no ink") if seen is None else compare(seen, glyph.text)
            if judgement.look == "right":
                return judgement
            if best is None or _rank(judgement) > _rank(best):
                best = judgement
        assert best is not None
        return best


def _outlined_fonts(characters: Characters) -> set[str]:
    """Fonts of which PDFium knows what their glyphs cover; it may not, of drawn ones (Type 3)."""
    has_box = (characters.boxes[:, 2:] > characters.boxes[:, :2]).all(axis=1)
    return {characters.fonts[place] for place in np.flatnonzero(has_box).tolist()}


def _rank(judgement: Judgement) -> tuple[bool, float]:
    return judgement.look != "no ink", -1.0 if judgement.claim != judgement.claim else (
        judgement.claim
    )


def _glyphs(characters: Characters, groups: Sequence[Sequence[int]]) -> list[Glyph]:
    """The glyph of each group of characters: of one group with its claim, font and measures."""
    if not groups:
        return []
    flat = np.concatenate([np.asarray(group, np.int64) for group in groups])
    starts = np.cumsum([0, *(len(group) for group in groups[:-1])])
    first = flat[starts]
    boxes = characters.boxes[flat]
    low = np.minimum.reduceat(boxes[:, :2], starts)
    high = np.maximum.reduceat(boxes[:, 2:], starts)
    size = np.maximum(characters.sizes[first], 1e-6)
    drop = (low[:, 1] - characters.origins[first, 1]) / size
    sides = (high - low) / size[:, None]
    measures = np.round(np.column_stack([sides, drop]) * STEPS).astype(int).tolist()
    texts, fonts = characters.texts, characters.fonts
    known_values: dict[tuple[str, str, tuple[int, ...]], Glyph] = {}
    glyphs = []
    for group, measure in zip(groups, measures, strict=True):
        text = texts[group[0]] if len(group) == 1 else "".join(texts[place] for place in group)
        key = fonts[group[0]], text, tuple(measure)
        if key not in known_values:
            known_values[key] = Glyph(*key)
        glyphs.append(known_values[key])
    return glyphs


def compare(seen: Shape, text: str) -> Judgement:
    """Judge a shape by the text that the layer claims for it."""
    claimed = shapes_of(text)
    rest, names = specimens_of(block_of(text))
    alike = likeness(seen, rest)
    claim = float(likeness(seen, claimed).max()) if claimed is not None else float("nan")
    different = different_specimens(text)
    if different.any():
        best = int(np.argmax(np.where(different, alike, -9)))
        other, value = names[best], float(alike[best])
    else:
        other, value = "", float("-inf")
    if claimed is None:
        look: Look = "unknown"
        if has_no_shape(text) and value >= LIKE_OTHER:
            look = "wrong"
    elif (claim >= ALIKE and claim >= value - CLEARLY) or (
        claim >= LEAST_ALIKE and claim >= value - NEARLY
    ):
        look = "right"
    elif value - claim > CLEARLY and value >= LIKE_OTHER:
        look = "wrong"
    else:
        look = "unknown"
    accent = other_accent(seen.accent, text) if seen.accent is not None else None
    if accent is not None and (look != "wrong" or accent[0] == other):
        look, (other, value, claim) = "wrong", accent
    return Judgement(look, claim, other, value, None if look == "right" else seen)


def claims_rank(glyphs: Mapping[str, Shape]) -> tuple[float, int] | None:
    """The mean share of other claims that glyphs are as like as their own, and their number.

    ``glyphs`` are shapes by claim. About 0 if the claims are right, in whatever face; about .5 if
    they have nothing to do with the shapes. None with fewer than :data:`FEWEST_CLAIMS` that the
    reference faces have.
    """
    known_values = {text: claimed for text in glyphs if (claimed := shapes_of(text)) is not None}
    if len(known_values) < FEWEST_CLAIMS:
        return None
    alike = np.array(
        [
            [float(likeness(glyphs[text], claimed).max()) for claimed in known_values.values()]
            for text in known_values
        ]
    )
    as_like = (alike >= np.diag(alike)[:, None]).sum(axis=1) - 1
    return float(np.mean(as_like / (len(known_values) - 1))), len(known_values)
