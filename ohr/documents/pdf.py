"""Page images and text of PDFs (pypdfium2)."""

from __future__ import annotations

import ctypes
import logging
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pypdfium2
import pypdfium2.raw

from ohr.documents.images import check_size, image_marks
from ohr.documents.user_unit import names_user_unit, user_unit
from ohr.errors import EngineError
from ohr.files.first_bytes import describe_bytes

MAX_PAGES = 100_000
"""Most pages of a PDF: a page tree of a few hundred bytes can claim any number."""
POINTS_PER_INCH = 72
RENDERER = f"pdfium-{pypdfium2.PYPDFIUM_INFO}"

_LOCK = threading.Lock()  # PDFium is not safe to call from several threads
_CUT = "\ufffe"
"""PDFium's character for a hyphen at the end of a line."""
_FAR = 1e6
"""Points from the origin within which all of a page's text lies."""

# It warns about every page of an XFA form, although the plain fields are drawn.
logging.getLogger("pypdfium2._helpers.document").setLevel(logging.ERROR)


@contextmanager
def opened(path: Path) -> Iterator[pypdfium2.PdfDocument]:
    """Open a PDF, for one thread at a time. Raises EngineError."""
    with _LOCK:
        try:
            document = pypdfium2.PdfDocument(path)
        except (pypdfium2.PdfiumError, OSError) as error:
            what = describe_bytes(path, expected="PDF")
            if "password" in str(error).lower():
                what = "it is locked with a password"
            raise EngineError(f"cannot open {path.name} as a PDF: {what or error}") from error
        try:
            _check_drawn(document, path)
            yield document
        finally:
            document.close()


def _check_drawn(document: pypdfium2.PdfDocument, path: Path) -> None:
    """Raise EngineError for a PDF without pages, or an XFA form whose pages are not drawn."""
    if document.get_formtype() == pypdfium2.raw.FORMTYPE_XFA_FULL:
        raise EngineError(
            f"{path.name} is an XFA form whose pages are not drawn, only a note to wait for them: "
            "print it to a PDF with Acrobat"
        )
    if not len(document):
        raise EngineError(f"{path.name} is a PDF without pages")


def page_count(path: Path) -> int:
    """Number of pages of a PDF. Raises EngineError, also for more than :data:`MAX_PAGES`."""
    with opened(path) as document:
        count = len(document)
    if count > MAX_PAGES:
        raise EngineError(f"{path.name} claims {count:,} pages; at most {MAX_PAGES:,} are read")
    return count


def page_labels(path: Path) -> list[str]:
    """The label of each page of a PDF, empty for a page without one. Raises EngineError."""
    with opened(path) as document:
        try:
            return [document.get_page_label(number) or "" for number in range(len(document))]
        except pypdfium2.PdfiumError as error:
            raise EngineError(f"page labels of {path.name}: {error}") from error


def page_text(path: Path, page_no: int) -> str:
    """The text layer of one page (0-based); empty if there is none. Raises EngineError."""
    with opened(path) as document:
        if not 0 <= page_no < len(document):
            raise EngineError(f"{path.name} has {len(document)} pages, no page {page_no + 1}")
        return _page_text(document, page_no, path)


def _page_text(document: pypdfium2.PdfDocument, page_no: int, path: Path) -> str:
    try:
        return bounded_text(document[page_no].get_textpage())
    except pypdfium2.PdfiumError as error:
        raise EngineError(f"page {page_no + 1} of {path.name}: {error}") from error


def bounded_text(text_page: pypdfium2.PdfTextPage) -> str:
    """The text within the page's crop box, beyond which nothing is drawn."""
    text: str = text_page.get_text_bounded(errors="replace")
    if text == text_page.get_text_bounded(-_FAR, -_FAR, _FAR, _FAR, errors="replace"):
        text = text_page.get_text_range(errors="replace")  # whose spaces are as in the file
    return normalise_line_ends(text)


def normalise_line_ends(text: str) -> str:
    """PDFium's text with line feeds.

    Its mark for a word that is cut at a line's end becomes a hyphen and a line feed.
    """
    return text.replace("\r\n", "\n").replace(_CUT, "-\n")


def extract_pages(path: Path, page_nos: Sequence[int], target: Path) -> None:
    """Write some pages (0-based) of a PDF into a new PDF. Raises EngineError."""
    with opened(path) as document:
        beyond = [number for number in page_nos if not 0 <= number < len(document)]
        if beyond:
            raise EngineError(f"{path.name} has {len(document)} pages, no page {beyond[0] + 1}")
        try:
            extract = pypdfium2.PdfDocument.new()
            extract.import_pages(document, list(page_nos))
            extract.save(target)
            extract.close()
        except pypdfium2.PdfiumError as error:
            raise EngineError(f"pages of {path.name} cannot be cut out: {error}") from error


def render(path: Path, page_no: int, dpi: int) -> np.ndarray:
    """Draw one page (0-based) with its form fields: uint8 RGB ``(h, w, 3)``.

    The size is right also for a page whose unit is not a point (``/UserUnit``). Raises
    EngineError.
    """
    with opened(path) as document:
        try:
            document.init_forms()  # must come before any other call
            if not 0 <= page_no < len(document):
                raise EngineError(f"{path.name} has {len(document)} pages, no page {page_no + 1}")
            page = document[page_no]
            scale = dpi / POINTS_PER_INCH * user_unit(document, page_no, path)
            width, height = (round(side * scale) for side in page.get_size())
            check_size(width, height, f"page {page_no + 1} of {path.name} at {dpi} dpi")
            bitmap = page.render(scale=scale, rev_byteorder=True)
            image = np.array(bitmap.to_numpy())
        except pypdfium2.PdfiumError as error:
            raise EngineError(f"page {page_no + 1} of {path.name}: {error}") from error
    if image.ndim == 2:
        image = np.repeat(image[:, :, None], 3, axis=2)
    return np.ascontiguousarray(image[:, :, :3])


def drawn_by(path: Path) -> str | None:
    """What turns a file into page images, as part of cache keys: with the file's digest, it
    decides the pixels.

    For a PDF the renderer, and marks for forms and user units. For an image file the marks of
    :func:`ohr.documents.images.image_marks`, or None. A file that cannot be opened counts as
    plain: reading it fails with the reason.
    """
    if path.suffix.lower() == ".pdf":
        try:
            with opened(path) as document:
                has_form = document.get_formtype() != pypdfium2.raw.FORMTYPE_NONE
        except EngineError:
            return RENDERER
        marks = [RENDERER, *["forms"] * has_form, *["user units"] * names_user_unit(path)]
        return ", ".join(marks)
    return image_marks(path)


Word = tuple[str, tuple[float, float, float, float]]
"""A word of a text layer, and its box on the page's image: left, top, right, bottom in pixels."""


def words_of_page(path: Path, page_no: int, dpi: int) -> list[Word]:
    """The words of a page's text layer with their boxes on its image, in the layer's order.

    Words outside the image are left out. Empty for a page without a layer. Raises EngineError.
    """
    with opened(path) as document:
        try:
            page = document[page_no]
            return list(_words(page, page.get_textpage(), dpi / POINTS_PER_INCH))
        except pypdfium2.PdfiumError as error:
            raise EngineError(f"page {page_no + 1} of {path.name}: {error}") from error


def _words(
    page: pypdfium2.PdfPage, text_page: pypdfium2.PdfTextPage, scale: float
) -> Iterator[Word]:
    width, height = (round(size * scale * 64) for size in page.get_size())
    west, south, east, north = page.get_bbox()
    letters: list[str] = []
    corners: list[tuple[float, float]] = []
    for place in range(text_page.count_chars() + 1):
        code = 0
        if place < text_page.count_chars():
            code = pypdfium2.raw.FPDFText_GetUnicode(text_page, place)
        letter = chr(code) if 0 < code < 0x110000 else " "
        if letter.isspace() or letter == _CUT:
            letters += ["-"] if letter == _CUT and letters else []
            if letters and corners:
                across, down = zip(*corners, strict=True)
                yield "".join(letters), (min(across), min(down), max(across), max(down))
            letters, corners = [], []
            continue
        left_edge, bottom, right, top = text_page.get_charbox(place)
        if left_edge >= east or right <= west or bottom >= north or top <= south:
            continue
        letters.append(letter)
        if right > left_edge and top > bottom:
            corners += [
                _image_point(page, width, height, *end)
                for end in ((left_edge, top), (right, bottom))
            ]


def _image_point(
    page: pypdfium2.PdfPage, width: int, height: int, x: float, y: float
) -> tuple[float, float]:
    """Convert a place in points from the lower left to pixels, to a 64th of a pixel."""
    across, down = ctypes.c_int(), ctypes.c_int()
    pypdfium2.raw.FPDF_PageToDevice(
        page, 0, 0, width, height, 0, x, y, ctypes.byref(across), ctypes.byref(down)
    )
    return across.value / 64, down.value / 64
