"""Spans of a page with a text of their own, which tagged PDFs store as ``ActualText``.

A producer writes one where glyphs and letters do not match one to one, as for a syllable of an
Indic script. PDFium gives the span's text to each of its text objects that another one is drawn
between, so that a syllable of two pieces would be read twice.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any

import numpy as np
import pypdfium2
from pypdfium2 import raw

NEAR = 0.5
"""A further piece of a span belongs to its glyph if it is this near, in sizes of the type."""

Box = tuple[float, float, float, float]
"""Left, bottom, right, top in points."""


class Spans:
    """The spans of a page, each with the text object that has its text."""

    def __init__(self) -> None:
        self._firsts: dict[int, int] = {}
        """By the address of a span, the address of its first text object."""

    def repeats(self, text_object: Any) -> bool:
        """Whether an object that has characters repeats the text of a span's first one."""
        span = span_of(text_object)
        address = ctypes.addressof(text_object.contents)
        return span is not None and self._firsts.setdefault(span, address) != address

    def pieces(self, page: pypdfium2.PdfPage) -> dict[int, list[Any]]:
        """By the address of a span's first object, the further ones, but for those in forms."""
        further: dict[int, list[Any]] = {}
        if not self._firsts:
            return further
        for number in range(raw.FPDFPage_CountObjects(page.raw)):
            handle = raw.FPDFPage_GetObject(page.raw, number)
            if raw.FPDFPageObj_GetType(handle) != raw.FPDF_PAGEOBJ_TEXT:
                continue
            first = self._firsts.get(span_of(handle) or 0)
            if first is not None and ctypes.addressof(handle.contents) != first:
                further.setdefault(first, []).append(handle)
        return further


def span_of(text_object: Any) -> int | None:
    """The address of the innermost span with a text that an object is in; None without one."""
    size = ctypes.c_ulong()
    for number in reversed(range(raw.FPDFPageObj_CountMarks(text_object))):
        mark = raw.FPDFPageObj_GetMark(text_object, number)
        has_text = raw.FPDFPageObjMark_GetParamStringValue(
            mark, b"ActualText", None, 0, ctypes.byref(size)
        )
        if has_text:
            return ctypes.addressof(mark.contents)
    return None


def joined_box(box: np.ndarray, size: float, pieces: Iterable[Any]) -> np.ndarray:
    """A box, float ``(4,)``, with the pieces that follow near it."""
    edges = [ctypes.c_float() for _ in range(4)]
    result = box.copy()
    for piece in pieces:
        if not raw.FPDFPageObj_GetBounds(piece, *map(ctypes.byref, edges)):
            continue
        other = np.array([edge.value for edge in edges])
        apart = np.maximum(other[:2] - result[2:], result[:2] - other[2:])
        if apart.max() <= NEAR * size:
            result = np.concatenate(
                [np.minimum(result[:2], other[:2]), np.maximum(result[2:], other[2:])]
            )
    return result
