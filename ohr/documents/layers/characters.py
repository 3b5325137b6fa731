"""The characters of a page's text layer: their places, sizes and fonts, as PDFium reports them."""

from __future__ import annotations

import ctypes
import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pypdfium2
from pypdfium2 import raw

from ohr.documents.layers.spans import Spans, joined_box

_NO_INK = (raw.FPDF_TEXTRENDERMODE_INVISIBLE, raw.FPDF_TEXTRENDERMODE_CLIP)
_CUT = ("\ufffe", "\x02")
"""PDFium's characters for a hyphen at the end of a line."""
REPLACEMENT = "\ufffd"
"""Stands for a glyph that the layer has no character for."""
SAME_PLACE = 0.02
"""Characters whose origins are this close, in sizes of the type, are one glyph."""
_MOST_FONT_BYTES = 50_000_000


class Characters:
    """The characters of one page that a text object draws, in the order of the file.

    Blanks that PDFium adds are left out; blanks of the file are kept. Arrays have one entry per
    character; places are in points from the page's lower left corner.
    """

    texts: list[str]
    """The character that the layer claims."""
    blank: np.ndarray
    """Whether it is white space: bool ``(n,)``."""
    boxes: np.ndarray
    """What the glyph covers: left, bottom, right, top; float ``(n, 4)``."""
    origins: np.ndarray
    """Where the glyph begins on its baseline: float ``(n, 2)``."""
    ends: np.ndarray
    """Where the next glyph would begin: float ``(n, 2)``."""
    sizes: np.ndarray
    """Size of the type in points: float ``(n,)``."""
    directions: np.ndarray
    """Direction of the baseline, a unit vector: float ``(n, 2)``."""
    owners: np.ndarray
    """Index of the text object in ``objects``: int ``(n,)``."""
    fonts: list[str]
    """A key of the font: its name and the digest of its program."""
    no_ink: np.ndarray
    """Whether it is drawn without ink on purpose: bool ``(n,)``."""
    unmapped: np.ndarray
    """Whether the font maps its code to no character, so that the claim is a guess: bool."""
    heights: np.ndarray
    """Height of the line that the font's metrics give, in points: float ``(n,)``."""
    on_page: np.ndarray
    """Whether any of it lies within the crop box: bool ``(n,)``."""

    def __init__(
        self,
        page: pypdfium2.PdfPage,
        text_page: pypdfium2.PdfTextPage,
        digests: dict[int, str] | None = None,
    ) -> None:
        handle = text_page.raw
        self.objects: list[Any] = []
        """The text objects, in the order of their first character; then those without one that
        belong to a span of text (:mod:`ohr.documents.layers.spans`)."""
        index_of: dict[int, int] = {}
        places: list[int] = []
        owners: list[int] = []
        firsts: list[int] = []
        spans = Spans()
        for place in range(text_page.count_chars()):
            text_object = raw.FPDFText_GetTextObject(handle, place)
            if not text_object:  # a blank or a line break that PDFium added
                continue
            address = ctypes.addressof(text_object.contents)
            if address not in index_of:
                index_of[address] = len(self.objects)
                self.objects.append(text_object)
                firsts.append(place)
            if spans.repeats(text_object):
                continue
            places.append(place)
            owners.append(index_of[address])
        self.owners = np.array(owners, np.int64)
        codes = [raw.FPDFText_GetUnicode(handle, place) for place in places]
        self.texts = [_character(code) for code in codes]
        self.blank = np.array([text.isspace() for text in self.texts], bool)
        self._place(handle, places)
        self._describe(handle, firsts, digests if digests is not None else {})
        self._measure(handle, places)
        self._join_pieces(spans.pieces(page))
        # What the font maps to nothing is a guess of PDFium's.
        has_ink = (self.boxes[:, 2:] > self.boxes[:, :2]).all(axis=1)
        for place in np.flatnonzero(self.unmapped & (has_ink | ~self.blank)).tolist():
            self.texts[place] = REPLACEMENT
            self.blank[place] = False
        west, south, east, north = page.get_bbox()
        x0, y0, x1, y1 = self.boxes.T
        self.on_page = (x0 < east) & (x1 > west) & (y0 < north) & (y1 > south)

    def __len__(self) -> int:
        return len(self.texts)

    def _place(self, handle: Any, places: Sequence[int]) -> None:
        boxes: list[tuple[float, float, float, float]] = []
        origins: list[tuple[float, float]] = []
        left_edge, right, bottom, top, x, y = (ctypes.c_double() for _ in range(6))
        box = [ctypes.byref(edge) for edge in (left_edge, right, bottom, top)]
        origin = ctypes.byref(x), ctypes.byref(y)
        char_box, char_origin = raw.FPDFText_GetCharBox, raw.FPDFText_GetCharOrigin
        for place in places:
            char_box(handle, place, *box)
            boxes.append((left_edge.value, bottom.value, right.value, top.value))
            char_origin(handle, place, *origin)
            origins.append((x.value, y.value))
        self.boxes = np.array(boxes, float).reshape(-1, 4)
        self.origins = np.array(origins, float).reshape(-1, 2)

    def _describe(self, handle: Any, firsts: Sequence[int], digests: dict[int, str]) -> None:
        """Set what all characters of a text object share."""
        sizes, directions, fonts, no_ink = [], [], [], []
        matrix = raw.FS_MATRIX()
        matrix_pointer = ctypes.byref(matrix)
        for text_object, first in zip(self.objects, firsts, strict=True):
            raw.FPDFText_GetMatrix(handle, first, matrix_pointer)
            along = math.hypot(matrix.a, matrix.b)
            across = math.hypot(matrix.c, matrix.d) or along
            size = raw.FPDFText_GetFontSize(handle, first) * across
            sizes.append(size)
            directions.append((matrix.a / along, matrix.b / along) if along else (1.0, 0.0))
            fonts.append(_font_key(raw.FPDFTextObj_GetFont(text_object), digests))
            no_ink.append(raw.FPDFTextObj_GetTextRenderMode(text_object) in _NO_INK)
        self.sizes = np.array(sizes, float)[self.owners] if sizes else np.zeros(0)
        self.directions = np.array(directions, float).reshape(-1, 2)[self.owners]
        self.fonts = [fonts[owner] for owner in self.owners.tolist()]
        self.no_ink = np.array(no_ink, bool)[self.owners] if no_ink else np.zeros(0, bool)

    def _measure(self, handle: Any, places: Sequence[int]) -> None:
        """Set the ends, heights, and which characters are unmapped.

        PDFium is asked once for each glyph of each object, by its font, claim and width.
        """
        loose = raw.FS_RECTF()
        known_values: dict[tuple[str, str, int, int], tuple[float, float, bool]] = {}
        widths = []
        scale = np.maximum(self.sizes, 1e-6)
        # Letters of a ligature share its origin, and each has a part of its box.
        sides = np.column_stack(
            [self.boxes[:, 2] - self.boxes[:, 0], self.boxes[:, 0] - self.origins[:, 0]]
        )
        rounded = np.round(sides / scale[:, None] * 50).astype(int).tolist()
        for number, (place, font, text, (width, offset)) in enumerate(
            zip(places, self.fonts, self.texts, rounded, strict=True)
        ):
            key = font, text, width, offset
            if key not in known_values:
                raw.FPDFText_GetLooseCharBox(handle, place, ctypes.byref(loose))
                unmapped = raw.FPDFText_HasUnicodeMapError(handle, place) == 1
                known_values[key] = *self._advance(number, loose), unmapped
            widths.append(known_values[key])
        measured = np.array(widths, float).reshape(-1, 3)
        self.ends = self.origins + (measured[:, 0] * self.sizes)[:, None] * self.directions
        self.heights = measured[:, 1] * self.sizes
        self.unmapped = measured[:, 2] > 0

    def _join_pieces(self, pieces: Mapping[int, Sequence[Any]]) -> None:
        """Extend the characters of a span's first object over its further ones."""
        listed = {ctypes.addressof(text_object.contents) for text_object in self.objects}
        for number, text_object in enumerate(self.objects[:]):
            further = pieces.get(ctypes.addressof(text_object.contents), ())
            own = np.flatnonzero(self.owners == number) if further else np.zeros(0, int)
            if len(own):
                size = float(self.sizes[own[0]])
                self._extend(own, joined_box(_hull(self.boxes[own]), size, further))
                self.objects += [p for p in further if ctypes.addressof(p.contents) not in listed]

    def _extend(self, own: np.ndarray, box: np.ndarray) -> None:
        """Extend the boxes of a glyph's characters to one that is around them, and their ends."""
        whole = _hull(self.boxes[own])
        # PDFium divides a glyph's box among its characters, from side to side.
        scale = (box[2] - box[0]) / max(whole[2] - whole[0], 1e-6)
        self.boxes[own[:, None], [0, 2]] = box[0] + scale * (self.boxes[own][:, [0, 2]] - whole[0])
        self.boxes[own[:, None], [1, 3]] = box[[1, 3]]
        direction = self.directions[own[0]]
        corners = box[[0, 1, 0, 3, 2, 1, 2, 3]].reshape(4, 2) - self.origins[own[0]]
        before = (self.ends[own] - self.origins[own]) @ direction
        further = np.maximum((corners @ direction).max() - before, 0)
        self.ends[own] += further[:, None] * direction

    def _advance(self, number: int, box: Any) -> tuple[float, float]:
        """How far a character's loose box reaches along its direction, and its height, in sizes."""
        size = max(float(self.sizes[number]), 1e-6)
        middle = np.array([box.left + box.right, box.bottom + box.top]) / 2
        half = np.abs(np.array([box.right - box.left, box.top - box.bottom]) / 2)
        direction = self.directions[number]
        along = (middle - self.origins[number]) @ direction + half @ np.abs(direction)
        return max(float(along), 0.0) / size, 2 * float(half.max()) / size


def _hull(boxes: np.ndarray) -> np.ndarray:
    """The smallest box around some: float ``(4,)``."""
    return np.concatenate([boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)])


def _character(code: int) -> str:
    if not 0 < code < 0x110000 or 0xD800 <= code < 0xE000:
        return REPLACEMENT
    character = chr(code)
    return "-" if character in _CUT else character


def _font_key(font: Any, digests: dict[int, str]) -> str:
    """The font's name, and the digest of its program if it is in the file."""
    address = ctypes.addressof(font.contents) if font else 0
    if address not in digests:
        digests[address] = f"{font_name(font)}/{_digest(font)}"
    return digests[address]


def font_name(font: Any) -> str:
    """The name of a font as the file has it."""
    size = raw.FPDFFont_GetBaseFontName(font, None, 0)
    buffer = ctypes.create_string_buffer(max(1, size))
    raw.FPDFFont_GetBaseFontName(font, buffer, size)
    return buffer.value.decode("utf-8", "replace")


def _digest(font: Any) -> str:
    if raw.FPDFFont_GetIsEmbedded(font) != 1:
        return ""
    size = ctypes.c_size_t()
    raw.FPDFFont_GetFontData(font, None, 0, ctypes.byref(size))
    if not 0 < size.value <= _MOST_FONT_BYTES:
        return ""
    buffer = (ctypes.c_uint8 * size.value)()
    raw.FPDFFont_GetFontData(font, buffer, size, ctypes.byref(size))
    return hashlib.blake2b(bytes(buffer), digest_size=8).hexdigest()
