"""The artefact store: costly results under the digest of everything that determines them."""

from __future__ import annotations

import contextlib
import json
import re
from pathlib import Path
from typing import Any

from ohr.errors import StoreError
from ohr.store.atomic import write_bytes
from ohr.store.identity import canonical_json, digest
from ohr.store.journal import Journal

_KIND = re.compile(r"[a-z][a-z0-9_]*")
PLACE = re.compile(r"[a-z][a-z0-9_]*/([0-9a-f]{2})/\1[0-9a-f]{30}\.json")
"""The path of an artefact within a store. Other files of a store have other forms."""


class ArtefactStore:
    """A folder of JSON artefacts, safe to share between processes.

    An artefact has a kind (``ocr``, ``reading``, ``retrieval`` …) and a key: any value with
    canonical JSON. Writes are atomic: another process sees a whole artefact or none. A file has
    the value on its first line, and on the second a checksum of the value and its place.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._prefix = f"{root}/"

    def path(self, kind: str, key: object) -> Path:
        """The path of an artefact, whether or not it exists."""
        return self.root / self._place(kind, key)

    def journal(self, kind: str, key: object) -> Journal:
        """The journal of a kind and key: for thousands of small artefacts, one per line."""
        return Journal(self._folder(kind) / f"{digest(key)}.jsonl")

    def folder(self, kind: str, key: object) -> Path:
        """The folder of a kind and key: for artefacts in files of another form."""
        return self._folder(kind) / digest(key)

    def get(self, kind: str, key: object) -> Any | None:
        """The artefact, or None if it is missing or damaged.

        An old artefact without a checksum is accepted, and gets its checksum. Raises StoreError.
        """
        # A study reads millions: making a Path for each would take as long as reading.
        place = self._place(kind, key)
        path = self._prefix + place
        try:
            with open(path, "rb", buffering=0) as stream:
                data = stream.readall()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StoreError(f"cannot read {path}: {error.strerror or error}") from error
        if not is_whole(place, data):
            return None
        body, has_checksum, _ = data.partition(b"\n")
        value = json.loads(body)
        if not has_checksum:
            with contextlib.suppress(StoreError):  # a read-only cache still works
                self.put(kind, key, value)
        return value

    def put(self, kind: str, key: object, value: object) -> None:
        """Store an artefact, replacing one of the same key. Raises StoreError."""
        place = self._place(kind, key)
        body = canonical_json(value).encode("utf-8", "surrogatepass")
        write_bytes(self.root / place, body + b"\n" + _checksum(place, body).encode())

    def _place(self, kind: str, key: object) -> str:
        """The path of an artefact within the store."""
        name = digest(key)
        return f"{_checked(kind)}/{name[:2]}/{name}.json"

    def _folder(self, kind: str) -> Path:
        return self.root / _checked(kind)


def is_whole(place: str, data: bytes) -> bool:
    """Whether an artefact's file is undamaged; ``place`` is its path within the store."""
    body, has_checksum, checksum = data.partition(b"\n")
    if has_checksum:
        return checksum.decode("ascii", "replace") == _checksum(place, body)
    try:
        json.loads(body)
    except ValueError:
        return False
    return True


def _checked(kind: str) -> str:
    if not _KIND.fullmatch(kind):
        raise ValueError(f"not a kind of artefact: {kind!r}")
    return kind


def _checksum(place: str, body: bytes) -> str:
    """A checksum that detects changed bits, and an artefact in the wrong place."""
    return digest(place.encode() + b"\n" + body)
