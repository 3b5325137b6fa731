"""The characters that a model of Tesseract can write, from its file of traineddata."""

from __future__ import annotations

import struct
from pathlib import Path

UNICHARSET, LSTM_UNICHARSET = 1, 21
"""Places of the legacy model's characters and of the neural one's among the parts of the file."""
_NO_CHARACTERS = ("NULL", "Joined", "|Broken|0|1")
"""Names at the head of the list that are no characters."""
_MOST_PARTS = 100


def characters_of(path: Path) -> frozenset[str]:
    """The characters in a file of traineddata; empty if it has another form.

    It begins with the number of its parts and where each begins, as little-endian integers of 32
    and 64 bits; the first line of a list of characters is their number.
    """
    with path.open("rb") as stream:
        data = stream.read(4 + 8 * _MOST_PARTS)
        count = struct.unpack_from("<i", data)[0] if len(data) >= 4 else 0
        if not 0 < count <= _MOST_PARTS or len(data) < 4 + 8 * count:
            return frozenset()
        places = struct.unpack_from(f"<{count}q", data, 4)
        for part in (LSTM_UNICHARSET, UNICHARSET):
            if part < count and places[part] > 0:
                stream.seek(places[part])
                end = min((place for place in places if place > places[part]), default=None)
                text = stream.read(-1 if end is None else end - places[part])
                lines = text.decode("utf-8", errors="replace").split("\n")[1:]
                names = [line.partition(" ")[0] for line in lines if line]
                return frozenset("".join(name for name in names if name not in _NO_CHARACTERS))
    return frozenset()
