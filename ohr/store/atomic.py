"""Writes files so that they appear whole or not at all."""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ohr.errors import StoreError

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file by atomic rename, creating its folder. Raises StoreError (a full disk, say)."""
    # A run writes millions of files: each system call less saves a tenth of the time.
    with disk_of(path):
        folder = str(path).rpartition("/")[0]
        part = f"{folder or ('/' if path.is_absolute() else '.')}/.{secrets.token_hex(8)}.part"
        try:
            handle = os.open(part, _NEW, 0o644)
        except FileNotFoundError:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(part, _NEW, 0o644)
        try:
            try:
                _write_all(handle, data)
                if os.fstat(handle).st_mode & 0o777 != 0o644:  # the process has another mask
                    os.fchmod(handle, 0o644)
            finally:
                os.close(handle)
            os.replace(part, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(part)
            raise


def _write_all(handle: int, data: bytes) -> None:
    remaining = memoryview(data)
    while remaining:
        remaining = remaining[os.write(handle, remaining) :]


@contextmanager
def part_of(path: Path) -> Iterator[Path]:
    """An empty temporary file next to ``path``; removed at the end unless it was put in place.

    Raises StoreError if it cannot be created.
    """
    with disk_of(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
        os.close(handle)
    part = Path(name)
    try:
        yield part
    finally:
        part.unlink(missing_ok=True)


def put_in_place(part: Path, path: Path) -> None:
    """Rename a temporary file to its final path. Raises StoreError."""
    with disk_of(path):
        part.chmod(0o644)
        os.replace(part, path)


@contextmanager
def disk_of(path: Path) -> Iterator[None]:
    """Turn an OSError inside the block into a StoreError that names the file."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror or error}") from error


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text by atomic rename; lone surrogates become U+FFFD."""
    try:
        clean = text.encode()
    except UnicodeEncodeError:
        clean = text.encode("utf-8", "replace")
    write_bytes(path, clean)
