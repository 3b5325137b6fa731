"""Files appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from ohr.errors import StoreError


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file by atomic rename, making its folder. Raises StoreError (a full disk, say)."""
    temporary: str | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
        temporary = None
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        if temporary is not None and os.path.exists(temporary):
            os.unlink(temporary)


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text by atomic rename; lone surrogates become U+FFFD."""
    clean = text.encode("utf-8", "replace") if _has_surrogate(text) else text.encode()
    write_bytes(path, clean)


def _has_surrogate(text: str) -> bool:
    return any("\ud800" <= char <= "\udfff" for char in text)
