"""A journal: an append-only file for small artefacts that arrive one at a time."""

from __future__ import annotations

import contextlib
import json
import os
import re
from functools import cached_property
from pathlib import Path
from typing import Any

from ohr.errors import StoreError
from ohr.store.identity import canonical_json, digest

_KEY = re.compile(rb'\["((?:[^"\\]|\\.)*)",')
"""The beginning of a line."""


class Journal:
    """Key -> JSON value, one line each, in one file; the last line of a key counts.

    Each line is appended by a single write, so a killed process loses at most the line that it was
    writing, and several processes may share a file. A line is ``[key, value, checksum]``. If the
    last line of a key is damaged, the key has no value.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._unchecked: set[str] = set()
        """Keys of lines without a checksum."""

    def get(self, key: str) -> Any | None:
        """The value, or None if there is none. Raises StoreError for an unreadable file.

        An old value without a checksum is accepted, and gets its checksum.
        """
        value = self._entries.get(key)
        if key in self._unchecked:
            self._unchecked.discard(key)
            with contextlib.suppress(StoreError):  # a read-only journal still works
                self.put(key, value)
        return value

    def values(self) -> list[Any]:
        """All values. Raises StoreError for an unreadable file."""
        return list(self._entries.values())

    def put(self, key: str, value: object) -> None:
        """Store a value. Raises StoreError (a full disk, say)."""
        body = canonical_json([key, value])
        line = f'{body[:-1]},"{digest(body)}"]'
        # A line break comes first, to end a line that a killed process left incomplete.
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
        self._unchecked.discard(key)

    @cached_property
    def _entries(self) -> dict[str, Any]:
        try:
            lines = self.path.read_bytes().splitlines()
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise StoreError(f"cannot read {self.path}: {error.strerror or error}") from error
        entries: dict[str, Any] = {}
        for line in lines:
            entry = _parsed(line)
            if entry is not None:
                key, value, *checksum = entry
                entries[key] = value
                (self._unchecked.discard if checksum else self._unchecked.add)(key)
            elif begins := _KEY.match(line):
                # The line is damaged: an earlier value of its key must not count.
                with contextlib.suppress(ValueError):
                    entries.pop(json.loads(b'"' + begins[1] + b'"'), None)
        return entries


def damaged_lines(data: bytes) -> int:
    """The number of damaged lines in a journal."""
    return sum(bool(line) and _parsed(line) is None for line in data.splitlines())


def _parsed(line: bytes) -> list[Any] | None:
    """Key, value and checksum (missing in old lines); None for a damaged line."""
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    if not isinstance(entry, list) or len(entry) not in (2, 3) or not isinstance(entry[0], str):
        return None
    if len(entry) == 3 and entry[2] != digest(line[: line.rindex(b",")] + b"]"):
        return None
    return entry
