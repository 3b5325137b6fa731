"""What is known of each glyph of a document, by its looks and by what engines read."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence

from ohr.documents.layers.characters import REPLACEMENT
from ohr.documents.layers.font_evidence import (
    MISMATCHED,
    font_scripts,
    lossy_fonts,
    mistaken_glyphs,
    strange_fonts,
)
from ohr.documents.layers.glyphs import Glyph, Judgement
from ohr.documents.layers.lines import Testimony
from ohr.documents.layers.page import TextLayer
from ohr.documents.layers.read_letters import ReadLetters, State
from ohr.documents.layers.scripts import is_joined, script_of
from ohr.documents.layers.specimens import is_accented, looks_alike, same_shapes

NEAR = 0.04
"""A glyph that something else is like by this much more than the claim should be read again."""
SURE = 0.92
"""A glyph this much like another character, ..."""
SURELY = 0.2
"""... and this much more than like the claimed one, is wrong although no engine has read it."""
UNLIKE = 0.6
"""A glyph less like the claim than this is wrong if one engine, too, reads another character."""
FEWEST_AGAINST = 3
"""Fewest glyphs of a font, beyond those that engines confirm, that are wrong or misread."""
LIKELY = 0.15
"""A glyph that no engine has read is doubtful if something else is like it by this much more."""
MATCHED = 0.25
"""Words of joined letters are right up to this rank, and wrong from :data:`MISMATCHED` on."""
_GARBAGE = frozenset({"Cc", "Cn", "Co", "Cs"})


def suspects(layers: Sequence[TextLayer | None]) -> set[Glyph]:
    """The glyphs that are not like what the layer says, or not known to be."""
    return {
        glyph
        for layer in layers
        if layer is not None
        for glyph, judgement in layer.glyphs
        if not is_joined(glyph.text) and not _is_clear(judgement)
    }


def _is_clear(judgement: Judgement) -> bool:
    """Whether a glyph is right, and nothing else is nearly as like it."""
    if judgement.look != "right":
        return False
    return not judgement.likeness > judgement.claim + NEAR


def glyph_states(
    layers: Sequence[TextLayer | None],
    testimony: Mapping[Glyph, Mapping[str, Testimony]],
    read: ReadLetters | None = None,
) -> dict[Glyph, State]:
    """What is known of each glyph of a document; ``read`` are its letters in joined scripts."""
    joined = _joined_fonts(layers)
    read = read or ReadLetters({})
    lossy = lossy_fonts(layers)
    swapped = {
        font: frozenset(own)
        for layer in layers
        if layer is not None
        for font, own in layer.swapped.items()
    }
    strange = strange_fonts(layers)
    scripts = font_scripts(layers)
    mistaken = mistaken_glyphs(layers)
    states: dict[Glyph, State] = {}
    for layer in layers:
        for glyph, judgement in layer.glyphs if layer is not None else ():
            if glyph not in states:
                if is_joined(glyph.text):
                    pictured = joined.get(glyph.font, "unknown")
                    states[glyph] = read.state(glyph, testimony.get(glyph, {})) or pictured
                    if not swapped.get(glyph.font, frozenset()).isdisjoint(glyph.text):
                        states[glyph] = "wrong"
                    elif glyph.font in lossy and states[glyph] != "wrong":
                        states[glyph] = "doubtful"
                else:
                    own = scripts.get(glyph.font, "")
                    states[glyph] = _state(glyph, judgement, testimony.get(glyph, {}), own)
                    if glyph in mistaken and not _is_confirmed(glyph, judgement, testimony):
                        states[glyph] = "wrong"
                    if glyph.font in strange and states[glyph] in ("unknown", "doubtful"):
                        states[glyph] = "wrong"
    return states | dict.fromkeys(_misread(layers, testimony, states), "doubtful")


def _misread(
    layers: Sequence[TextLayer | None],
    testimony: Mapping[Glyph, Mapping[str, Testimony]],
    states: Mapping[Glyph, State],
) -> set[Glyph]:
    """Unknown glyphs unlike their claims, in whose place engines read another character.

    One alone may be a misreading in a decorative font. Several are not, with the wrong glyphs of
    the font, if they are more than those that engines confirm.
    """
    judged = {pair[0]: pair[1] for layer in layers if layer is not None for pair in layer.glyphs}
    misread: dict[str, set[Glyph]] = {}
    against = Counter[str]()
    for glyph, judgement in judged.items():
        testimonies = testimony.get(glyph, {}).values()
        if any(item.confirms for item in testimonies):
            against[glyph.font] -= 1
        elif states[glyph] == "wrong":
            against[glyph.font] += 1
        elif (
            states[glyph] == "unknown"
            and judgement.claim < UNLIKE
            and testimonies
            and all(item.other for item in testimonies)
        ):
            against[glyph.font] += 1
            misread.setdefault(glyph.font, set()).add(glyph)
    return {
        glyph
        for font, glyphs in misread.items()
        if against[font] >= FEWEST_AGAINST
        for glyph in glyphs
    }


def _joined_fonts(layers: Sequence[TextLayer | None]) -> dict[str, State]:
    """The state of fonts in scripts of joined letters, by how their words match on all pages."""
    sums: dict[str, list[float]] = {}
    for layer in layers:
        for font, (rank, count) in layer.joined.items() if layer is not None else ():
            total = sums.setdefault(font, [0.0, 0.0])
            total[0] += rank * count
            total[1] += count
    states: dict[str, State] = {}
    for font, (ranks, words) in sums.items():
        mean = ranks / words
        states[font] = "right" if mean <= MATCHED else "wrong" if mean >= MISMATCHED else "unknown"
    return states


def _state(
    glyph: Glyph, judgement: Judgement, testimony: Mapping[str, Testimony], script: str
) -> State:
    """The state of a glyph of a font, most of whose right glyphs are of a ``script``, if any."""
    if is_garbage(glyph.text):
        return "doubtful"
    if _is_clear(judgement):
        return "right"
    rest = {name: item.other for name, item in testimony.items() if item.other}
    confirmed = any(item.confirms for item in testimony.values())
    if judgement.look == "wrong" and is_accented(judgement.other, glyph.text):
        confirmed = False  # engines leave accents out
    read = [*rest.values(), *(item.variant for item in testimony.values() if item.variant)]
    named = any(looks_alike(other, judgement.other) for other in read)
    agreed = len(rest) > 1 and len({other.casefold() for other in rest.values()}) == 1
    if judgement.look == "right":
        return "wrong" if (named or agreed) and not confirmed else "right"
    if confirmed and not rest:
        return "right"
    often = sum(item.total for item in testimony.values()) > 1
    is_absent = often and all(item.is_absent for item in testimony.values())
    if is_absent and not _is_faint(glyph.text):
        return "wrong"
    unlike = judgement.claim < UNLIKE and often
    if not confirmed and read and (len(rest) > 1 or named or unlike):
        return "wrong"
    if judgement.look == "wrong" and not confirmed:
        state = _judge_look(glyph, judgement, script)
        is_unlike = judgement.likeness - judgement.claim > LIKELY
        return "doubtful" if state == "unknown" and is_unlike and rest else state
    if judgement.look == "no ink" and not _is_faint(glyph.text):
        return "doubtful"
    return "unknown"


def _is_confirmed(
    glyph: Glyph, judgement: Judgement, testimony: Mapping[Glyph, Mapping[str, Testimony]]
) -> bool:
    """Whether engines read what the layer says, against what other glyphs of the font say.

    One is enough for a glyph that also looks like its claim. Else all must, and two: an engine
    cannot write all letters, and leaves out accents.
    """
    confirming = [item.confirms for item in testimony.get(glyph, {}).values()]
    if judgement.look == "right":
        return any(confirming) and not is_accented(judgement.other, glyph.text)
    return len(confirming) > 1 and all(confirming)


def _judge_look(glyph: Glyph, judgement: Judgement, script: str) -> State:
    """The state of a glyph that looks wrong and that no engine has read."""
    letters = glyph.text.isalpha()  # a digit or sign may be like a letter that looks like another
    others = (judgement.other,) if letters else same_shapes(judgement.other)
    scripts = {script_of(text[0]) for text in others}
    if script and scripts.isdisjoint(("", script)):
        return "unknown"  # a letter of a script that the font has nothing else of
    if judgement.claim > judgement.likeness - SURELY:
        if judgement.claim > judgement.likeness - LIKELY:
            return "unknown"
        return "doubtful" if _same_script(glyph.text, judgement.other) else "unknown"
    return "wrong" if judgement.likeness >= SURE else "doubtful"


def _same_script(first: str, second: str) -> bool:
    """Whether two glyphs may be of one script; signs and digits are of any."""
    scripts = {script for text in (first, second) for c in text if (script := script_of(c))}
    return len(scripts) < 2


def is_garbage(text: str) -> bool:
    """Whether a glyph has no character, or one without a meaning of its own."""
    return any(c == REPLACEMENT or unicodedata.category(c) in _GARBAGE for c in text)


def _is_faint(text: str) -> bool:
    """Whether a character has little ink, or none: signs, and marks on letters."""
    return not any(character.isalnum() for character in text)
