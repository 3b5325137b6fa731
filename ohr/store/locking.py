"""One command at a time writes to a folder of results."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ohr.errors import ConfigError
from ohr.store.atomic import disk_of

NAME = ".lock"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a folder, which is made if need be, for as long as this process lives at most.

    Raises ConfigError while another process holds it, and if nothing can be written to it,
    StoreError where what is begun cannot be removed. The lock
    is the system's, not the file's being there: one that a kill has left behind locks nothing. What
    a killed process had begun to write there (``.*.part``) is removed.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / NAME).open("ab")
    except OSError as error:
        raise ConfigError(
            f"cannot write to {folder}: {error.strerror or error}: choose another --out"
        ) from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ConfigError(
                f"another command is writing to {folder}: wait for it, or choose another --out"
            ) from error
        except OSError as error:
            raise ConfigError(f"cannot lock {folder}: {error.strerror or error}") from error
        for begun in folder.glob(".*.part"):
            with disk_of(begun):
                begun.unlink(missing_ok=True)
        yield
