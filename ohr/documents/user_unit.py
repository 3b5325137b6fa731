"""The unit of a PDF's page (``/UserUnit`` of PDF 1.6), which PDFium assumes to be a point."""

from __future__ import annotations

import io
import mmap
import re
import zlib
from contextlib import closing
from functools import lru_cache
from pathlib import Path

import pypdfium2

_NAME = b"/UserUnit"
_UNIT = re.compile(rb"/UserUnit\s+(\d{1,6}(?:\.\d{1,9})?)")
_OBJECTS = re.compile(rb"/Type\s*/ObjStm\b")
_STREAM = re.compile(rb"stream\r?\n")
_MOST_OBJECTS = 20_000_000
"""Most bytes of an unpacked object stream to search."""
_MOST_UNIT = 10_000.0


def user_unit(document: pypdfium2.PdfDocument, page_no: int, path: Path) -> float:
    """The number of points in a unit of a page (0-based): 1, unless the page states another.

    Raises pypdfium2.PdfiumError.
    """
    if not names_user_unit(path):
        return 1.0
    # PDFium gives no access to a page's entries, but includes them when it copies the page.
    target = io.BytesIO()
    with closing(pypdfium2.PdfDocument.new()) as copy:
        copy.import_pages(document, [page_no])
        copy.save(target)
    match = _UNIT.search(target.getvalue())
    unit = float(match[1]) if match is not None else 1.0
    return unit if 0 < unit <= _MOST_UNIT else 1.0


def names_user_unit(path: Path) -> bool:
    """Whether a PDF states a unit anywhere, also in its compressed objects."""
    try:
        status = path.stat()
        return _names(path, status.st_mtime_ns, status.st_size)
    except (OSError, ValueError):
        return False


@lru_cache(maxsize=256)
def _names(path: Path, modified: int, size: int) -> bool:
    with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
        if data.find(_NAME) >= 0:
            return True
        return any(_NAME in _unpacked(data, match.end()) for match in _OBJECTS.finditer(data))


def _unpacked(data: mmap.mmap, position: int) -> bytes:
    """The unpacked objects of the stream whose dictionary contains ``at``; empty if damaged."""
    match = _STREAM.search(data, position, position + 1000)
    if match is None:
        return b""
    end = data.find(b"endstream", match.end())
    try:
        return zlib.decompressobj().decompress(data[match.end() : end], _MOST_OBJECTS)
    except zlib.error:
        return b""
