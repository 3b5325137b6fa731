"""Locks a folder of results, so that one command at a time writes to it."""

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
    """Lock a folder, which is created if needed, at most while this process lives.

    The system holds the lock, so a lock file that a killed process left behind locks nothing.
    Unfinished files of a killed process (``.*.part``) are removed. Raises ConfigError while another
    process has the lock, and if the folder cannot be written to; StoreError if an unfinished file
    cannot be removed.
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
