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
    """A file's name, or path, as a person would type it.

    Accented letters are single characters (NFC): some systems take them apart. Names whose bytes
    are not UTF-8 are read as Latin-1, which every byte is.
    """
    try:
        name.encode()
    except UnicodeEncodeError:
        name = os.fsencode(name).decode("latin-1")
    return unicodedata.normalize("NFC", name)


def is_hidden(inside: PurePath) -> bool:
    """Whether a path within a folder is hidden, or lies in a hidden folder.

    So are the files that macOS puts beside others (``._a.pdf``), and caches (``.ohr-cache``).
    """
    return any(part.startswith(".") for part in inside.parts)


def visible(folder: Path, pattern: str) -> list[Path]:
    """What a pattern matches within a folder, sorted, without what is hidden there."""
    return sorted(path for path in folder.glob(pattern) if not is_hidden(path.relative_to(folder)))


def safe_path(name: str) -> str:
    """A document's name, parts with ``/`` between, as a path that leads into a folder, not out.

    What is no letter of a file's name, and the dots of a part that is nothing else, become ``_``.
    """
    parts = _UNSAFE.sub("_", name).split("/")
    return "/".join(part.replace(".", "_") if part in (".", "..") else part for part in parts)


def plain(text: str) -> str:
    """Text from outside that can be shown: no control characters, no half surrogate pairs."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]", "?", text)


def no_formula(text: str) -> str:
    """Text that no spreadsheet evaluates; :func:`as_it_was` undoes it."""
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def as_it_was(text: str) -> str:
    """Text as it was before :func:`no_formula`."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text
