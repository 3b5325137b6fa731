"""The text layer of a page, with the evidence on whether it is what the page shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import cv2
import numpy as np
import pypdfium2
from pypdfium2 import raw

from ohr.documents.layers.characters import REPLACEMENT, Characters
from ohr.documents.layers.doubles import drop_doubles
from ohr.documents.layers.drawn import Drawings, drawn_characters, find_orphans
from ohr.documents.layers.glyphs import Glyph, GlyphJudge, Judgement
from ohr.documents.layers.ink import Ink
from ohr.documents.layers.joined import JoinedWords
from ohr.documents.layers.marks import find_marks, image_share, ink_of
from ohr.documents.layers.scripts import is_joined
from ohr.documents.layers.text import PageWord, PageWords, page_words
from ohr.documents.layers.units import glyph_groups
from ohr.documents.pdf import opened
from ohr.errors import EngineError

_SOFT = "\xad"
_DRAWN_ANNOTATIONS = (raw.FPDF_ANNOT_FREETEXT, raw.FPDF_ANNOT_WIDGET, raw.FPDF_ANNOT_STAMP)


@dataclass(frozen=True, slots=True)
class LayerWord:
    """A word of a text layer.

    ``box`` is left, top, right, bottom as shares of the page as it is shown, in [0, 1]. ``glyphs``
    are indices into the layer's glyphs, in reading order. ``incomplete``: ink within it stands for
    nothing in the layer.
    """

    text: str
    line: int
    box: tuple[float, float, float, float]
    glyphs: tuple[int, ...]
    incomplete: bool = False


@dataclass(frozen=True, slots=True)
class TextLayer:
    """The text that a PDF stores for a page, and how well it matches what the page shows.

    ``text`` has the words that are drawn, from their places: words of a line with blanks between
    them, line by line; of doubles, as for a shadow, one. Words cut at a line's end are not joined.
    ``order_known``: whether the order of the words is known. ``hidden`` is the share of characters
    that are not drawn, for whatever reason, and ``invisible`` the share that is drawn without ink
    on purpose; both in [0, 1], of characters other than white space. ``images`` is the share of the
    page that its images cover together. ``marks`` is the number of marks on the page that look like
    letters and belong to no character of the layer, and ``covered`` the share of the ink, of text
    and such marks, that is text. ``glyphs`` are the different glyphs of the drawn words, each with
    what it looks like. ``joined`` has, by font, how well words in scripts of joined letters match
    their pictures (:mod:`ohr.documents.layers.joined`), and ``swapped`` which of their letters
    stand for another one.
    """

    text: str
    words: tuple[LayerWord, ...] = ()
    order_known: bool = True
    invisible: float = 0.0
    hidden: float = 0.0
    images: float = 0.0
    marks: int = 0
    covered: float = 1.0
    glyphs: tuple[tuple[Glyph, Judgement], ...] = ()
    joined: Mapping[str, tuple[float, int]] = field(default_factory=dict)
    swapped: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def text_layers(path: Path, page_nos: Sequence[int]) -> list[TextLayer]:
    """The text layers of some pages (0-based), in order. Raises EngineError."""
    judge, digests = GlyphJudge(), dict[int, str]()
    with opened(path) as document:
        document.init_forms()  # filled form fields are visible, as on pages for engines
        layers = []
        for page_no in page_nos:
            if not 0 <= page_no < len(document):
                raise EngineError(f"{path.name} has {len(document)} pages, no page {page_no + 1}")
            try:
                layers.append(_text_layer(document, page_no, judge, digests))
            except pypdfium2.PdfiumError as error:
                raise EngineError(f"page {page_no + 1} of {path.name}: {error}") from error
            digests.clear()  # a font of another page may take the place of one that was closed
    return layers


def _text_layer(
    document: pypdfium2.PdfDocument, page_no: int, judge: GlyphJudge, digests: dict[int, str]
) -> TextLayer:
    page = _flatten_annotations(document, page_no)
    characters = Characters(page, page.get_textpage(), digests)
    shown = characters.on_page & ~characters.blank
    single = drop_doubles(characters, shown)
    orphans = find_orphans(page, characters)
    drawings = Drawings(page, characters, shown & ~single, orphans.copies)
    drawn = drawn_characters(characters, drawings.seen)
    total = max(1, int(shown.sum()))
    hidden = shown & ~drawn
    ink = Ink(drawings, characters)
    is_turned = page.get_rotation() != 0
    is_doubled = bool(orphans.copies) or bool((shown & ~single).any())
    if not is_turned and not is_doubled:  # a shadow reaches into blanks
        _fill_inked_blanks(characters, ink, drawn)
    soft = np.array([text == _SOFT for text in characters.texts], bool)
    chosen = drop_doubles(characters, drawn) | (characters.blank & characters.on_page)
    has_box = (characters.boxes[:, 2:] - characters.boxes[:, :2] > 0).all(axis=1)
    chosen &= ~soft | (drawings.seen & has_box & ~characters.no_ink)
    layout = page_words(characters, chosen, None if is_turned or is_doubled else ink)
    joined = JoinedWords(characters, ink)
    marked = _mark_incomplete(layout.words, drawings.pixel_boxes(orphans.lost), drawings)
    layout = replace(layout, words=joined.settled(marked))
    words, glyphs = _described(page, characters, layout, judge, drawings, has_shadows=is_doubled)
    boxes = _sign_boxes(layout.words, characters, drawings)
    marks, mark_ink = find_marks(drawings.without, drawings.scale, boxes)
    text_ink = int(drawings.ink.sum())
    joined.swapped(layout.words, judge.swapped)
    return TextLayer(
        _text(layout),
        words,
        layout.order_known,
        int((hidden & characters.no_ink).sum()) / total,
        int(hidden.sum()) / total,
        image_share(page),
        marks,
        text_ink / (text_ink + mark_ink) if mark_ink else 1.0,
        glyphs,
        joined.match(layout.words),
        {font: letters for font, letters in judge.swapped.items() if letters},
    )


def _flatten_annotations(document: pypdfium2.PdfDocument, page_no: int) -> pypdfium2.PdfPage:
    """The page, with filled fields, notes and stamps as part of its content."""
    page = document[page_no]
    count = raw.FPDFPage_GetAnnotCount(page.raw)
    for number in range(count):
        annotation = raw.FPDFPage_GetAnnot(page.raw, number)
        kind = raw.FPDFAnnot_GetSubtype(annotation)
        raw.FPDFPage_CloseAnnot(annotation)
        if kind in _DRAWN_ANNOTATIONS:
            raw.FPDFPage_Flatten(page.raw, raw.FLAT_NORMALDISPLAY)
            page.close()
            return document[page_no]
    return page


def _fill_inked_blanks(characters: Characters, ink: Ink, drawn: np.ndarray) -> None:
    """Make characters of blanks that have ink: a glyph that is mapped to a blank."""
    for place in np.flatnonzero(characters.blank & characters.on_page).tolist():
        if ink.is_inked(place):
            characters.texts[place] = REPLACEMENT
            characters.blank[place] = False
            drawn[place] = True


def _text(layout: PageWords) -> str:
    lines: dict[int, list[str]] = {}
    for word in layout.words:
        lines.setdefault(word.line, []).append(word.text)
    return "\n".join(" ".join(line) for line in lines.values())


def _described(
    page: pypdfium2.PdfPage,
    characters: Characters,
    layout: PageWords,
    judge: GlyphJudge,
    drawings: Drawings,
    *,
    has_shadows: bool,
) -> tuple[tuple[LayerWord, ...], tuple[tuple[Glyph, Judgement], ...]]:
    """The words with their places and glyphs, and the different glyphs."""
    chosen = np.zeros(len(characters), bool)
    for word in layout.words:
        chosen[list(word.places)] = True
    groups = glyph_groups(characters, chosen)
    group_glyphs = judge.judge(page, characters, groups, has_shadows=has_shadows)
    numbers = {glyph: number for number, glyph in enumerate(dict.fromkeys(group_glyphs))}
    group_of = {place: number for number, group in enumerate(groups) for place in group}
    height, width = drawings.whole.shape[:2]
    scale = np.array([width, height, width, height], float)
    words = []
    for word in layout.words:
        inside = dict.fromkeys(group_of[place] for place in word.places)
        words.append(
            LayerWord(
                word.text,
                word.line,
                _box(word, drawings.pixels, scale),
                tuple(
                    numbers[glyph]
                    for number in inside
                    if (glyph := group_glyphs[number]).text != REPLACEMENT
                    or REPLACEMENT in word.text
                ),
                word.incomplete,
            )
        )
    return tuple(words), tuple((glyph, judge.known[glyph]) for glyph in numbers)


def _mark_incomplete(
    words: Sequence[PageWord], lost: np.ndarray, drawings: Drawings
) -> list[PageWord]:
    """The words, incomplete where a glyph without a character is drawn within one.

    In words of joined letters, ink between the glyphs is no evidence: signs reach into gaps.
    """
    hit: set[int] = set()
    if len(lost):
        places = [drawings.pixels[list(word.places)] for word in words]
        boxes = np.array([(*b[:, :2].min(axis=0), *b[:, 2:].max(axis=0)) for b in places])
        boxes = boxes.reshape(-1, 4)
        ink = ink_of(cv2.cvtColor(drawings.without, cv2.COLOR_BGR2GRAY), drawings.scale)
        for left_edge, top, right, bottom in lost.tolist():
            if not ink[top:bottom, left_edge:right].any():
                continue  # a blank
            x, y = (left_edge + right) / 2, (top + bottom) / 2
            inside = (boxes[:, 0] <= x) & (x <= boxes[:, 2])
            inside &= (boxes[:, 1] <= y) & (y <= boxes[:, 3])
            hit.update(np.flatnonzero(inside).tolist())
    return [
        replace(word, incomplete=number in hit or (word.incomplete and not is_joined(word.text)))
        for number, word in enumerate(words)
    ]


def _sign_boxes(
    words: Sequence[PageWord], characters: Characters, drawings: Drawings
) -> np.ndarray:
    """Boxes of words in scripts of joined letters, in pixels: int ``(n, 4)``.

    Their signs may be drawn as glyphs of their own that the file says nothing of.
    """
    boxes = []
    height, width = drawings.whole.shape[:2]
    for word in words:
        if is_joined(word.text):
            reach = round(0.6 * float(characters.sizes[word.places[0]]) * drawings.scale)
            inside = drawings.pixels[list(word.places)]
            left_edge, top = inside[:, :2].min(axis=0) - reach
            right, bottom = inside[:, 2:].max(axis=0) + reach
            boxes.append((max(left_edge, 0), max(top, 0), min(right, width), min(bottom, height)))
    return np.array(boxes, np.int64).reshape(-1, 4)


def _box(
    word: PageWord, pixels: np.ndarray, scale: np.ndarray
) -> tuple[float, float, float, float]:
    boxes = pixels[list(word.places)]
    low, high = boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)
    left_edge, top, right, bottom = (np.concatenate([low, high]) / scale).tolist()
    return left_edge, top, right, bottom
