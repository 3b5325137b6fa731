"""Text that the layer has and the page does not show, or shows something else for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import pikepdf
import pypdfium2

from benchmarks.layer_corpus.drawing import Drawing, Glyph, drawn
from benchmarks.layer_corpus.faults.order import SHAPED
from benchmarks.layer_corpus.faults.planted import Plant, Planted
from benchmarks.layer_corpus.lines import Group, letters, lines, parts
from benchmarks.layer_corpus.page import Page
from benchmarks.layer_corpus.producers.split import saved
from benchmarks.layer_corpus.words import lacking, split_words

WHITE = b"1 g\n"
PICTURE = pikepdf.Name("/Cover")
Hide = Callable[[pikepdf.Pdf, Group, Group], list[Group | bytes]]


def _box(line: Sequence[Glyph]) -> tuple[float, float, float, float]:
    """Left, bottom, width and height of a line's ink, with a little more."""
    left_edge, right = min(glyph.x for glyph in line), max(glyph.end for glyph in line)
    height = max(glyph.height for glyph in line)
    return left_edge - 2, line[0].y - 0.35 * height, right - left_edge + 4, 1.35 * height


def _rectangle(line: Sequence[Glyph]) -> str:
    return " ".join(f"{value:.2f}" for value in _box(line)) + " re"


def _covered(document: pikepdf.Pdf, old: Group, new: Group) -> list[Group | bytes]:
    """The old line, a white box over it, the new line."""
    cover = f"q 1 g {_rectangle(old)} f Q".encode()
    return [old, cover, new]


def _picture(document: pikepdf.Pdf, old: Group, new: Group) -> list[Group | bytes]:
    """The old line, a grey picture over it, the new line."""
    x, y, width, height = _box(old)
    image = document.make_stream(
        b"\xee",
        Type=pikepdf.Name.XObject,
        Subtype=pikepdf.Name.Image,
        Width=1,
        Height=1,
        BitsPerComponent=8,
        ColorSpace=pikepdf.Name.DeviceGray,
    )
    name = document.pages[0].add_resource(image, pikepdf.Name.XObject, PICTURE)
    cover = f"q {width:.2f} 0 0 {height:.2f} {x:.2f} {y:.2f} cm {name} Do Q".encode()
    return [old, cover, new]


def _clipped(document: pikepdf.Pdf, old: Group, new: Group) -> list[Group | bytes]:
    """The new line, and the old one in the same place, outside the clip it is drawn with."""
    return [new, b"q 0 0 5 5 re W n", old, b"Q"]


def _white(document: pikepdf.Pdf, old: Group, new: Group) -> list[Group | bytes]:
    """The old line in white, below the new one where nothing else is."""
    return [new, [replace(glyph, fill=WHITE) for glyph in _low(old)]]


def _unpainted(document: pikepdf.Pdf, old: Group, new: Group) -> list[Group | bytes]:
    """The old line without ink, at the foot of the page."""
    return [new, drawn(_low(old), mode=3)]


def _text_outside(document: pikepdf.Pdf, old: Group, new: Group) -> list[Group | bytes]:
    """The old line below the page's edge."""
    return [new, [glyph.moved(0, -30 - glyph.y) for glyph in old]]


def _cropped(document: pikepdf.Pdf, old: Group, new: Group) -> list[Group | bytes]:
    """The old line on paper that is cut off."""
    page = document.pages[0]
    box = [float(value) for value in page.mediabox]
    page.cropbox = [box[0], box[1] + 60, *box[2:]]
    return [new, [glyph.moved(0, box[1] + 20 - glyph.y) for glyph in old]]


def _low(line: Group) -> Group:
    return [glyph.moved(0, 120 - line[0].y) for glyph in line]


def _plant(hide: Hide, document: pikepdf.Pdf, page: Page) -> Planted | None:
    """Where the page's third line stands, its last long line is hidden."""
    if page.script in SHAPED:
        return None
    drawing = Drawing(document)
    matches = lines(drawing.glyphs)
    if len(matches) < 5 or any(len(parts(line)) > 1 for line in matches[1:3]):
        return None
    new = matches[2]
    source = max(matches[3:], key=lambda line: (len(parts(line)) == 1, len(line)))
    shift = new[0].y - source[0].y
    old = [glyph.moved(0, shift) for glyph in source]
    before = [glyph for line in matches[:2] for glyph in line]
    after = [glyph for line in matches[3:] for glyph in line]
    drawing.write([before, *hide(document, old, new), after])
    return Planted([], "text", extra=split_words(letters(source)))


def _pictured(document: pikepdf.Pdf, page: Page) -> Planted | None:
    """Over the third line, a picture of the last long one: the layer has what it covers."""
    if page.script in SHAPED:
        return None
    drawing = Drawing(document)
    matches = lines(drawing.glyphs)
    read = page.text.split("\n")
    if (
        len(matches) != len(read)
        or len(matches) < 5
        or any(len(parts(line)) > 1 for line in matches[2:4])
    ):
        return None
    new, source = matches[2], max(matches[3:], key=lambda line: (len(parts(line)) == 1, len(line)))
    picture = _photograph(document, source)
    name = document.pages[0].add_resource(picture, pikepdf.Name.XObject, PICTURE)
    x, y, width, height = _box(source)
    y += new[0].y - source[0].y
    cover = f"q 1 g {_rectangle(new)} f {width:.2f} 0 0 {height:.2f} {x:.2f} {y:.2f} cm {name} Do Q"
    drawing.write([drawing.glyphs, cover.encode()])
    seen = read[matches.index(source)]
    text = "\n".join([*read[:2], seen, *read[3:]])
    return Planted(
        lacking(split_words(text), split_words(page.text)), text=text, extra=split_words(read[2])
    )


def _photograph(document: pikepdf.Pdf, line: Sequence[Glyph]) -> pikepdf.Object:
    """A line as the page shows it, 216 dots an inch."""
    left_edge, bottom, width, height = _box(line)
    rendered = pypdfium2.PdfDocument(saved(document))
    paper = rendered[0]
    right, top = paper.get_width() - left_edge - width, paper.get_height() - bottom - height
    pixels = paper.render(
        scale=3, crop=(left_edge, bottom, right, top), grayscale=True, may_draw_forms=False
    ).to_numpy()
    rendered.close()
    return document.make_stream(
        pixels.tobytes(),
        Type=pikepdf.Name.XObject,
        Subtype=pikepdf.Name.Image,
        Width=pixels.shape[1],
        Height=pixels.shape[0],
        BitsPerComponent=8,
        ColorSpace=pikepdf.Name.DeviceGray,
    )


VARIANTS: dict[str, Plant] = {
    "white_box": partial(_plant, _covered),
    "picture": partial(_plant, _picture),
    "clipped": partial(_plant, _clipped),
    "white": partial(_plant, _white),
    "unpainted": partial(_plant, _unpainted),
    "outside": partial(_plant, _text_outside),
    "cropped": partial(_plant, _cropped),
    "picture_of_text": _pictured,
}
