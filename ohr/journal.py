"""A journal: an append-only file of small artefacts, for those that come one at a time."""

from __future__ import annotations

import json
import os
from functools import cached_property
from pathlib import Path
from typing import Any

from ohr.errors import StoreError
from ohr.identity import canonical_json


class Journal:
    """Key -> JSON value, a line each, in one file; an equal key's later line counts.

    Each line is appended by one write, so that a process that is killed loses at most the line
    it was writing, and several processes may share a file. A damaged line counts as none.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def get(self, key: str) -> Any | None:
        """The value, or None where there is none. Raises StoreError for an unreadable file."""
        return self._entries.get(key)

    def put(self, key: str, value: object) -> None:
        """Keep a value. Raises StoreError (a full disk, say)."""
        line = canonical_json([key, value])
        # The line break comes first: it also ends a line that a kill has torn.
        data = f"\n{line}\n".encode("utf-8", "surrogatepass")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
            try:
                written = os.write(handle, data)
            finally:
                os.close(handle)
        except OSError as error:
            raise StoreError(f"cannot write {self.path}: {error.strerror or error}") from error
        if written < len(data):
            raise StoreError(f"cannot write {self.path}: no space left on device")
        self._entries[key] = json.loads(line)[1]

    @cached_property
    def _entries(self) -> dict[str, Any]:
        try:
            lines = self.path.read_bytes().splitlines()
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise StoreError(f"cannot read {self.path}: {error.strerror or error}") from error
        found = {}
        for line in lines:
            try:
                key, value = json.loads(line)
                found[str(key)] = value
            except (ValueError, TypeError):
                continue
        return found
