"""Data as scripts, which a page opened from disk can load.

Such a page cannot fetch other files, but it can load them as scripts. Every chunk is one call,
``ohrData("name", …)``, with JSON that cannot end the script, whatever text a document, an engine or
a model wrote.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from ohr.store.atomic import write_text

FOLDER = "data"
_ESCAPED = {
    "<": "\\u003c",
    ">": "\\u003e",
    "&": "\\u0026",
    "\u2028": "\\u2028",
    "\u2029": "\\u2029",
    "\x00": "\\u0000",
}


def script_json(value: object) -> str:
    """JSON that is safe inside a script: without ``<``, ``>``, ``&`` and line separators.

    Raises ValueError for NaN and infinity. Half surrogate pairs become U+FFFD.
    """
    text = json.dumps(_whole(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for char, escape in _ESCAPED.items():
        text = text.replace(char, escape)
    return text


def _whole(value: Any) -> Any:
    """The value with every text made valid UTF-8."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode() if not value.isascii() else value
    if isinstance(value, dict):
        return {str(_whole(str(key))): _whole(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_whole(inner) for inner in value]
    return value


class Chunks:
    """Writes a report's data files, and removes those of an earlier report."""

    def __init__(self, out: Path) -> None:
        self._folder = out / FOLDER
        self._written: set[str] = set()

    def write(self, name: str, value: object) -> Path:
        """Write ``data/<name>.js``; ``name`` has only letters, digits and dashes."""
        path = self._folder / f"{name}.js"
        write_text(path, f"ohrData({json.dumps(name)},{script_json(value)});\n")
        self._written.add(path.name)
        return path

    def write_all(self, name: str, each: int, values: Iterable[object]) -> None:
        """Write chunks ``name-0``, ``name-1`` … of ``each`` values."""
        chunk: list[object] = []
        count = 0
        for value in values:
            chunk.append(value)
            if len(chunk) == each:
                self.write(f"{name}-{count}", chunk)
                count, chunk = count + 1, []
        if chunk:
            self.write(f"{name}-{count}", chunk)

    def tidy(self) -> None:
        """Remove data files of earlier reports."""
        for path in self._folder.glob("*.js"):
            if path.name not in self._written:
                path.unlink()


def packed(values: np.ndarray) -> dict[str, str]:
    """Numbers as base64 of their little-endian bytes, with their type: ``{"u16": "…"}``."""
    kinds = {"u1": "u8", "u2": "u16", "u4": "u32", "i2": "i16", "i4": "i32"}
    kind = kinds[values.dtype.str[1:]]
    little = values.astype(values.dtype.newbyteorder("<"))
    return {kind: base64.b64encode(little.tobytes()).decode()}
