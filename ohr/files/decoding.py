"""Bytes from outside into text: UTF-8, or what their byte-order mark says; never a guess."""

from __future__ import annotations

import codecs

_MARKS = (
    # Before UTF-16's, of which the first begins alike.
    (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32"),
    (codecs.BOM_UTF8, "utf-8", "UTF-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16"),
)
_SAVE = "save it as UTF-8"


class UndecodableError(ValueError):
    """Bytes that are no text in the encoding that they have to have; a line that says where."""


def decoded(data: bytes) -> str:
    """The text of bytes in UTF-8, or in UTF-16 or UTF-32 where a byte-order mark says so.

    Raises UndecodableError that names the first byte at fault and its line: bytes that are
    replaced or guessed at would be scored as what an engine read.
    """
    for mark, codec, name in _MARKS:
        if data.startswith(mark):
            return _strict(data, len(mark), codec, name)
    if (at := data.find(b"\0")) >= 0:
        raise UndecodableError(
            f"not UTF-8 (a null byte at {at:,}: UTF-16 without a byte-order mark?): {_SAVE}"
        )
    return _strict(data, 0, "utf-8", "UTF-8")


def _strict(data: bytes, start: int, codec: str, name: str) -> str:
    try:
        return data[start:].decode(codec)
    except UnicodeDecodeError as error:
        at = start + error.start
        line = data.count(b"\n", 0, at) + 1
        raise UndecodableError(
            f"not {name} (byte {data[at]:#04x} at {at:,}, line {line}): {_SAVE}"
        ) from error
