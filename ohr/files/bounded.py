"""Reads files that are parsed as a whole: no devices, and no more than a maximum size."""

from __future__ import annotations

import errno
from pathlib import Path

MOST_BYTES = 200_000_000


def read_bounded(path: Path, most: int = MOST_BYTES) -> bytes:
    """The bytes of a regular file.

    Raises OSError, also for a folder, a device or a file of more than ``most`` bytes.
    """
    if path.exists() and not path.is_file():
        what = "a folder" if path.is_dir() else "a device or a pipe"
        raise OSError(errno.EINVAL, f"it is {what}, not a file")
    with path.open("rb") as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"it holds more than {most / 1e6:g} MB")
    return data
