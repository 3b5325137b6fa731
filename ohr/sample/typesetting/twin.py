"""Twins: pages drawn anew from their transcribed lines in their boxes.

A twin has the content and the layout of a scan and nothing of its print, paper or scanner, so what
an OCR engine loses on the scan and not on its twin is the cost of the scan.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass

import typst

from ohr.errors import DatasetError
from ohr.sample.typesetting.faces import Face, fonts_with
from ohr.sample.typesetting.line_fit import Placed, place_lines
from ohr.sample.typesetting.typst_source import string
from ohr.types import Line

_EPOCH = datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)
_POINTS_PER_INCH = 72
_LESS = 0.01  # pixels: PDFium rounds up, and a size in points is not exact
_PRELUDE = """\
#set document(date: datetime(year: 2024, month: 1, day: 1))
#set text(fallback: false, ligatures: false, hyphenate: false, top-edge: "baseline", \
bottom-edge: "baseline")
#let l(x, y, width, size, family, words, turn: 0deg) = context {
  let line = text(font: family, size: size, words)
  let natural = measure(line).width
  let whole = box(width: natural + size, line)
  let scaled = scale(x: width / natural * 100%, origin: top + left, whole)
  place(top + left, dx: x, dy: y, rotate(turn, origin: top + left, scaled))
}
"""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page to draw: its lines, and the width and height of its image in pixels."""

    lines: Sequence[Line]
    size: tuple[int, int]


def twin_pdf(lines: Sequence[Line], size: tuple[int, int], dpi: int, face: Face = "mono") -> bytes:
    """Draw one page of ``size`` (width and height in pixels) as a PDF with a text layer.

    Rendered at ``dpi``, the page has exactly this size. The same lines give the same bytes. Raises
    DatasetError for a line without a place on the page or with a character that no font has.
    """
    return twins_pdf([Sheet(lines, size)], dpi, face)


def twins_pdf(sheets: Sequence[Sheet], dpi: int, face: Face = "mono") -> bytes:
    """Draw the pages of a document, as :func:`twin_pdf` draws one."""
    placed = [place_lines(sheet.lines, sheet.size, face) for sheet in sheets]
    unit = _POINTS_PER_INCH / dpi
    parts = [_PRELUDE]
    for sheet, lines in zip(sheets, placed, strict=True):
        width, height = (f"{(side - _LESS) * unit:.4f}pt" for side in sheet.size)
        body = "\n".join(_line(line, unit) for line in lines)
        parts.append(f"#page(width: {width}, height: {height}, margin: 0pt, fill: white)[{body}]")
    families = sorted({line.family for lines in placed for line in lines})
    source = "\n".join(parts).encode()
    try:
        compiler = typst.Compiler(source, font_paths=fonts_with(families))
        # Only the archival standard makes a glyph that the font lacks an error.
        pdf, warnings = compiler.compile_with_warnings(
            source, format="pdf", timestamp=_EPOCH, pdf_standards="a-2b"
        )
    except typst.TypstError as error:
        raise DatasetError(f"a twin cannot be drawn: {error.message}") from error
    if warnings:
        raise DatasetError(f"a twin cannot be drawn: Typst warns: {warnings[0].message}")
    if not isinstance(pdf, bytes):
        raise DatasetError("a twin cannot be drawn: Typst made no PDF")
    return pdf


def _line(line: Placed, unit: float) -> str:
    x, y, width, size = (
        f"{value * unit:.3f}pt" for value in (line.x, line.y, line.width, line.size)
    )
    turn = ", turn: -90deg" if line.turned else ""
    return f"#l({x}, {y}, {width}, {size}, {string(line.family)}, {string(line.text)}{turn})"
