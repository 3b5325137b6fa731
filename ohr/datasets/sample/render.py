"""Typst source to page images and a PDF: offline, the package's own fonts, repeatable bytes."""

from __future__ import annotations

import datetime
import io
from collections.abc import Sequence
from dataclasses import dataclass

import typst
from PIL import Image

from ohr.datasets.sample.blocks import PageBlocks
from ohr.datasets.sample.typst_source import document_source
from ohr.errors import DatasetError

DPI = 150
_EPOCH = datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)


@dataclass(frozen=True, slots=True)
class Rendered:
    """A document as it is seen: PNG files, grey, 150 dpi, one a page; and one PDF."""

    images: tuple[bytes, ...]
    pdf: bytes


def render(title: str, domain: str, pages: Sequence[PageBlocks]) -> Rendered:
    """Render a document on A4.

    Raises DatasetError if a page's blocks do not fit on one page, or if Typst fails or warns
    (of a glyph or font that is missing, say): then the image would not say what the text says.
    """
    source = document_source(title, domain, pages).encode()
    compiler = typst.Compiler(
        font_paths=typst.Fonts(include_system_fonts=False), ignore_system_fonts=True
    )
    try:
        # Only the archival standard makes a glyph that the font lacks an error.
        pdf = compiler.compile(source, format="pdf", timestamp=_EPOCH, pdf_standards="a-2b")
        compiled, warnings = compiler.compile_with_warnings(source, format="png", ppi=DPI)
    except typst.TypstError as error:
        raise DatasetError(f"sample document {title!r}: {error.message}") from error
    if warnings:
        raise DatasetError(f"sample document {title!r}: Typst warns: {warnings[0].message}")
    images = compiled if isinstance(compiled, list) else [compiled] if compiled else []
    if len(images) != len(pages):
        raise DatasetError(
            f"sample document {title!r}: {len(pages)} pages of blocks take {len(images)} pages"
        )
    if not isinstance(pdf, bytes):
        raise DatasetError(f"sample document {title!r}: Typst made no PDF")
    return Rendered(tuple(_grey(image) for image in images), pdf)


def _grey(png: bytes) -> bytes:
    with Image.open(io.BytesIO(png)) as image, io.BytesIO() as stream:
        image.convert("L").save(stream, "PNG", dpi=(DPI, DPI))
        return stream.getvalue()
