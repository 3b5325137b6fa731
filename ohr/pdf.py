"""Page images and text layers of PDFs (pypdfium2), and page images from files."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pypdfium2
from PIL import Image

from ohr.errors import EngineError

MAX_PIXELS = 100_000_000
"""Largest page image that is opened: 10,000 x 10,000 pixels."""
POINTS_PER_INCH = 72
RENDERER = f"pdfium-{pypdfium2.PYPDFIUM_INFO}"

_LOCK = threading.Lock()  # PDFium is not safe to call from several threads


@contextmanager
def _opened(path: Path) -> Iterator[pypdfium2.PdfDocument]:
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
    """Number of pages of a PDF. Raises EngineError."""
    with _opened(path) as document:
        return len(document)


def text_layer(path: Path) -> list[str]:
    """The text layer of every page, in order; empty where there is none. Raises EngineError."""
    with _opened(path) as document:
        return [_page_text(document, number, path) for number in range(len(document))]


def page_text(path: Path, page_no: int) -> str:
    """The text layer of one page (0-based); empty where there is none. Raises EngineError."""
    with _opened(path) as document:
        if not 0 <= page_no < len(document):
            raise EngineError(f"{path.name} has {len(document)} pages, no page {page_no}")
        return _page_text(document, page_no, path)


def _page_text(document: pypdfium2.PdfDocument, page_no: int, path: Path) -> str:
    try:
        text: str = document[page_no].get_textpage().get_text_range(errors="replace")
    except pypdfium2.PdfiumError as error:
        raise EngineError(f"page {page_no} of {path.name}: {error}") from error
    return text.replace("\r\n", "\n").replace("\ufffe", "-")


def extract_pages(path: Path, page_nos: Sequence[int], target: Path) -> None:
    """Write some pages (0-based) of a PDF as a PDF of their own. Raises EngineError."""
    with _opened(path) as document:
        beyond = [number for number in page_nos if not 0 <= number < len(document)]
        if beyond:
            raise EngineError(f"{path.name} has {len(document)} pages, no page {beyond[0]}")
        try:
            extract = pypdfium2.PdfDocument.new()
            extract.import_pages(document, list(page_nos))
            extract.save(target)
            extract.close()
        except pypdfium2.PdfiumError as error:
            raise EngineError(f"pages of {path.name} cannot be cut out: {error}") from error


def render(path: Path, page_no: int, dpi: int) -> np.ndarray:
    """One page (0-based) as uint8 RGB ``(h, w, 3)``. Raises EngineError."""
    with _opened(path) as document:
        if not 0 <= page_no < len(document):
            raise EngineError(f"{path.name} has {len(document)} pages, no page {page_no}")
        try:
            page = document[page_no]
            scale = dpi / POINTS_PER_INCH
            width, height = (round(side * scale) for side in page.get_size())
            check_size(width, height, f"page {page_no} of {path.name} at {dpi} dpi")
            bitmap = page.render(scale=scale, rev_byteorder=True)
            image = np.array(bitmap.to_numpy())
        except pypdfium2.PdfiumError as error:
            raise EngineError(f"page {page_no} of {path.name}: {error}") from error
    if image.ndim == 2:
        image = np.repeat(image[:, :, None], 3, axis=2)
    return np.ascontiguousarray(image[:, :, :3])


def load_image(path: Path) -> np.ndarray:
    """A page image file as uint8, ``(h, w)`` grey or ``(h, w, 3)`` RGB. Raises EngineError."""
    try:
        with Image.open(path) as image:
            check_size(*image.size, path.name)
            grey = image.mode in ("1", "L", "I;16")
            return np.array(image.convert("L" if grey else "RGB"))
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        raise EngineError(f"cannot read the image {path.name}: {error}") from error


def image_dpi(path: Path) -> int | None:
    """The resolution that an image file names, if it names one between 30 and 1200."""
    try:
        with Image.open(path) as image:
            named = round(float(image.info["dpi"][0]))
    except (OSError, ValueError, KeyError, TypeError, Image.DecompressionBombError):
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
