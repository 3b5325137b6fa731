"""A journal: an append-only file of small artefacts, for those that come one at a time."""

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
"""How a line begins."""


class Journal:
    """Key -> JSON value, a line each, in one file; an equal key's later line counts.

    Each line is appended by one write, so that a process that is killed loses at most the line
    it was writing, and several processes may share a file. A line is ``[key, value, checksum]``;
    a damaged one counts as none, and an earlier one of its key no longer counts.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._unchecked: set[str] = set()
        """Keys of lines without a checksum."""

    def get(self, key: str) -> Any | None:
        """The value, or None where there is none. Raises StoreError for an unreadable file.

        One of before there were checksums is taken as it stands, and given its checksum.
        """
        value = self._entries.get(key)
        if key in self._unchecked:
            self._unchecked.discard(key)
            with contextlib.suppress(StoreError):  # a journal that cannot be written can be read
                self.put(key, value)
        return value

    def put(self, key: str, value: object) -> None:
        """Keep a value. Raises StoreError (a full disk, say)."""
        body = canonical_json([key, value])
        line = f'{body[:-1]},"{digest(body)}"]'
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
                # An earlier value of this key is not the one that was kept last.
                with contextlib.suppress(ValueError):
                    entries.pop(json.loads(b'"' + begins[1] + b'"'), None)
        return entries


def damaged_lines(data: bytes) -> int:
    """How many lines of a journal are not whole."""
    return sum(bool(line) and _parsed(line) is None for line in data.splitlines())


def _parsed(line: bytes) -> list[Any] | None:
    """Key, value and, unless the line is of before there were any, its right checksum."""
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    if not isinstance(entry, list) or len(entry) not in (2, 3) or not isinstance(entry[0], str):
        return None
    if len(entry) == 3 and entry[2] != digest(line[: line.rindex(b",")] + b"]"):
        return None
    return entry
