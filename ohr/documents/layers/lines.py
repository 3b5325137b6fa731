"""Which lines of a document its witnesses should read, and what their output says of its glyphs."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from rapidfuzz.distance import Levenshtein, Opcode

from ohr.documents.layers.glyphs import Glyph
from ohr.documents.layers.page import LayerWord, TextLayer
from ohr.documents.layers.scripts import is_joined, is_right_to_left
from ohr.documents.layers.specimens import looks_alike
from ohr.documents.layers.witnesses import Box

MOST_OF_SUSPECTS = 30
"""Most lines of a document that are read because of doubtful or unknown glyphs."""
MOST_OF_OTHERS = 12
"""Most lines that are read for the other fonts."""
OF_A_SUSPECT = 2
OF_A_FONT = 2
MOST_OF_JOINED, OF_A_LETTER = 16, 5
"""Most lines in scripts of joined letters, and how often they should have each letter."""
FEWEST_CHARACTERS = 100
"""Fonts with fewer characters are read only if a glyph is doubtful."""
LENGTHS = (12, 100)
"""Lines of so many characters are read best."""
_URGENCY = ("wrong", "no ink", "unknown", "right")
"""Looks of glyphs in the order in which they are read again."""
LEAST_ALIKE = 0.25
"""Output that shares less than this of the line's characters, in places, is of no use if its
length differs too: the witness has not read the line."""
MOST_LONGER = 0.3
_FORMATS_WITH_INK = frozenset(
    "\xad\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
)
"""Of category Cf: a soft hyphen, which a layer may draw, and signs that stand around or before
others (Prepended_Concatenation_Mark of Unicode 15), such as the end of a verse."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a document's layer. ``page`` is the index of its page among those checked."""

    page: int
    box: Box
    words: tuple[LayerWord, ...]
    shown: str = ""
    """What its glyphs look like, where that is not what the layer says."""
    in_doubt: bool = False
    """Whether it is read because of a glyph that is not clearly what the layer says."""

    @property
    def text(self) -> str:
        """The layer's words, with blanks between them."""
        return " ".join(word.text for word in self.words)


@dataclass(frozen=True, slots=True)
class Claim:
    """A character that the layer has, and the glyph that it stands for."""

    glyph: Glyph
    character: str


@dataclass
class Testimony:
    """What a witness reads where the layer claims a glyph."""

    same: int = 0
    others: Counter[str] = field(default_factory=Counter)
    variants: Counter[str] = field(default_factory=Counter)
    """Characters that differ in case or accents only, which engines often confuse."""
    missing: int = 0
    """How often it reads nothing in its place."""
    longer: int = 0
    """How often it reads the glyph and something more beside it."""

    def add(self, character: str, read: str | None) -> None:
        """Count what was read where the layer has a character; None: more beside it."""
        if read is None:
            self.longer += 1
        elif not read:
            self.missing += 1
        elif read == character or looks_alike(character, read):
            self.same += 1
        elif _is_variant(character, read):
            self.variants[read] += 1
        else:
            self.others[read] += 1

    @property
    def total(self) -> int:
        """How often the glyph was read."""
        read = sum(self.others.values()) + sum(self.variants.values())
        return self.same + read + self.missing

    @property
    def confirms(self) -> bool:
        """Whether it mostly reads what the layer says, and no more."""
        return 2 * (self.same - self.longer) > self.total

    @property
    def is_absent(self) -> bool:
        """Whether it nearly always reads nothing in the glyph's place."""
        return self.missing * 10 >= 7 * self.total > 0

    @property
    def other(self) -> str:
        """The one other character that it reads in its place nearly always; empty if none."""
        return self._nearly_always(self.others)

    @property
    def variant(self) -> str:
        """The one variant that it reads in its place nearly always; empty if none."""
        return self._nearly_always(self.variants)

    def _nearly_always(self, counts: Counter[str]) -> str:
        if not counts:
            return ""
        [(other, count)] = counts.most_common(1)
        return other if count * 10 >= 7 * self.total else ""


def lines_of(layer: TextLayer, page: int) -> list[Line]:
    """The lines of a page, in reading order."""
    by_line: dict[int, list[LayerWord]] = {}
    for word in layer.words:
        by_line.setdefault(word.line, []).append(word)
    lines = []
    for words in by_line.values():
        boxes = [word.box for word in words]
        left_edge, top = min(box[0] for box in boxes), min(box[1] for box in boxes)
        right, bottom = max(box[2] for box in boxes), max(box[3] for box in boxes)
        glyphs = [layer.glyphs[number] for word in words for number in word.glyphs]
        shown = "".join(
            judgement.other if judgement.look == "wrong" else glyph.text
            for glyph, judgement in glyphs
        )
        lines.append(Line(page, (left_edge, top, right, bottom), tuple(words), shown))
    return lines


def choose_lines(
    layers: Sequence[TextLayer | None], suspects: Collection[Glyph], *, only_suspects: bool
) -> list[Line]:
    """The lines to read: some with each suspect, and some of one page in each other font."""
    by_glyph: dict[Glyph, list[tuple[int, Line]]] = {}
    by_font: dict[str, list[tuple[int, Line]]] = {}
    characters: Counter[str] = Counter()
    for page, layer in enumerate(layers):
        if layer is None:
            continue
        suspicious = {number for number, (glyph, _) in enumerate(layer.glyphs) if glyph in suspects}
        for line in lines_of(layer, page):
            numbers = Counter(number for word in line.words for number in word.glyphs)
            badness = abs(min(max(len(line.text), LENGTHS[0]), LENGTHS[1]) - len(line.text))
            for number in numbers.keys() & suspicious:
                by_glyph.setdefault(layer.glyphs[number][0], []).append((badness, line))
            fonts = Counter[str]()
            for number, count in numbers.items():
                fonts[layer.glyphs[number][0].font] += count
            if not fonts:
                continue
            font, count = fonts.most_common(1)[0]
            characters.update(fonts)
            if count * 10 >= 8 * sum(fonts.values()):
                by_font.setdefault(font, []).append((badness, line))
    chosen: dict[tuple[int, Box], Line] = {}
    looks = {
        glyph: judgement.look
        for layer in layers
        if layer is not None
        for glyph, judgement in layer.glyphs
    }

    def urgency(glyph: Glyph) -> tuple[int, int, str]:
        return _URGENCY.index(looks[glyph]), -len(by_glyph[glyph]), glyph.text

    for glyph in sorted(by_glyph, key=urgency):
        ranked = sorted(by_glyph[glyph], key=lambda pair: (pair[0], pair[1].page))
        for _, line in ranked[:OF_A_SUSPECT]:
            if len(chosen) < MOST_OF_SUSPECTS:
                chosen.setdefault((line.page, line.box), replace(line, in_doubt=True))
    if only_suspects:
        return _sort_by_place(chosen.values())
    read = {font_of(line, layers) for line in chosen.values()}
    most = len(chosen) + MOST_OF_OTHERS
    for font, count in characters.most_common():
        if font in read or count < FEWEST_CHARACTERS or font not in by_font:
            continue
        ranked = sorted(by_font[font], key=lambda pair: (pair[0], -len(pair[1].text)))
        page = ranked[0][1].page
        for _, line in [pair for pair in ranked if pair[1].page == page][:OF_A_FONT]:
            if len(chosen) < most:
                chosen.setdefault((line.page, line.box), line)
    for line in _joined_lines([(font, line) for font, own in by_font.items() for _, line in own]):
        chosen[line.page, line.box] = replace(line, in_doubt=True)
    return _sort_by_place(chosen.values())


def _joined_lines(lines: Sequence[tuple[str, Line]]) -> list[Line]:
    """Some lines in scripts of joined letters, which have each letter several times if they can.

    ``lines`` come with their font. Its glyphs are not compared with letters, so what they say is
    known only if they are read.
    """
    chosen: list[Line] = []
    counts = Counter[tuple[str, str]]()

    def rank(pair: tuple[str, Line]) -> tuple[int, int, Box]:
        _, line = pair
        return -len(set(line.text)), line.page, line.box

    for font, line in sorted(lines, key=rank):
        letters = [(font, character) for character in line.text if is_joined(character)]
        if len(chosen) < MOST_OF_JOINED and any(counts[each] < OF_A_LETTER for each in letters):
            chosen.append(line)
            counts.update(letters)
    return chosen


def _sort_by_place(lines: Iterable[Line]) -> list[Line]:
    return sorted(lines, key=lambda line: (line.page, line.box[1], line.box[0]))


def font_of(line: Line, layers: Sequence[TextLayer | None]) -> str:
    """The font of most glyphs of a line."""
    layer = layers[line.page]
    assert layer is not None
    fonts = Counter(layer.glyphs[number][0].font for word in line.words for number in word.glyphs)
    return fonts.most_common(1)[0][0]


def testimonies(
    lines: Sequence[Line],
    readings: Sequence[Mapping[str, str]],
    layers: Sequence[TextLayer | None],
) -> dict[Glyph, dict[str, Testimony]]:
    """What each witness says of each glyph in the lines that it has read."""
    result: dict[Glyph, dict[str, Testimony]] = {}
    for witness, claim, read in _all_read(lines, readings, layers):
        testimony = result.setdefault(claim.glyph, {}).setdefault(witness, Testimony())
        testimony.add(claim.character, read)
    return result


def letter_testimonies(
    lines: Sequence[Line],
    readings: Sequence[Mapping[str, str]],
    layers: Sequence[TextLayer | None],
) -> dict[tuple[str, str], dict[str, Testimony]]:
    """What each witness says of the letters of a font in scripts of joined letters.

    A letter has many glyphs there, most of which are rare.
    """
    result: dict[tuple[str, str], dict[str, Testimony]] = {}
    for witness, claim, read in _all_read(lines, readings, layers):
        if is_joined(claim.character):
            letter = claim.glyph.font, claim.character
            testimony = result.setdefault(letter, {}).setdefault(witness, Testimony())
            testimony.add(claim.character, read)
    return result


def _all_read(
    lines: Sequence[Line],
    readings: Sequence[Mapping[str, str]],
    layers: Sequence[TextLayer | None],
) -> Iterator[tuple[str, Claim, str | None]]:
    """The witness, the claim, and what it reads there; None: the claim, and more beside it."""
    for line, reading in zip(lines, readings, strict=True):
        lefts = [word.box[0] for word in line.words]
        is_mirrored = any(after < before for before, after in pairwise(lefts))
        if is_mirrored and not is_right_to_left(line.text):
            continue  # engines write another order
        layer = layers[line.page]
        assert layer is not None
        words = [
            [
                Claim(layer.glyphs[number][0], character)
                for number in word.glyphs
                for character in layer.glyphs[number][0].text
                if not _is_empty(character)
            ]
            for word in line.words
        ]
        for witness, text in reading.items():
            read_words = [
                "".join(character for character in word if not _is_empty(character))
                for word in text.split()
            ]
            for claim, read in _compare(words, read_words):
                yield witness, claim, read


def _is_empty(character: str) -> bool:
    """Whether a character has no ink: white space, joiners, marks of direction."""
    is_joiner = unicodedata.category(character) == "Cf" and character not in _FORMATS_WITH_INK
    return is_joiner or character.isspace()


def _opcodes(claimed: Sequence[str], read: Sequence[str]) -> Iterable[Opcode]:
    """How two lines are aligned: place by place, if their words are as long as each other's or no
    other way has fewer differences."""
    first, second = "".join(claimed), "".join(read)
    if len(first) == len(second):
        differing = sum(claim != other for claim, other in zip(first, second, strict=True))
        has_places = list(map(len, claimed)) == list(map(len, read))
        if has_places or differing == Levenshtein.distance(first, second):
            return [
                Opcode("equal" if claim == other else "replace", n, n + 1, n, n + 1)
                for n, (claim, other) in enumerate(zip(first, second, strict=True))
            ]
    return Levenshtein.opcodes(first, second)


def _is_variant(first: str, second: str) -> bool:
    """Whether two characters differ in case or accents only."""
    return _bare(first) == _bare(second)


def _bare(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text).casefold()
    return "".join(c for c in folded if not unicodedata.combining(c))


def _compare(
    claimed: Sequence[Sequence[Claim]], read: Sequence[str]
) -> Iterator[tuple[Claim, str | None]]:
    """Each claim of some words with what was read in its place; with None, where more was read
    beside it."""
    claims = [claim for word in claimed for claim in word]
    words = ["".join(claim.character for claim in word) for word in claimed]
    own, text = "".join(words), "".join(read)
    if not own or not text:
        return
    alike = Levenshtein.normalized_similarity(own.casefold(), text.casefold())
    if alike < LEAST_ALIKE and abs(len(text) - len(own)) > MOST_LONGER * len(own):
        return
    for code in _opcodes(words, read):
        if code.tag == "insert":
            for place in (code.src_start - 1, code.src_start):
                if 0 <= place < len(claims):
                    yield claims[place], None
        as_long = code.dest_end - code.dest_start == code.src_end - code.src_start
        for place in range(code.src_start, code.src_end):
            if code.tag == "equal":
                yield claims[place], claims[place].character
            elif code.tag == "delete":
                yield claims[place], ""
            elif code.tag == "replace" and as_long:
                yield claims[place], text[code.dest_start + place - code.src_start]
