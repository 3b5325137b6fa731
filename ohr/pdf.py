"""Page images and text of PDFs (pypdfium2), and page images from files."""

from __future__ import annotations

import ctypes
import logging
import struct
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import pypdfium2
import pypdfium2.raw
from PIL import ExifTags, Image, ImageOps, JpegImagePlugin, TiffImagePlugin

from ohr.errors import EngineError

MAX_PIXELS = 100_000_000
"""Largest page image that is opened: 10,000 x 10,000 pixels."""
MAX_PAGES = 100_000
"""Most pages of a PDF: a page tree of a few hundred bytes can claim any number."""
POINTS_PER_INCH = 72
RENDERER = f"pdfium-{pypdfium2.PYPDFIUM_INFO}"

_LOCK = threading.Lock()  # PDFium is not safe to call from several threads
_TURNED = range(2, 9)
"""EXIF orientations of images that do not stand upright as they are stored."""
_LYING = range(5, 9)
"""... and of those that lie on a side."""
_MAPPED = frozenset({"L", "P", "RGBA", "RGBX", "CMYK", "I;16", "I;16L", "I;16B"})
"""Modes whose pixels Pillow maps from a file that holds them as they are."""
_CUT = "\ufffe"
"""What PDFium writes for a hyphen at a line's end and the end of the line."""
_FAR = 1e6
"""Points from the origin within which all of a page's text lies."""
_SUBFILE_TYPE = 254
_NO_PAGE = 0b101  # a thumbnail, or a transparency mask
_EXIF_UNKNOWN = 72
"""The dpi of EXIF data that know none (XResolution, Exif 2.32), and what Pillow makes of no tag."""
_BROKEN_IMAGE = (OSError, ValueError, SyntaxError, Image.DecompressionBombError)
_BROKEN_TAGS = (
    OSError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    SyntaxError,
    struct.error,
)

# Else it warns of every page of an XFA form, whose plain fields are drawn all the same.
logging.getLogger("pypdfium2._helpers.document").setLevel(logging.ERROR)


@contextmanager
def opened(path: Path) -> Iterator[pypdfium2.PdfDocument]:
    """A PDF, for one thread at a time. Raises EngineError."""
    with _LOCK:
        try:
            document = pypdfium2.PdfDocument(path)
        except (pypdfium2.PdfiumError, OSError) as error:
            raise EngineError(f"cannot open {path.name} as a PDF: {error}") from error
        try:
            yield document
        finally:
            document.close()


def page_count(path: Path) -> int:
    """Number of pages of a PDF. Raises EngineError, also for more than :data:`MAX_PAGES`."""
    with opened(path) as document:
        count = len(document)
    if count > MAX_PAGES:
        raise EngineError(f"{path.name} claims {count:,} pages; at most {MAX_PAGES:,} are read")
    return count


def page_text(path: Path, page_no: int) -> str:
    """The text layer of one page (0-based); empty where there is none. Raises EngineError."""
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
    return as_lines(text)


def as_lines(text: str) -> str:
    """PDFium's text with line feeds.

    Its mark of a word that is cut at a line's end becomes a hyphen and a line feed.
    """
    return text.replace("\r\n", "\n").replace(_CUT, "-\n")


def extract_pages(path: Path, page_nos: Sequence[int], target: Path) -> None:
    """Write some pages (0-based) of a PDF as a PDF of their own. Raises EngineError."""
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
    """One page (0-based) with its form fields, as uint8 RGB ``(h, w, 3)``. Raises EngineError."""
    with opened(path) as document:
        try:
            document.init_forms()  # before anything else is asked of the document
            if not 0 <= page_no < len(document):
                raise EngineError(f"{path.name} has {len(document)} pages, no page {page_no + 1}")
            page = document[page_no]
            scale = dpi / POINTS_PER_INCH
            width, height = (round(side * scale) for side in page.get_size())
            check_size(width, height, f"page {page_no + 1} of {path.name} at {dpi} dpi")
            bitmap = page.render(scale=scale, rev_byteorder=True)
            image = np.array(bitmap.to_numpy())
        except pypdfium2.PdfiumError as error:
            raise EngineError(f"page {page_no + 1} of {path.name}: {error}") from error
    if image.ndim == 2:
        image = np.repeat(image[:, :, None], 3, axis=2)
    return np.ascontiguousarray(image[:, :, :3])


def load_image(path: Path) -> np.ndarray:
    """A page image file as uint8, ``(h, w)`` grey or ``(h, w, 3)`` RGB.

    It is turned upright as its EXIF data says, and laid on white where it is transparent; of
    grey of 16 bits the upper 8 are kept. Raises EngineError, also for a file of several pages.
    """
    try:
        with Image.open(path) as image:
            # By its name Pillow would map a TIFF that lies on a side, with its sides swapped.
            image.filename = ""
            check_size(*image.size, path.name)
            if (pages := _pages(image)) > 1:
                raise EngineError(
                    f"{path.name} has {pages} pages, but an image is read as one: "
                    "split it, or make it a PDF"
                )
            if image.mode in ("I", "F"):
                raise EngineError(
                    f"{path.name} has numbers of 32 bits for pixels, and where white is nothing "
                    "says: make it an image of 8 or 16 bits"
                )
            image.load()
            bits = _bits(image)
            mode = "L" if image.mode in ("1", "L") or bits > 8 else "RGB"
            if _orientation(image) in _TURNED:
                # It turns the image, and then takes the turn out of the tags, damaged or not.
                with suppress(*_BROKEN_TAGS):
                    ImageOps.exif_transpose(image, in_place=True)
            if bits > 8:  # Pillow would cut off what is above 255
                return (np.array(image).astype(np.uint16) >> (bits - 8)).astype(np.uint8)
            if not _is_transparent(image):
                return np.array(image.convert(mode))
            paper = Image.new("RGBA", image.size, "white")
            paper.alpha_composite(image.convert("RGBA"))
            return np.array(paper.convert(mode))
    except _BROKEN_IMAGE as error:
        raise EngineError(f"cannot read the image {path.name}: {error}") from error


def drawn_by(path: Path) -> str | None:
    """What makes page images of a file: together with its digest, it decides their pixels.

    The renderer for a PDF, marked if it draws a form; for an image file None, unless it is
    turned upright, laid on white, of more than 8 bits or refused for its pages; one that lies on a
    side and was mapped from the file is marked, as its rows were mixed. A file that cannot be
    opened counts as plain: reading it fails with the reason.
    """
    if path.suffix.lower() == ".pdf":
        try:
            with opened(path) as document:
                has_form = document.get_formtype() != pypdfium2.raw.FORMTYPE_NONE
        except EngineError:
            return RENDERER
        return f"{RENDERER}, forms" if has_form else RENDERER
    try:
        with Image.open(path) as image:
            marks = {
                "one page": _pages(image) > 1,
                "upright": _orientation(image) in _TURNED,
                "on white": _is_transparent(image),
                "deep": image.mode.startswith(("I", "F")),
                "not mapped": _was_mixed(image),
            }
    except _BROKEN_IMAGE:
        return None
    return ", ".join(mark for mark, holds in marks.items() if holds) or None


def _orientation(image: Image.Image) -> int:
    """The EXIF orientation, 1 to 8; 1 if there is none, or none that can be understood."""
    try:
        orientation = image.getexif().get(ExifTags.Base.Orientation, 1)
    except _BROKEN_TAGS:
        return 1
    return orientation if isinstance(orientation, int) else 1


def _was_mixed(image: Image.Image) -> bool:
    """Whether Pillow would map the pixels of a TIFF that lies on a side."""
    if not isinstance(image, TiffImagePlugin.TiffImageFile) or _orientation(image) not in _LYING:
        return False
    raw = len(image.tile) == 1 and image.tile[0].codec_name == "raw"
    return raw and image.mode in _MAPPED


def _bits(image: Image.Image) -> int:
    """Bits of a grey pixel: 16, or the 12 that some scanners write; 8 for other images."""
    if not image.mode.startswith("I;16"):
        return 8
    if isinstance(image, TiffImagePlugin.TiffImageFile):
        return int(image.tag_v2.get(TiffImagePlugin.BITSPERSAMPLE, (16,))[0])
    return 16


def _is_transparent(image: Image.Image) -> bool:
    """Whether an image has an alpha channel or a transparent colour."""
    held = image.mode in ("1", "L", "LA", "P", "PA", "RGB", "RGBA")
    return held and image.has_transparency_data


def _pages(image: Image.Image) -> int:
    """Pages of a TIFF, thumbnails and masks aside; 1 for other images.

    Raises OSError where it cannot be read on to its end: pages of one cut short may be missing.
    """
    if not isinstance(image, TiffImagePlugin.TiffImageFile):
        return 1
    pages = 0
    try:
        for number in range(image.n_frames):
            image.seek(number)
            pages += _is_page(image)
    except (*_BROKEN_TAGS, EOFError) as error:
        raise OSError(f"what follows its page {max(pages, 1)} cannot be read: {error}") from error
    image.seek(0)
    return pages


def _is_page(image: TiffImagePlugin.TiffImageFile) -> bool:
    """Whether the frame of a TIFF is a page by its tag; one whose tag is damaged is."""
    try:
        return not int(image.tag_v2.get(_SUBFILE_TYPE, 0)) & _NO_PAGE
    except _BROKEN_TAGS:
        return True


def image_dpi(path: Path) -> int | None:
    """The resolution that an image file names, if it names one between 30 and 1200."""
    try:
        with Image.open(path) as image:
            named = round(float(image.info["dpi"][0]))
            is_jpeg = isinstance(image, JpegImagePlugin.JpegImageFile)
            if named == _EXIF_UNKNOWN and is_jpeg and not image.info.get("jfif_unit"):
                return None
    except (*_BROKEN_IMAGE, KeyError, TypeError):
        return None
    return named if 30 <= named <= 1200 else None


def check_size(width: int, height: int, what: str) -> None:
    """Raise EngineError for a page image of no or too many pixels."""
    if width < 1 or height < 1:
        raise EngineError(f"{what}: an image of {width} x {height} pixels")
    if width * height > MAX_PIXELS:
        raise EngineError(
            f"{what}: {width} x {height} pixels, more than the {MAX_PIXELS:,} that are read; "
            "lower the dpi"
        )


Word = tuple[str, tuple[float, float, float, float]]
"""A word of a text layer, and its box on the page's image: left, top, right, bottom in pixels."""


def words_of_page(path: Path, page_no: int, dpi: int) -> list[Word]:
    """The words of a page's text layer where they stand on its image, in the layer's order.

    What stands beyond the image is left out. None for a page without a layer. Raises EngineError.
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
        left, bottom, right, top = text_page.get_charbox(place)
        if left >= east or right <= west or bottom >= north or top <= south:
            continue
        letters.append(letter)
        if right > left and top > bottom:
            corners += [
                _on_image(page, width, height, *end) for end in ((left, top), (right, bottom))
            ]


def _on_image(
    page: pypdfium2.PdfPage, width: int, height: int, x: float, y: float
) -> tuple[float, float]:
    """A place of the page, in points from its lower left, in pixels; to a 64th of one."""
    across, down = ctypes.c_int(), ctypes.c_int()
    pypdfium2.raw.FPDF_PageToDevice(
        page, 0, 0, width, height, 0, x, y, ctypes.byref(across), ctypes.byref(down)
    )
    return across.value / 64, down.value / 64
