"""Can a text layer be trusted? One verdict for each word, and for each page.

Every claim of the layer is compared with what the page shows: glyphs with reference faces, lines
with what OCR engines read. A word is *right*; *doubtful*, if evidence speaks against one of its
glyphs; or *unknown*, if there is no evidence, as in a decorative font that no engine has read.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ohr.documents.layers.characters import REPLACEMENT
from ohr.documents.layers.glyphs import Glyph, Judgement, claims_rank, looks_alike
from ohr.documents.layers.lines import Line, Testimony, testimonies
from ohr.documents.layers.page import LayerWord, TextLayer
from ohr.documents.layers.scripts import is_joined, is_mixed, script_of
from ohr.markup.hyphenation import WordForms, join_cut_words
from ohr.types import Holes, Outcome

State = Literal["right", "wrong", "doubtful", "unknown"]

SURE = 0.92
"""A glyph this much like another character, ..."""
NEAR = 0.04
"""A glyph that something else is like by this much more than the claim should be read again."""
SURELY = 0.2
"""... and this much more than like the claimed one, is wrong although no engine has read it."""
UNLIKE = 0.6
"""A glyph less like the claim than this is wrong if one engine, too, reads another character."""
LIKELY = 0.15
"""A glyph that no engine has read is doubtful if something else is like it by this much more."""
MOST_DOUBTFUL = 0.2
"""Most words of a page, as a share, that may be doubtful."""
FEWEST_KINDS = 4
"""With so many kinds of glyph that are other characters, the font's whole mapping is wrong, ..."""
FEWEST_WORDS = 0.03
"""... if they are in more than this share of the page's words."""
MOST_HIDDEN = 0.5
SCANNED_IMAGE = 0.5
FEWEST_CHARACTERS = 100
"""On a page with an image of more than :data:`SCANNED_IMAGE` of it, fewer are only a stamp."""
LEAST_COVERED = 0.5
"""Least share of the ink, of text and of marks that look like letters, that must be text."""
MATCHED, MISMATCHED = 0.25, 0.36
"""Words of joined letters are right up to the first rank, and wrong from the second on."""
_GARBAGE = frozenset({"Cc", "Cn", "Co", "Cs"})
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class LayerVerdict:
    """What a page's text layer is good for.

    ``text`` is the layer's text with words at lines' ends joined. ``fault`` says why it cannot be
    used; it is empty if it can. ``note`` says what is left out of it, or not known. ``holes`` are
    what is not known of ``text``. ``doubtful`` are the doubtful words, and ``unknown`` is the
    number of words without evidence.
    """

    text: str = ""
    fault: str = ""
    note: str = ""
    holes: Holes = field(default_factory=Holes)
    doubtful: tuple[LayerWord, ...] = ()
    unknown: int = 0
    words: int = 0
    is_hidden: bool = False
    """Whether most of the layer is not drawn, so that ``text`` is only a part of it."""

    @property
    def is_usable(self) -> bool:
        """Whether the layer can be used as truth, apart from its holes."""
        return not self.fault

    @property
    def gap(self) -> str:
        """Why the layer cannot stand for the page: its fault, or ink that it lacks; empty if it
        can."""
        if self.fault or self.holes.is_complete:
            return self.fault
        return f"{1 - self.holes.covered:.0%} of the ink looks like letters that it lacks"

    @property
    def is_whole(self) -> bool:
        """Whether it can stand for the page, and the order of its words is known."""
        return not self.gap and self.holes.order_known

    @property
    def reason(self) -> str:
        """The fault, or what is left out of the layer or not known."""
        return self.fault or self.note


def judge_layers(
    layers: Sequence[Outcome[TextLayer]],
    lines: Sequence[Line] = (),
    readings: Sequence[Mapping[str, str]] = (),
) -> list[LayerVerdict]:
    """The verdict on each page of one document, in order.

    ``lines`` were read again by witnesses, as ``readings`` has it. A layer is refused for one of
    these reasons, in this order:

    - it has no text;
    - more than half of its characters are not drawn: without ink, as in OCR text over a scan, under
      other text or an image, in the paper's colour, clipped, on a layer that is switched off, or
      smaller than a point;
    - more than a fifth of its words are doubtful, or several kinds of its glyphs are other
      characters than it says;
    - an image covers more than half of the page, and the layer has fewer than 100 characters;
    - less than half of the ink of text, and of marks that look like letters, is in it.
    """
    values = [layer.value for layer in layers]
    unread = Counter(
        line.page
        for line, texts in zip(lines, readings, strict=True)
        if line.in_doubt and not texts
    )
    states = glyph_states(values, testimonies(lines, readings, values))
    forms = WordForms.of(value.text for value in values if value is not None)
    return [
        LayerVerdict(fault=layer.detail or "it cannot be read")
        if layer.value is None
        else _verdict(layer.value, states, forms, unread[number])
        for number, layer in enumerate(layers)
    ]


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
) -> dict[Glyph, State]:
    """What is known of each glyph of a document."""
    joined = _joined_fonts(layers)
    strange = _strange_fonts(layers)
    scripts = _font_scripts(layers)
    states: dict[Glyph, State] = {}
    for layer in layers:
        for glyph, judgement in layer.glyphs if layer is not None else ():
            if glyph not in states:
                if is_joined(glyph.text):
                    states[glyph] = joined.get(glyph.font, "unknown")
                else:
                    own = scripts.get(glyph.font, "")
                    states[glyph] = _state(glyph, judgement, testimony.get(glyph, {}), own)
                    if glyph.font in strange and states[glyph] in ("unknown", "doubtful"):
                        states[glyph] = "wrong"
    return states


def _font_scripts(layers: Sequence[TextLayer | None]) -> dict[str, str]:
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


def _strange_fonts(layers: Sequence[TextLayer | None]) -> set[str]:
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
    if _is_garbage(glyph.text):
        return "doubtful"
    if _is_clear(judgement):
        return "right"
    others = {name: item.other for name, item in testimony.items() if item.other}
    confirmed = any(item.confirms for item in testimony.values())
    read = [*others.values(), *(item.variant for item in testimony.values() if item.variant)]
    named = any(looks_alike(other, judgement.other) for other in read)
    agreed = len(others) > 1 and len({other.casefold() for other in others.values()}) == 1
    if judgement.look == "right":
        return "wrong" if (named or agreed) and not confirmed else "right"
    if confirmed and not others:
        return "right"
    often = sum(item.total for item in testimony.values()) > 1
    unlike = judgement.claim < UNLIKE and often
    if not confirmed and read and (len(others) > 1 or named or unlike):
        return "wrong"
    if judgement.look == "wrong" and not confirmed:
        return _by_look(glyph, judgement, script)
    if judgement.look == "no ink" and not _is_faint(glyph.text):
        return "doubtful"
    return "unknown"


def _by_look(glyph: Glyph, judgement: Judgement, script: str) -> State:
    """The state of a glyph that looks wrong and that no engine has read."""
    other = script_of(judgement.other[0])
    if script and other and other != script:
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


def _is_garbage(text: str) -> bool:
    return any(c == REPLACEMENT or unicodedata.category(c) in _GARBAGE for c in text)


def _is_faint(text: str) -> bool:
    """Whether a character has little ink, or none: signs, and marks on letters."""
    return not any(character.isalnum() for character in text)


def _verdict(
    layer: TextLayer, states: Mapping[Glyph, State], forms: WordForms, unread: int
) -> LayerVerdict:
    of_glyphs = [states[glyph] for glyph, _ in layer.glyphs]
    bad = {number for number, state in enumerate(of_glyphs) if state in ("wrong", "doubtful")}
    blank = {number for number, state in enumerate(of_glyphs) if state == "unknown"}
    doubtful = [word for word in layer.words if _is_doubtful(word, bad)]
    unknown = sum(
        _is_sign(word) or (not blank.isdisjoint(word.glyphs) and not _is_doubtful(word, bad))
        for word in layer.words
    )
    text = join_cut_words(layer.text, forms)
    count = sum(not character.isspace() for character in text)
    fault = (
        _hidden_fault(layer, count)
        or _letters_fault(layer, states, doubtful)
        or _missing_fault(layer, count)
    )
    holes = Holes(_spans(text, layer.words, doubtful), layer.order_known, layer.covered)
    note = "" if fault else "; ".join(_notes(layer, doubtful, unknown, unread))
    words = len(layer.words)
    is_hidden = layer.hidden > MOST_HIDDEN
    return LayerVerdict(text, fault, note, holes, tuple(doubtful), unknown, words, is_hidden)


def _is_doubtful(word: LayerWord, bad: Collection[int]) -> bool:
    if _is_sign(word):
        return False
    return word.incomplete or is_mixed(word.text) or any(number in bad for number in word.glyphs)


def _is_sign(word: LayerWord) -> bool:
    """Whether a word is one glyph without a character, such as a bullet."""
    return len(word.text) == 1 and _is_garbage(word.text)


def _hidden_fault(layer: TextLayer, characters: int) -> str:
    if layer.hidden <= MOST_HIDDEN:
        return "" if characters else "it has no text"
    if layer.invisible * 2 > layer.hidden:
        return "its text is invisible, as OCR programs lay it over a scan"
    if layer.images > SCANNED_IMAGE:
        return "its text lies under an image"
    return f"{layer.hidden:.0%} of its characters are not drawn"


def _letters_fault(
    layer: TextLayer, states: Mapping[Glyph, State], doubtful: Sequence[LayerWord]
) -> str:
    words = max(1, len(layer.words))
    wrong = [pair for pair in layer.glyphs if states[pair[0]] == "wrong"]
    numbers = {n for n, (glyph, _) in enumerate(layer.glyphs) if states[glyph] == "wrong"}
    in_words = sum(not numbers.isdisjoint(word.glyphs) for word in layer.words)
    kinds = {glyph.text for glyph, _ in wrong}
    is_mapping = len(kinds) >= FEWEST_KINDS and in_words > FEWEST_WORDS * words
    signs = sum(map(_is_sign, layer.words))
    if len(doubtful) + signs <= MOST_DOUBTFUL * words and not is_mapping:
        return ""
    if not wrong:
        share = (len(doubtful) + signs) / words
        return f"{share:.0%} of its words have glyphs that it has no character for"
    return (
        f"its letters are not those that the page shows, in {in_words / words:.0%} of its words: "
        f"{_examples(wrong)}"
    )


def _examples(wrong: Sequence[tuple[Glyph, Judgement]]) -> str:
    shown = [
        f"{glyph.text!r} looks like {judgement.other!r}"
        for glyph, judgement in wrong
        if judgement.other
    ]
    if not shown:
        return f"in the font {font_name(wrong[0][0])}"
    return ", ".join(dict.fromkeys(shown[:_SHOWN])) + f" (font {font_name(wrong[0][0])})"


def font_name(glyph: Glyph) -> str:
    """The name of a glyph's font, without the digest and the mark of a part."""
    name = glyph.font.rpartition("/")[0]
    return name.partition("+")[2] or name or "without a name"


def _missing_fault(layer: TextLayer, characters: int) -> str:
    if layer.images > SCANNED_IMAGE and characters < FEWEST_CHARACTERS and layer.marks:
        return f"only a stamp: an image covers the page, and its text is {characters} characters"
    if layer.covered >= LEAST_COVERED:
        return ""
    stamp = "only a stamp: " if layer.images > SCANNED_IMAGE else ""
    return (
        f"{stamp}the page shows about {layer.marks} letters that it lacks, and it has "
        f"{characters} characters"
    )


def _notes(layer: TextLayer, doubtful: Sequence[LayerWord], unknown: int, unread: int) -> list[str]:
    notes = []
    if layer.hidden:
        notes.append(f"{layer.hidden:.1%} of its characters are not drawn, and are left out")
    if layer.covered < 1:
        share = 1 - layer.covered
        if share >= 0.001:
            notes.append(f"{share:.1%} of the ink looks like letters that it lacks")
    if not layer.order_known:
        notes.append("the order of its words is not known")
    if doubtful:
        shown = Counter(word.text for word in doubtful).most_common(_SHOWN)
        words = ", ".join(repr(text) for text, _ in shown)
        notes.append(f"{len(doubtful)} of {len(layer.words)} words are doubtful, such as {words}")
    if unknown:
        notes.append(f"{unknown} of {len(layer.words)} words could not be checked")
    if unread and (doubtful or unknown):
        notes.append(f"no OCR engine could read {unread} line{'s' * (unread > 1)} in doubt")
    return notes


def _spans(
    text: str, words: Sequence[LayerWord], doubtful: Sequence[LayerWord]
) -> tuple[tuple[int, int], ...]:
    """Where the doubtful words are in the text, in which words at lines' ends are joined."""
    if not doubtful:
        return ()
    wrong_words = set(map(id, doubtful))
    spans: list[tuple[int, int]] = []
    at = 0
    for word in words:
        plain = word.text.replace("\xad", "")
        for form in dict.fromkeys((plain, plain.rstrip("-\u2010\xad\xac\u2e17\u058a"))):
            start = text.find(form, at, at + len(form) + 4) if form else -1
            if start >= 0:
                if id(word) in wrong_words:
                    spans.append((start, start + len(form)))
                at = start + len(form)
                break
    return tuple(_merged(spans))


def _merged(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged
