"""Typst source to page images and a PDF: offline, repeatable bytes."""

from __future__ import annotations

import datetime
import io
from collections.abc import Sequence
from dataclasses import dataclass

import typst
from PIL import Image

from ohr.errors import DatasetError
from ohr.sample.blocks import PageBlocks, PageLayout
from ohr.sample.typesetting.boxes import Arrangement
from ohr.sample.typesetting.fonts import fonts_for
from ohr.sample.typesetting.layout import lay_out
from ohr.sample.typesetting.looks import Look, look
from ohr.sample.typesetting.typst_source import Copy

DPI = 150
_EPOCH = datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)


@dataclass(frozen=True, slots=True)
class Rendered:
    """A document as it is seen: PNG files, grey, 150 dpi, one a page; one PDF; what is where."""

    images: tuple[bytes, ...]
    pdf: bytes
    arrangement: Arrangement


def render(
    title: str,
    domain: str,
    pages: Sequence[PageBlocks],
    *,
    layout: PageLayout | None = None,
    own_look: Look | None = None,
    images: bool = True,
) -> Rendered:
    """Render a document on A4; without ``images`` there are none.

    ``own_look`` replaces the look of the domain. Raises DatasetError if a page's blocks do not
    fit on one page, or if Typst fails or warns (of a glyph or font that is missing, say): then
    the image would not say what the text says.
    """
    drawn = own_look if own_look is not None else look(domain)
    copy = Copy(title, pages, drawn, layout if layout is not None else PageLayout())
    laid_out = lay_out(copy, fonts_for(drawn))
    compiler, source = laid_out.compiler, laid_out.source
    try:
        # Only the archival standard makes a glyph that the font lacks an error.
        pdf, warnings = compiler.compile_with_warnings(
            source, format="pdf", timestamp=_EPOCH, pdf_standards="a-2b"
        )
        compiled = compiler.compile(source, format="png", ppi=DPI) if images else []
    except typst.TypstError as error:
        raise DatasetError(f"sample document {title!r}: {error.message}") from error
    if warnings:
        raise DatasetError(f"sample document {title!r}: Typst warns: {warnings[0].message}")
    shown = compiled if isinstance(compiled, list) else [compiled] if compiled else []
    if images and len(shown) != len(pages):
        raise DatasetError(
            f"sample document {title!r}: {len(pages)} pages of blocks take {len(shown)} pages"
        )
    if not isinstance(pdf, bytes):
        raise DatasetError(f"sample document {title!r}: Typst made no PDF")
    return Rendered(tuple(_grey(image) for image in shown), pdf, laid_out.arrangement)


def _grey(png: bytes) -> bytes:
    with Image.open(io.BytesIO(png)) as image, io.BytesIO() as stream:
        image.convert("L").save(stream, "PNG", dpi=(DPI, DPI))
        return stream.getvalue()
