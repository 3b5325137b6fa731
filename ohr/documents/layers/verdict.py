"""Can a text layer be trusted? One verdict for each word, and for each page.

Every claim of the layer is compared with what the page shows: glyphs with reference faces, lines
with what OCR engines read. A word is *right*; *doubtful*, if evidence speaks against one of its
glyphs; or *unknown*, if there is no evidence, as in a decorative font that no engine has read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from ohr.documents.layers.characters import REPLACEMENT
from ohr.documents.layers.glyphs import Glyph, Judgement
from ohr.documents.layers.lines import Line, letter_testimonies, testimonies
from ohr.documents.layers.page import LayerWord, TextLayer
from ohr.documents.layers.read_letters import ReadLetters, State
from ohr.documents.layers.scripts import is_joined, is_malformed, is_mixed, main_script
from ohr.documents.layers.states import glyph_states, is_garbage
from ohr.documents.layers.witnesses import language_data
from ohr.markup.hyphenation import WordForms, join_cut_words
from ohr.types import Holes, Outcome

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
LEAST_TEXT = 0.5
"""Least share of the ink, of text and of marks that look like letters, that must be text."""
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
    unread: dict[int, list[str]] = {}
    for line, texts in zip(lines, readings, strict=True):
        if line.in_doubt and not texts:  # engines are chosen by what the line looks like
            unread.setdefault(line.page, []).append(main_script(line.shown or line.text))
    read = ReadLetters(letter_testimonies(lines, readings, values))
    states = glyph_states(values, testimonies(lines, readings, values), read)
    forms = WordForms.from_texts(value.text for value in values if value is not None)
    return [
        LayerVerdict(fault=layer.detail or "it cannot be read")
        if layer.value is None
        else _verdict(layer.value, states, read, forms, unread.get(number, ()))
        for number, layer in enumerate(layers)
    ]


def _verdict(
    layer: TextLayer,
    states: Mapping[Glyph, State],
    read: ReadLetters,
    forms: WordForms,
    unread: Sequence[str],
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
        or _letters_fault(layer, states, read, doubtful)
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
    if word.incomplete or REPLACEMENT in word.text:
        return True
    strange = is_mixed(word.text) or is_malformed(word.text)
    return strange or any(number in bad for number in word.glyphs)


def _is_sign(word: LayerWord) -> bool:
    """Whether a word is one glyph without a character, such as a bullet."""
    return len(word.text) == 1 and is_garbage(word.text)


def _hidden_fault(layer: TextLayer, characters: int) -> str:
    if layer.hidden <= MOST_HIDDEN:
        return "" if characters else "it has no text"
    if layer.invisible * 2 > layer.hidden:
        return "its text is invisible, as OCR programs lay it over a scan"
    if layer.images > SCANNED_IMAGE:
        return "its text lies under an image"
    return f"{layer.hidden:.0%} of its characters are not drawn"


def _letters_fault(
    layer: TextLayer,
    states: Mapping[Glyph, State],
    read: ReadLetters,
    doubtful: Sequence[LayerWord],
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
        f"{_examples(wrong, read)}"
    )


def _examples(wrong: Sequence[tuple[Glyph, Judgement]], read: ReadLetters) -> str:
    shown: list[str] = []
    for glyph, judgement in wrong:
        if is_joined(glyph.text):
            others = read.others(glyph).items()
            shown += [f"{letter!r} is read as {other!r}" for letter, other in others]
        elif judgement.other:
            shown.append(f"{glyph.text!r} looks like {judgement.other!r}")
    if not shown:
        return f"in the font {font_name(wrong[0][0])}"
    return ", ".join(list(dict.fromkeys(shown))[:_SHOWN]) + f" (font {font_name(wrong[0][0])})"


def font_name(glyph: Glyph) -> str:
    """The name of a glyph's font, without the digest and the mark of a part."""
    name = glyph.font.rpartition("/")[0]
    return name.partition("+")[2] or name or "without a name"


def _missing_fault(layer: TextLayer, characters: int) -> str:
    if layer.images > SCANNED_IMAGE and characters < FEWEST_CHARACTERS and layer.marks:
        return f"only a stamp: an image covers the page, and its text is {characters} characters"
    if layer.covered >= LEAST_TEXT:
        return ""
    stamp = "only a stamp: " if layer.images > SCANNED_IMAGE else ""
    return (
        f"{stamp}the page shows about {layer.marks} letters that it lacks, and it has "
        f"{characters} characters"
    )


def _notes(
    layer: TextLayer, doubtful: Sequence[LayerWord], unknown: int, unread: Sequence[str]
) -> list[str]:
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
        count = f"{len(unread)} line{'s' * (len(unread) > 1)}"
        [(script, _)] = Counter(unread).most_common(1)
        data = language_data(script)
        would = f": Tesseract with its data for '{data}' would help" if data else ""
        notes.append(f"no OCR engine could read {count} in doubt{would}")
    return notes


def _spans(
    text: str, words: Sequence[LayerWord], doubtful: Sequence[LayerWord]
) -> tuple[tuple[int, int], ...]:
    """Where the doubtful words are in the text, in which words at lines' ends are joined."""
    if not doubtful:
        return ()
    wrong_words = set(map(id, doubtful))
    spans: list[tuple[int, int]] = []
    position = 0
    for word in words:
        plain = word.text.replace("\xad", "")
        for form in dict.fromkeys((plain, plain.rstrip("-\u2010\xad\xac\u2e17\u058a"))):
            start = text.find(form, position, position + len(form) + 4) if form else -1
            if start >= 0:
                if id(word) in wrong_words:
                    spans.append((start, start + len(form)))
                position = start + len(form)
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
