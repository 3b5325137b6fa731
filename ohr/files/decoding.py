"""Decodes bytes from outside as UTF-8, or by their byte-order mark; never guesses."""

from __future__ import annotations

import codecs

_MARKS = (
    # Before UTF-16: its first mark begins with the same bytes.
    (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32"),
    (codecs.BOM_UTF8, "utf-8", "UTF-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16"),
)
_SAVE = "save it as UTF-8"


class UndecodableError(ValueError):
    """Bytes that are not valid in their encoding; the message says where."""


def decoded(data: bytes) -> str:
    """The text of bytes in UTF-8, or in UTF-16 or UTF-32 with a byte-order mark.

    Raises UndecodableError, which names the first wrong byte and its line. Wrong bytes are never
    replaced or guessed, since the result would be scored as OCR output.
    """
    for mark, codec, name in _MARKS:
        if data.startswith(mark):
            return _strict(data, len(mark), codec, name)
    if (position := data.find(b"\0")) >= 0:
        raise UndecodableError(
            f"not UTF-8 (a null byte at {position:,}: UTF-16 without a byte-order mark?): {_SAVE}"
        )
    return _strict(data, 0, "utf-8", "UTF-8")


def _strict(data: bytes, start: int, codec: str, name: str) -> str:
    try:
        return data[start:].decode(codec)
    except UnicodeDecodeError as error:
        position = start + error.start
        line = data.count(b"\n", 0, position) + 1
        raise UndecodableError(
            f"not {name} (byte {data[position]:#04x} at {position:,}, line {line}): {_SAVE}"
        ) from error
