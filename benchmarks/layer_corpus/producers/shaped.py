"""Pages as fpdf2 sets them, with HarfBuzz shaping the text."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import UTC, datetime

from fpdf import FPDF

from benchmarks.layer_corpus.fonts import Family
from benchmarks.layer_corpus.page import Block, Line, Page, read

LEFT, TOP, WIDTH = 57, 62, 481
STYLES = {"bold": "B", "italic": "I"}


class _Sheet:
    """A page being set: a position, and a face for each style."""

    def __init__(self, page: Page, family: Family) -> None:
        self.page, self.family, self.y = page, family, float(TOP)
        self.size = page.size
        self.pdf = FPDF(unit="pt", format="A4")
        self.pdf.set_creation_date(datetime(2020, 1, 1, tzinfo=UTC))
        self.pdf.set_auto_page_break(False)
        self.pdf.c_margin = 0
        for style, letter in (("", ""), ("bold", "B"), ("italic", "I")):
            self.pdf.add_font("face", letter, family.path(style))
        self.pdf.add_page()
        self.pdf.set_text_shaping(True)

    def line(self, line: Line, x: float, size: float, style: str = "") -> float:
        """Set a line whose left edge (or right one, right to left) is x; its width."""
        start, sheet = x, self.pdf
        for run in line:
            part, rise = size, 0.0
            if run.style in ("raised", "lowered"):
                part, rise = size * 0.62, size * (0.36 if run.style == "raised" else -0.12)
            sheet.set_font("face", STYLES.get(run.style or style, ""), part)
            sheet.set_char_spacing(self.page.tracking * part)
            width = sheet.get_string_width(run.text)
            left_edge = WIDTH + 2 * LEFT - x - width if self.page.right_to_left else x
            sheet.set_xy(left_edge, self.y - rise + size - part)
            sheet.cell(width, part * 1.2, run.text)
            x += width
        return x - start

    def rows(self, rows: Sequence[Block]) -> None:
        """A table: each column as wide as its widest cell."""
        self.pdf.set_font("face", "", self.size)
        self.pdf.set_char_spacing(self.page.tracking * self.size)
        columns = zip(*(block.lines for block in rows), strict=True)
        widths = [max(self.pdf.get_string_width(read(cell)) for cell in cells) for cells in columns]
        for block in rows:
            x = float(LEFT)
            for cell, width in zip(block.lines, widths, strict=True):
                self.line(cell, x, self.size)
                x += width + 22
            self.y += self.size * 1.5

    def lines(self, lines: Sequence[Line], x: float = LEFT) -> None:
        for line in lines:
            self.line(line, x, self.size)
            self.y += self.size * 1.5


def _set(page: Page, family: Family) -> bytes:
    sheet, rows = _Sheet(page, family), []
    for block in (*page.blocks, Block("end", ())):
        if block.kind == "row":
            rows.append(block)
            continue
        if rows:
            sheet.y += 8
            sheet.rows(rows)
            sheet.y += 8
            rows = []
        if block.kind == "heading":
            sheet.line(block.lines[0], LEFT, 17, "bold" if family.bold else "")
            sheet.y += 36
        elif block.kind == "columns":
            top = sheet.y
            sheet.lines(block.lines)
            sheet.y = top
            sheet.lines(block.right, LEFT + 241)
        else:
            sheet.lines(block.lines)
    return bytes(sheet.pdf.output())


def fpdf2(pages: Sequence[tuple[Page, Family]]) -> list[bytes]:
    """The pages as fpdf2 sets them."""
    for name in ("fontTools", "fpdf"):
        logging.getLogger(name).setLevel(logging.ERROR)
    return [_set(page, family) for page, family in pages]
