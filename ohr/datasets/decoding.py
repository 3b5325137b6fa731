"""Decodes data files, and recognises files of another kind."""

from __future__ import annotations

import codecs

_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
"""Byte-order mark -> encoding; UTF-32 comes first, since its mark begins like that of UTF-16."""
_AS_CSV = 'open it in a spreadsheet program and save it as "CSV UTF-8"'
_BEGINS = {
    b"PK\x03\x04": f"a workbook (xlsx or ods) or another zip file: {_AS_CSV}",
    b"\xd0\xcf\x11\xe0": f"a workbook (xls) or another old Office file: {_AS_CSV}",
    b"%PDF": "a PDF",
    b"PAR1": "a Parquet file",
    b"\x1f\x8b": "a gzip file: unpack it",
}


def encoding_of(data: bytes) -> str:
    """The encoding of a byte-order mark: UTF-8, UTF-16 or UTF-32; UTF-8 without a mark."""
    return next((name for mark, name in _MARKS.items() if data.startswith(mark)), "utf-8")


def decode(data: bytes, errors: str = "strict") -> str:
    """The text of a file, without the byte-order mark. Raises UnicodeDecodeError."""
    return data.decode(encoding_of(data), errors)


def other_kind(data: bytes) -> str:
    """The kind of a file that is no text, such as a workbook, and the fix; empty if it may be text.

    The words fit after ``it is``.
    """
    return next((what for begins, what in _BEGINS.items() if data.startswith(begins)), "")
