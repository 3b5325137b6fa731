"""What a store of many OCR outputs costs: as files, in SQLite, in packed segments.

    python -m benchmarks.store [OUTPUTS] [--folder FOLDER] [--only files,sqlite,segments]

Outputs are looked up in a store that lacks them (planned), then stored (written, so that a kill
loses none that was stored), then looked up again in another order (read). An output is 2,000
characters under a key as a study makes it. CPU seconds are printed beside wall seconds: they mean
more where others use the machine. Files and segments allow several writers on a file system that
machines share. SQLite does not: it would need one process that writes for all.
"""

from __future__ import annotations

import argparse
import os
import random
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ohr.store.artefacts import ArtefactStore
from ohr.store.identity import canonical_json, digest

TEXT = "A line of forty characters, as pages go.".ljust(40) * 50
INDEX = np.dtype([("key", "S16"), ("at", "<u8"), ("size", "<u4")])


class Store(Protocol):
    def get(self, key: object) -> Any | None: ...
    def put(self, key: object, value: object) -> None: ...


class Files:
    """The toolkit's store: one file per output."""

    def __init__(self, folder: Path) -> None:
        self._store = ArtefactStore(folder)

    def get(self, key: object) -> Any | None:
        return self._store.get("reading", key)

    def put(self, key: object, value: object) -> None:
        self._store.put("reading", key, value)


class Sqlite:
    """A table in one file, written ahead; each output is committed by itself."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self._base = sqlite3.connect(folder / "store.db", isolation_level=None)
        self._base.execute("pragma journal_mode=wal")
        self._base.execute("pragma synchronous=off")  # files are not synced either
        self._base.execute("create table t (key blob primary key, value blob) without rowid")

    def get(self, key: object) -> Any | None:
        name = bytes.fromhex(digest(key))
        row = self._base.execute("select value from t where key = ?", (name,)).fetchone()
        return None if row is None else checked(row[0])

    def put(self, key: object, value: object) -> None:
        name = bytes.fromhex(digest(key))
        self._base.execute("insert or replace into t values (?, ?)", (name, packed(value)))


class Segments:
    """Values behind one another in a file that one process appends to, and an index beside it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self._values = (folder / "0.values").open("a+b", buffering=0)
        self._index = (folder / "0.index").open("ab", buffering=0)
        self._places: dict[bytes, tuple[int, int]] = {}
        self._end = 0

    def get(self, key: object) -> Any | None:
        place = self._places.get(bytes.fromhex(digest(key)))
        return None if place is None else checked(os.pread(self._values.fileno(), *place[::-1]))

    def put(self, key: object, value: object) -> None:
        name, data = bytes.fromhex(digest(key)), packed(value)
        self._values.write(data)
        self._index.write(np.array((name, self._end, len(data)), INDEX).tobytes())
        self._places[name] = (self._end, len(data))
        self._end += len(data)


def packed(value: object) -> bytes:
    body = canonical_json(value).encode()
    return body + b"\n" + digest(body).encode()


def checked(data: bytes) -> Any | None:
    import json

    body, _, checksum = data.rpartition(b"\n")
    return json.loads(body) if checksum.decode() == digest(body) else None


STORES: dict[str, Callable[[Path], Store]] = {
    "files": Files,
    "sqlite": Sqlite,
    "segments": Segments,
}


def key(number: int) -> dict[str, object]:
    engine = {"name": "tesseract", "version": "4", "params": {"psm": 3, "languages": ["eng"]}}
    return {"source": f"{number // 500:032x}", "engine": engine, "pdf_page": number % 500}


def spent(work: Iterator[None]) -> tuple[float, float]:
    """Wall and CPU seconds of some work."""
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in work:
        pass
    return time.perf_counter() - wall, time.process_time() - cpu


def look_up(store: Store, numbers: list[int], *, present: bool) -> Iterator[None]:
    for number in numbers:
        value = store.get(key(number))
        assert (value is not None) == present
        yield


def write(store: Store, count: int) -> Iterator[None]:
    for number in range(count):
        store.put(key(number), {"status": "ok", "text": f"{number} {TEXT}", "detail": ""})
        yield


def size(folder: Path) -> tuple[int, float, int]:
    """Inodes, megabytes on disk, and the most entries of a folder."""
    inodes, blocks, most = 0, 0, 0
    for root, folders, files in os.walk(folder):
        inodes += len(folders) + len(files)
        most = max(most, len(folders) + len(files))
        blocks += sum(os.stat(os.path.join(root, name)).st_blocks for name in files)
    return inodes, blocks * 512 / 1e6, most


def main() -> None:
    """Print one row per store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("outputs", nargs="?", type=int, default=20_000)
    parser.add_argument("--folder", type=Path, default=None)
    parser.add_argument("--only", default=",".join(STORES))
    options = parser.parse_args()
    n = options.outputs
    print(f"{n} outputs; seconds: wall (CPU)")
    print(f"{'store':<10}{'planned':>18}{'written':>18}{'read':>18}{'inodes':>10}{'MB':>8}")
    for name in options.only.split(","):
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            store = STORES[name](Path(folder) / "store")
            numbers = list(range(n))
            row = [spent(look_up(store, numbers, present=False)), spent(write(store, n))]
            random.Random(0).shuffle(numbers)
            row.append(spent(look_up(store, numbers, present=True)))
            inodes, megabytes, most = size(Path(folder))
            cells = "".join(f"{f'{wall:.1f} ({cpu:.1f})':>18}" for wall, cpu in row)
            print(f"{name:<10}{cells}{inodes:>10}{megabytes:>8.0f}  at most {most} in a folder",
                  flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
