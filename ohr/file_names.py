"""Names of files as text that can be written anywhere."""

from __future__ import annotations

import os
import unicodedata


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
