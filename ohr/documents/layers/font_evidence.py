"""What the glyphs of one font say about each other.

A glyph alone may be like several characters. The others of its font tell more: in which script it
writes, whether another glyph is the character that this one is said to be, and whether two glyphs
have changed places.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from ohr.documents.layers.characters import REPLACEMENT
from ohr.documents.layers.glyphs import STEPS, Glyph, Judgement, claims_rank
from ohr.documents.layers.page import TextLayer
from ohr.documents.layers.scripts import is_joined, script_of
from ohr.documents.layers.shapes import likeness
from ohr.documents.layers.specimens import shapes_of

MISMATCHED = 0.36
"""Claims of a font are wrong from this rank on: glyphs are as like others as by chance."""
OTHER_SIZE = 1.2
"""Two glyphs of one claim are no forms of one character if a side differs by this factor, ..."""
LIKE_OTHER = 0.9
"""... and one is at least this much like another character, and no less than like its claim, ..."""
NEARLY_LIKE, CLEARER = 0.75, 0.08
"""... or, if it is not right by itself, this much, and by so much more than like its claim."""
FEWEST_LACKING = 3
"""Fewest different words in which a glyph without a character makes a font of joined letters
doubtful."""
SAME_PICTURE = 0.95
"""Pictures this much alike, whatever their size, are one letter."""
SMALL_CAPITAL = 0.88
"""Small capitals are lower than this share of capitals."""
EXCHANGED = 0.2
"""A glyph has the place of another if it is more like that one's claim by this much."""
LEAST_LIKE = 0.45
"""... and at least this much like it."""


def font_scripts(layers: Sequence[TextLayer | None]) -> dict[str, str]:
    """The script of most glyphs of a font that are right, if at least half of its glyphs are."""
    right: dict[str, Counter[str]] = {}
    kinds: Counter[str] = Counter()
    for layer in layers:
        for glyph, judgement in layer.glyphs if layer is not None else ():
            kinds[glyph.font] += 1
            if judgement.look == "right":
                right.setdefault(glyph.font, Counter())[script_of(glyph.text[0])] += 1
    scripts = {}
    for font, counts in right.items():
        letters = {script: count for script, count in counts.items() if script}
        if letters and 2 * sum(counts.values()) >= kinds[font]:
            scripts[font] = max(letters, key=lambda script: letters[script])
    return scripts


def lossy_fonts(layers: Sequence[TextLayer | None]) -> set[str]:
    """Fonts of joined letters of which a glyph of several words has no character.

    A letter that a font has lost is lost in its syllables too, where nothing shows it.
    """
    lacking: dict[Glyph, set[str]] = {}
    for layer in layers:
        for word in layer.words if layer is not None else ():
            if layer is not None and REPLACEMENT in word.text and is_joined(word.text):
                for number in word.glyphs:
                    glyph, _ = layer.glyphs[number]
                    if glyph.text == REPLACEMENT:
                        lacking.setdefault(glyph, set()).add(word.text)
    return {glyph.font for glyph, words in lacking.items() if len(words) >= FEWEST_LACKING}


def strange_fonts(layers: Sequence[TextLayer | None]) -> set[str]:
    """Fonts most of whose glyphs are not like what the layer says, and no more than by chance.

    A decorative font's letters are like no reference, but more like their own than like others.
    """
    kinds: dict[str, dict[str, Judgement]] = {}
    for layer in layers:
        for glyph, judgement in layer.glyphs if layer is not None else ():
            if not is_joined(glyph.text):
                kinds.setdefault(glyph.font, {}).setdefault(glyph.text, judgement)
    strange = set()
    for font, own in kinds.items():
        shapes = {text: item.seen for text, item in own.items() if item.seen is not None}
        if 2 * len(shapes) <= len(own):
            continue
        rank = claims_rank(shapes)
        if rank is not None and rank[0] >= MISMATCHED:
            strange.add(font)
    return strange


def mistaken_glyphs(layers: Sequence[TextLayer | None]) -> set[Glyph]:
    """Glyphs that are not what the layer says, by the other glyphs of their fonts."""
    fonts: dict[str, dict[Glyph, Judgement]] = {}
    for layer in layers:
        for glyph, judgement in layer.glyphs if layer is not None else ():
            if not is_joined(glyph.text):
                fonts.setdefault(glyph.font, {}).setdefault(glyph, judgement)
    mistaken: set[Glyph] = set()
    for own in fonts.values():
        mistaken |= _claimed_twice(own) | _exchanged(own)
    return mistaken


def _claimed_twice(own: dict[Glyph, Judgement]) -> set[Glyph]:
    """Glyphs whose claim another glyph of the font fits, and that are like something else.

    So a capital that is said to be a small letter, a letter without its accent, and a ligature of
    which one letter is left.
    """
    by_claim: dict[str, list[Glyph]] = {}
    for glyph in own:
        by_claim.setdefault(glyph.text, []).append(glyph)
    mistaken = set()
    for glyphs in by_claim.values():
        best = max(glyphs, key=lambda glyph: np.nan_to_num(own[glyph].claim, nan=-1.0))
        if own[best].look != "right":
            continue
        for glyph in glyphs:
            judgement = own[glyph]
            is_other = judgement.likeness >= max(judgement.claim, LIKE_OTHER)
            if judgement.look != "right":
                is_other |= judgement.likeness >= max(judgement.claim + CLEARER, NEARLY_LIKE)
            if glyph is best or not is_other or not _differ(glyph, best):
                continue
            if not _is_small_capital(glyph, judgement.other):
                mistaken.add(glyph)
    return mistaken


def _differ(first: Glyph, second: Glyph) -> bool:
    """Whether one of two glyphs is much wider or higher."""
    sides = np.maximum(np.array([first.measures[:2], second.measures[:2]], float), 1)
    return bool((sides.max(axis=0) / sides.min(axis=0)).max() >= OTHER_SIZE)


def _is_small_capital(glyph: Glyph, other: str) -> bool:
    """Whether a glyph is a small capital of its claim, which another script has as a letter."""
    capitals, others = shapes_of(glyph.text.upper()), shapes_of(other)
    if not glyph.text.islower() or capitals is None or others is None:
        return False
    if (capitals.pictures @ others.pictures.T).max() < SAME_PICTURE:
        return False
    height = float(np.median(capitals.edges[:, 0] - capitals.edges[:, 1]))
    return glyph.measures[1] / STEPS < SMALL_CAPITAL * height


def _exchanged(own: dict[Glyph, Judgement]) -> set[Glyph]:
    """Glyphs that are each like the claim of the next, round in a circle."""
    glyphs = [glyph for glyph, judgement in own.items() if judgement.seen is not None]
    claims = {glyph.text: shapes for glyph in glyphs if (shapes := shapes_of(glyph.text))}
    edges: dict[str, str] = {}
    members: dict[str, set[Glyph]] = {}
    for glyph in glyphs:
        seen = own[glyph].seen
        if glyph.text not in claims or seen is None:
            continue
        alike = {text: float(likeness(seen, shapes).max()) for text, shapes in claims.items()}
        best = max(alike, key=lambda text: alike[text])
        if alike[best] >= max(LEAST_LIKE, alike[glyph.text] + EXCHANGED):
            edges[glyph.text] = best
            members.setdefault(glyph.text, set()).add(glyph)
    mistaken: set[Glyph] = set()
    for start in edges:
        text, steps = edges[start], 1
        while text != start and text in edges and steps <= len(edges):
            text, steps = edges[text], steps + 1
        if text == start:
            mistaken |= members[start]
    return mistaken
