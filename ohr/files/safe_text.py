"""Text from outside, made safe to print, to open in a spreadsheet, and to use as a file name."""

from __future__ import annotations

import os
import re
import unicodedata
from pathlib import Path, PurePath

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]inf")
_UNSAFE = re.compile(r"[\x00-\x1f\x7f\\]")


def readable(name: str) -> str:
    """A file's name or path as a person would type it.

    Accented letters become single characters (NFC), since some systems decompose them. Names whose
    bytes are not UTF-8 are decoded as Latin-1.
    """
    try:
        name.encode()
    except UnicodeEncodeError:
        name = os.fsencode(name).decode("latin-1")
    return unicodedata.normalize("NFC", name)


def is_hidden(inside: PurePath) -> bool:
    """Whether a path within a folder is hidden, or lies in a hidden folder.

    Hidden are also the files that macOS adds (``._a.pdf``), and caches (``.ohr-cache``).
    """
    return any(part.startswith(".") for part in inside.parts)


def visible(folder: Path, pattern: str) -> list[Path]:
    """The paths within a folder that match a pattern, sorted, without hidden ones."""
    return sorted(path for path in folder.glob(pattern) if not is_hidden(path.relative_to(folder)))


def safe_path(name: str) -> str:
    """A document's name, parts separated by ``/``, as a path that cannot lead out of a folder.

    Characters that are not allowed in a file name become ``_``, and so do the dots of the parts
    ``.`` and ``..``.
    """
    parts = _UNSAFE.sub("_", name).split("/")
    return "/".join(part.replace(".", "_") if part in (".", "..") else part for part in parts)


def plain(text: str) -> str:
    """Text from outside that is safe to show: control characters and lone surrogates become ?."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]", "?", text)


def escape_formula(text: str) -> str:
    """Escape text that a spreadsheet would evaluate; :func:`unescape_formula` undoes it."""
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def unescape_formula(text: str) -> str:
    """Undo :func:`escape_formula`."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text
