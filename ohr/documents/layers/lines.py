"""Which lines of a document its witnesses should read, and what their output says of its glyphs."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from rapidfuzz.distance import Levenshtein, Opcode

from ohr.documents.layers.glyphs import Glyph
from ohr.documents.layers.page import LayerWord, TextLayer
from ohr.documents.layers.specimens import looks_alike
from ohr.documents.layers.witnesses import Box

MOST_OF_SUSPECTS = 30
"""Most lines of a document that are read because of doubtful or unknown glyphs."""
MOST_OF_OTHERS = 12
"""Most lines that are read for the other fonts."""
OF_A_SUSPECT = 2
OF_A_FONT = 2
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
    return _sort_by_place(chosen.values())


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
    for line, reading in zip(lines, readings, strict=True):
        lefts = [word.box[0] for word in line.words]
        if any(after < before for before, after in pairwise(lefts)):
            continue  # from right to left, where engines write another order
        layer = layers[line.page]
        assert layer is not None
        claims = [
            (layer.glyphs[number][0], character)
            for word in line.words
            for number in word.glyphs
            for character in layer.glyphs[number][0].text
            if not character.isspace()
        ]
        for witness, text in reading.items():
            _compare(claims, "".join(text.split()), witness, result)
    return result


def _opcodes(claimed: str, text: str) -> Iterable[Opcode]:
    """How two texts are aligned: place by place, if no other way has fewer differences."""
    if len(claimed) == len(text):
        by_place = sum(claim != other for claim, other in zip(claimed, text, strict=True))
        if by_place == Levenshtein.distance(claimed, text):
            return [
                Opcode("equal" if claim == other else "replace", n, n + 1, n, n + 1)
                for n, (claim, other) in enumerate(zip(claimed, text, strict=True))
            ]
    return Levenshtein.opcodes(claimed, text)


def _is_variant(first: str, second: str) -> bool:
    """Whether two characters differ in case or accents only."""
    return _bare(first) == _bare(second)


def _bare(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text).casefold()
    return "".join(c for c in folded if not unicodedata.combining(c))


def _compare(
    claims: Sequence[tuple[Glyph, str]],
    text: str,
    witness: str,
    result: dict[Glyph, dict[str, Testimony]],
) -> None:
    claimed = "".join(character for _, character in claims)
    if not claimed or not text:
        return
    alike = Levenshtein.normalized_similarity(claimed.casefold(), text.casefold())
    if alike < LEAST_ALIKE and abs(len(text) - len(claimed)) > MOST_LONGER * len(claimed):
        return
    for code in _opcodes(claimed, text):
        if code.tag == "insert":
            for place in (code.src_start - 1, code.src_start):
                if 0 <= place < len(claims):
                    glyph = claims[place][0]
                    result.setdefault(glyph, {}).setdefault(witness, Testimony()).longer += 1
        as_long = code.dest_end - code.dest_start == code.src_end - code.src_start
        for place in range(code.src_start, code.src_end):
            glyph, character = claims[place]
            testimony = result.setdefault(glyph, {}).setdefault(witness, Testimony())
            if code.tag == "equal":
                testimony.same += 1
            elif code.tag == "delete":
                testimony.missing += 1
            elif code.tag == "replace" and as_long:
                other = text[code.dest_start + place - code.src_start]
                if looks_alike(character, other):
                    testimony.same += 1
                elif _is_variant(character, other):
                    testimony.variants[other] += 1
                else:
                    testimony.others[other] += 1
