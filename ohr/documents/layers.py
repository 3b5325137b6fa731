"""Text layers of PDFs, and how well they match what the page shows.

A PDF can store text that nobody sees: OCR output under the picture of a scan, white text, layers
that are switched off. And it can show text that it does not store: scans, tables that are
pictures. So each page is drawn twice, once without its text. Where the two differ, text is drawn.
Marks that remain and look like letters are text that is missing from the layer.
"""

from __future__ import annotations

import ctypes
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import cv2
import numpy as np
import pypdfium2
from pypdfium2 import raw

from ohr.documents.pdf import as_lines, bounded_text, opened
from ohr.errors import EngineError
from ohr.markup.hyphenation import join_cut_words

SCALE = 1.5
"""Pixels per point at which pages are compared: 108 dpi."""
MOST_PIXELS = 4_000_000
"""Larger pages are compared at a smaller scale."""
LEAST_CONTRAST = 16
"""A word is drawn if one of its pixels differs by more than this (of 255) from the page without
text."""
SMALLEST_TYPE = 1.0
"""Size in points. Smaller type cannot be read, and counts as not drawn."""
MARK_CONTRAST = 40
"""A mark is darker or lighter than its surroundings by at least this (of 255)."""
MARK_SIZES = (4 / 1.5, 16.0)
"""Heights, in points, of marks that may be letters."""
MOST_MARKS = 2000
_DEEPEST = 15
_NO_INK = (raw.FPDF_TEXTRENDERMODE_INVISIBLE, raw.FPDF_TEXTRENDERMODE_CLIP)
_VOWELS = "aeiou"


@dataclass(frozen=True, slots=True)
class FontLetters:
    """Counts for a font of a page: characters, the letters a to z among them, and the vowels.

    Case and accents do not matter: ``É`` counts as ``e``, and as a vowel.
    """

    characters: int
    letters: int
    vowels: int


@dataclass(frozen=True, slots=True)
class TextLayer:
    """The text that a PDF stores for a page, and how much of it is visible.

    ``text`` has the words that are drawn; words cut at a line's end are joined. ``hidden`` is the
    share of characters that are not drawn, for whatever reason, and ``invisible`` the share that
    is drawn without ink on purpose; both in [0, 1], of characters other than white space.
    ``images`` is the share of the page that its images cover together. ``marks`` is the number of
    marks on the page that look like letters and belong to no character of the layer. ``fonts`` are
    the fonts of the drawn words by name.
    """

    text: str
    invisible: float = 0.0
    hidden: float = 0.0
    images: float = 0.0
    marks: int = 0
    fonts: Mapping[str, FontLetters] = field(default_factory=dict)


def text_layers(path: Path, page_nos: Sequence[int]) -> list[TextLayer]:
    """The text layers of some pages (0-based), in order. Raises EngineError."""
    with opened(path) as document:
        document.init_forms()  # filled form fields are visible, as on pages for engines
        return [_text_layer(document, number, path) for number in page_nos]


def _text_layer(document: pypdfium2.PdfDocument, page_no: int, path: Path) -> TextLayer:
    try:
        page = document[page_no]
        layer = _Layer(page, page.get_textpage())
        images = _image_share(page)
        with_text, without = layer.drawings()
    except pypdfium2.PdfiumError as error:
        raise EngineError(f"page {page_no + 1} of {path.name}: {error}") from error
    blue, green, red = cv2.split(cv2.absdiff(with_text, without))
    differs = cv2.max(cv2.max(blue, green), red) > LEAST_CONTRAST
    drawn = layer.drawn(differs.astype(np.uint8))
    return layer.described(drawn, images, count_marks(without, layer.scale))


class _Layer:
    """The characters of one page: their places, and the text objects that draw them."""

    def __init__(self, page: pypdfium2.PdfPage, text_page: pypdfium2.PdfTextPage) -> None:
        self.page = page
        self.text_page = text_page
        width, height = page.get_size()
        area = width * height
        self.scale = min(SCALE, (MOST_PIXELS / area) ** 0.5) if area > 0 else SCALE
        places = range(text_page.count_chars())
        handle = text_page.raw
        codes = [raw.FPDFText_GetUnicode(handle, place) for place in places]
        self.characters = [chr(code) if 0 < code < 0x110000 else " " for code in codes]
        objects = [raw.FPDFText_GetTextObject(handle, place) for place in places]
        # Blanks that PDFium adds between words belong to no object.
        self.written = np.array(
            [
                bool(drawn) and not character.isspace()
                for drawn, character in zip(objects, self.characters, strict=True)
            ],
            bool,
        )
        self.boxes = np.zeros((len(places), 4))
        edges = [ctypes.c_double() for _ in range(4)]
        pointers = [ctypes.byref(edge) for edge in edges]
        for place in np.flatnonzero(self.written).tolist():
            raw.FPDFText_GetCharBox(handle, place, *pointers)
            left, right, bottom, top = (edge.value for edge in edges)
            self.boxes[place] = left, bottom, right, top
        west, south, east, north = page.get_bbox()
        x0, y0, x1, y1 = self.boxes.T
        # Beyond the crop box nothing is drawn.
        self.on_page = self.written & (x0 < east) & (x1 > west) & (y0 < north) & (y1 > south)
        self._describe_objects(objects)

    def _describe_objects(self, objects: Sequence[Any]) -> None:
        """Set the font of each character, and whether it is drawn without ink."""
        self.objects = {
            address: text_object
            for text_object in objects
            if (address := ctypes.cast(text_object, ctypes.c_void_p).value) is not None
        }
        by_handle: dict[int | None, str] = {}
        known: dict[int | None, tuple[str, bool]] = {}
        for address, text_object in self.objects.items():
            font = raw.FPDFTextObj_GetFont(text_object)
            handle = ctypes.cast(font, ctypes.c_void_p).value
            if handle not in by_handle:
                by_handle[handle] = _font_name(font)
            no_ink = raw.FPDFTextObj_GetTextRenderMode(text_object) in _NO_INK
            known[address] = by_handle[handle], no_ink
        addresses = [ctypes.cast(text_object, ctypes.c_void_p).value for text_object in objects]
        described = [known.get(address, ("", False)) for address in addresses]
        self.fonts = [font for font, _ in described]
        self.no_ink = np.array([no_ink for _, no_ink in described], bool)

    def drawings(self) -> tuple[np.ndarray, np.ndarray]:
        """The page as it is, and without the layer's text: uint8 ``(h, w, 3)`` each.

        Text without characters in the layer stays on both.
        """
        size = [round(side * self.scale) for side in self.page.get_size()]
        if min(size) < 1:  # such a page shows nothing
            return np.zeros((1, 1, 3), np.uint8), np.zeros((1, 1, 3), np.uint8)
        whole = self._drawing()
        for text in self.objects.values():
            raw.FPDFPageObj_SetIsActive(text, False)
        return whole, self._drawing()

    def _drawing(self) -> np.ndarray:
        image: np.ndarray = self.page.render(scale=self.scale).to_numpy()
        return np.array(np.atleast_3d(image)[:, :, :3])

    def drawn(self, differs: np.ndarray) -> np.ndarray:
        """Whether each character's word is drawn: bool ``(characters,)``.

        A word counts as drawn as a whole, if at least a quarter of its characters are seen. Not
        all need be: a full stop leaves too few pixels to see. And one is not enough: part of a
        word that is cut off may stick out. ``differs``: uint8 ``(h, w)``, 1 where the page differs
        from the page without text.
        """
        sums = cv2.integral(differs)
        left, top, right, bottom = self._pixels(differs.shape).T
        inside = sums[bottom, right] - sums[top, right] - sums[bottom, left] + sums[top, left]
        seen = self.on_page & (inside > 0) & ~self.no_ink
        drawn = np.zeros(len(self.characters), bool)
        so_far = np.concatenate([[0], np.cumsum(seen)]).tolist()
        for start, end in _runs(self.on_page):
            is_seen = (so_far[end] - so_far[start]) * 4 >= end - start
            if is_seen and self._is_legible(start, end):
                drawn[start:end] = True
        return drawn

    def _is_legible(self, start: int, end: int) -> bool:
        """Whether the type is large enough, by the line's height and not by single letters."""
        x0, y0, x1, y1 = self.boxes[start].tolist()
        if min(x1 - x0, y1 - y0) >= SMALLEST_TYPE:
            return True
        line = raw.FS_RECTF()
        for place in range(start, end):
            raw.FPDFText_GetLooseCharBox(self.text_page.raw, place, ctypes.byref(line))
            sides = abs(line.top - line.bottom), abs(line.right - line.left)
            if max(sides) >= SMALLEST_TYPE:
                return True
        return False

    def _pixels(self, shape: tuple[int, ...]) -> np.ndarray:
        """Boxes of the characters in pixels, one pixel wider on each side: int ``(n, 4)``."""
        height, width = shape
        matrix = self._to_pixels(width, height)
        ends = self.boxes.reshape(-1, 2, 2) @ matrix[:, :2].T + matrix[:, 2]
        limits = np.array([width, height])
        low = np.floor(ends.min(axis=1)).astype(np.int64) - 1
        high = np.ceil(ends.max(axis=1)).astype(np.int64) + 1
        return np.concatenate([np.clip(low, 0, limits), np.clip(high, 0, limits)], axis=1)

    def _to_pixels(self, width: int, height: int) -> np.ndarray:
        """The matrix that maps a place on the page, in points, to its pixel: float ``(2, 3)``."""

        def on_image(x: float, y: float) -> np.ndarray:
            across, down = ctypes.c_int(), ctypes.c_int()
            fine = width * 64, height * 64  # to a 64th of a pixel
            raw.FPDF_PageToDevice(
                self.page, 0, 0, *fine, 0, x, y, ctypes.byref(across), ctypes.byref(down)
            )
            return np.array([across.value, down.value]) / 64

        far = 1000.0
        origin = on_image(0, 0)
        return np.stack(
            [(on_image(far, 0) - origin) / far, (on_image(0, far) - origin) / far, origin], axis=1
        )

    def described(self, drawn: np.ndarray, images: float, marks: int) -> TextLayer:
        """The text layer with the drawn words."""
        total = max(1, int(self.on_page.sum()))
        hidden = self.on_page & ~drawn
        text = bounded_text(self.text_page)
        if hidden.any():
            text = self._without(self.written & ~drawn)
        return TextLayer(
            join_cut_words(text),
            int((hidden & self.no_ink).sum()) / total,
            int(hidden.sum()) / total,
            images,
            marks,
            self._letters(drawn),
        )

    def _without(self, left_out: np.ndarray) -> str:
        """The text without some of its characters, and without lines that become empty."""
        parts = [
            self.text_page.get_text_range(start, end - start, errors="replace")
            for start, end in _runs(~left_out)
        ]
        lines = [line.strip() for line in as_lines("".join(parts).strip()).split("\n")]
        return "\n".join(
            line for line, before in zip(lines, ["", *lines[:-1]], strict=True) if line or before
        )

    def _letters(self, chosen: np.ndarray) -> dict[str, FontLetters]:
        texts: dict[str, list[str]] = {}
        for place in np.flatnonzero(chosen).tolist():
            texts.setdefault(self.fonts[place], []).append(self.characters[place])
        return {font: _count_letters("".join(texts[font])) for font in sorted(texts)}


def _runs(chosen: np.ndarray) -> list[tuple[int, int]]:
    """Start and end of each run of true values; ``chosen`` is bool ``(n,)``."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], chosen, [False]]).astype(np.int8)))
    starts, ends = edges[::2].tolist(), edges[1::2].tolist()
    return list(zip(starts, ends, strict=True))


def _count_letters(text: str) -> FontLetters:
    plain = (text if text.isascii() else unicodedata.normalize("NFKD", text)).lower()
    letters = Counter(plain)
    return FontLetters(
        len(text),
        sum(letters[letter] for letter in ascii_lowercase),
        sum(letters[letter] for letter in _VOWELS),
    )


def _font_name(font: Any) -> str:
    size = raw.FPDFFont_GetBaseFontName(font, None, 0)
    buffer = ctypes.create_string_buffer(max(1, size))
    raw.FPDFFont_GetBaseFontName(font, buffer, size)
    return buffer.value.decode("utf-8", "replace")


def _image_share(page: pypdfium2.PdfPage) -> float:
    """The share of the page that its images cover together, in [0, 1], forms included."""
    west, south, east, north = page.get_bbox()
    if east <= west or north <= south:
        return 0.0
    handles = (
        raw.FPDFPage_GetObject(page.raw, number)
        for number in range(raw.FPDFPage_CountObjects(page.raw))
    )
    holders = (raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_FORM)
    if not any(raw.FPDFPageObj_GetType(handle) in holders for handle in handles):
        return 0.0
    cells = 200
    covered = np.zeros((cells, cells), bool)
    for image in page.get_objects([raw.FPDF_PAGEOBJ_IMAGE], max_depth=_DEEPEST):
        left, bottom, right, top = image.get_bounds()
        across = (np.array([left, right]) - west) / (east - west)
        up = (np.array([bottom, top]) - south) / (north - south)
        (x0, x1), (y0, y1) = (
            np.clip(np.round(side * cells), 0, cells).astype(int) for side in (across, up)
        )
        covered[y0:y1, x0:x1] = True
    return float(covered.mean())


def count_marks(page: np.ndarray, scale: float) -> int:
    """Count marks that look like letters: of the right size, with another next to them.

    ``page``: uint8 ``(h, w, 3)``; ``scale``: pixels per point.
    """
    grey = cv2.cvtColor(page, cv2.COLOR_BGR2GRAY)
    if grey.min() == grey.max():
        return 0
    around = cv2.blur(grey, (2 * round(10 * scale) + 1,) * 2)
    ink = cv2.absdiff(grey, around) > MARK_CONTRAST
    components = cv2.connectedComponentsWithStats(ink.astype(np.uint8), connectivity=8)
    left, top, width, height, area = np.asarray(components[2])[1:].T
    smallest, largest = (size * scale for size in MARK_SIZES)
    fits = (
        (height >= smallest)
        & (height <= largest)
        & (width >= 2)
        & (width <= 2.5 * largest)
        & (area >= 8)
        & (area < 0.85 * width * height)
    )
    boxes = np.stack([left, top, left + width, top + height], axis=1)[fits]
    if len(boxes) > MOST_MARKS:
        return len(boxes)
    return int(_has_neighbour(boxes).sum())


def _has_neighbour(boxes: np.ndarray) -> np.ndarray:
    """Whether each box ``(n, 4)`` has one of similar height next to it: bool ``(n,)``."""
    left, top, right, bottom = boxes.T.astype(np.int64)
    height = bottom - top
    taller = np.maximum(height[:, None], height)
    gap = np.maximum(left[:, None], left) - np.minimum(right[:, None], right)
    overlap = np.minimum(bottom[:, None], bottom) - np.maximum(top[:, None], top)
    beside = (
        (gap <= taller)
        & (overlap * 2 >= np.minimum(height[:, None], height))
        & (taller <= 2 * np.minimum(height[:, None], height))
    )
    np.fill_diagonal(beside, False)
    return np.asarray(beside.any(axis=1))
