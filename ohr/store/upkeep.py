"""Inspects a store: sizes by kind, and damaged files."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ohr.store.artefacts import PLACE, is_whole
from ohr.store.journal import damaged_lines

BLOCK = 512


@dataclass
class Size:
    """Files, and bytes on disk."""

    files: int = 0
    bytes: int = 0

    def add(self, path: Path) -> None:
        """Count a file; a file that was removed meanwhile does not count."""
        with contextlib.suppress(OSError):
            self.bytes += path.stat().st_blocks * BLOCK
            self.files += 1


def files_of(folder: Path) -> Iterator[Path]:
    """All files below a folder, folder by folder, without links."""
    for root, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(root, name)
            if not path.is_symlink():
                yield path


def sizes(root: Path) -> dict[str, Size]:
    """Kind -> size, the largest first."""
    sizes_by_kind: dict[str, Size] = {}
    for kind in sorted(path for path in root.iterdir() if path.is_dir()):
        size = Size()
        for path in files_of(kind):
            size.add(path)
        sizes_by_kind[kind.name] = size
    return dict(sorted(sizes_by_kind.items(), key=lambda item: -item[1].bytes))


def damaged(root: Path, progress: Callable[[int], None]) -> Iterator[tuple[Path, str]]:
    """The damaged artefacts and journals, each with its problem.

    For old files without checksums, only unreadable ones are found. A damaged artefact is computed
    again; its file may be removed.
    """
    for done, path in enumerate(files_of(root), start=1):
        progress(done)
        place = path.relative_to(root).as_posix()
        try:
            if PLACE.fullmatch(place):
                if not is_whole(place, path.read_bytes()):
                    yield path, "its checksum is wrong"
            elif path.suffix == ".jsonl":
                if count := damaged_lines(path.read_bytes()):
                    yield path, f"{count} damaged lines, which count as none"
            elif path.suffix == ".part":
                yield path, "left by a process that was killed"
        except OSError as error:
            yield path, error.strerror or str(error)


def artefacts(root: Path, kind: str) -> Iterator[Path]:
    """The artefacts of a kind that have their own files."""
    return (path for path in files_of(root / kind) if path.suffix == ".json")
