"""Exchanges a store's artefacts in packs, for machines that share no folder, by an object store.

A pack is a zip file of some thousand artefacts, named by the digest of their places. It never
changes, so any number of machines may add packs at the same time. Artefacts have checksums, so a
damaged one is ignored. Failures of pages are not packed, since a later attempt may succeed.
``ROOT/packs`` records the artefacts of each pack that was written or read here.
"""

from __future__ import annotations

import contextlib
import json
import re
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ohr.errors import ConfigError, MissingDependencyError, StoreError
from ohr.files.safe_text import plain
from ohr.store.artefacts import PLACE, is_whole
from ohr.store.atomic import disk_of, write_bytes, write_text
from ohr.store.identity import digest
from ohr.store.upkeep import files_of
from ohr.types import FAILED

PACK_BYTES = 64 * 2**20
"""A pack is full with this many bytes of artefacts."""
MOST_BYTES = 100_000_000
"""Most bytes of one artefact in a pack; a larger one is damaged, or an attack."""
RECORD = "packs"
OF_PAGES = ("reading/", "ocr/")
"""Kinds of artefacts that may be failures."""
WHOLE_WHEN_THERE = frozenset({"s3", "s3a", "gs", "gcs", "az", "abfs", "adl", "oci", "memory"})
"""Protocols whose files appear only when complete. With others, files are renamed into place."""

Report = Callable[[int, int], None]
"""Called with (packs done, packs in all)."""


@dataclass
class Moved:
    """Counts of what was transferred, and of damage."""

    packs: int = 0
    artefacts: int = 0
    bytes: int = 0
    """Size of the packs."""
    damaged: int = 0
    """Number of damaged artefacts and packs."""


class Packs:
    """The packs of one place: a URL that fsspec knows, or a folder."""

    def __init__(self, root: Path, url: str) -> None:
        """Raises MissingDependencyError, and ConfigError for an invalid address."""
        self._root = root
        try:
            from fsspec.core import url_to_fs
        except ImportError as error:
            raise MissingDependencyError(
                "packs: fsspec is not installed: pip install 'ohr[fsspec]'"
            ) from error
        try:
            self._files, self._folder = url_to_fs(url, use_listings_cache=False)
        except ImportError as error:
            raise MissingDependencyError(f"{url}: {' '.join(str(error).split())}") from error
        except ValueError as error:
            raise ConfigError(f"{url}: {' '.join(str(error).split())}") from error

    def push(self, report: Report) -> Moved:
        """Write the artefacts that are in no pack into new packs. Raises StoreError."""
        moved, known_values = Moved(), self._known(self._names())
        new = [place for place in self._own() if place not in known_values]
        packs = list(self._parted(new))
        for done, places in enumerate(packs):
            report(done, len(packs))
            with tempfile.TemporaryDirectory(prefix="ohr-pack-") as folder:
                pack = Path(folder) / "new.zip"
                with disk_of(pack):
                    whole = self._write(pack, places, moved)
                if not whole:
                    continue
                name = f"{digest(whole)}.zip"
                with self._remote_errors(name):
                    self._put(pack, name)
                moved.bytes += pack.stat().st_size
            self._record(name, whole)
            moved.packs += 1
            moved.artefacts += len(whole)
        return moved

    def pull(self, report: Report) -> Moved:
        """Read the artefacts of packs that were not read before. Raises StoreError."""
        moved = Moved()
        new = [name for name in self._names() if not (self._root / RECORD / name).is_file()]
        for done, name in enumerate(new):
            report(done, len(new))
            with tempfile.TemporaryDirectory(prefix="ohr-pack-") as folder:
                pack = Path(folder) / name
                with self._remote_errors(name):
                    self._files.get_file(f"{self._folder}/{name}", str(pack))
                try:
                    archive = zipfile.ZipFile(pack)
                except Exception:  # damaged bytes can raise anything
                    moved.damaged += 1
                    continue
                with archive:
                    if digest(archive.namelist()) != name.removesuffix(".zip"):
                        moved.damaged += 1  # a damaged list of contents hides artefacts
                    places = self._unpack(archive, moved)
                moved.bytes += pack.stat().st_size
            self._record(name, places)
            moved.packs += 1
        return moved

    def _own(self) -> Iterator[str]:
        """The places of the local artefacts."""
        for path in files_of(self._root):
            place = path.relative_to(self._root).as_posix()
            if PLACE.fullmatch(place):
                yield place

    def _names(self) -> list[str]:
        """The names of the remote packs."""
        with self._remote_errors(""):
            if not self._files.exists(self._folder):
                return []
            listed = self._files.ls(self._folder, detail=False)
        names = (str(path).rstrip("/").rpartition("/")[2] for path in listed)
        return sorted(name for name in names if re.fullmatch(r"[0-9a-f]{32}\.zip", name))

    def _known(self, names: Iterable[str]) -> set[str]:
        """The places of artefacts in these packs, as far as recorded here."""
        known_values: set[str] = set()
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                known_values.update((self._root / RECORD / name).read_text().split())
        return known_values

    def _record(self, name: str, places: Iterable[str]) -> None:
        write_text(self._root / RECORD / name, "".join(f"{place}\n" for place in places))

    def _parted(self, places: Iterable[str]) -> Iterator[list[str]]:
        """Groups of artefacts of about a pack's size."""
        part: list[str] = []
        size = 0
        for place in places:
            with contextlib.suppress(OSError):
                size += (self._root / place).stat().st_size
            part.append(place)
            if size >= PACK_BYTES:
                yield part
                part, size = [], 0
        if part:
            yield part

    def _write(self, pack: Path, places: Iterable[str], moved: Moved) -> list[str]:
        """Write a pack without damaged artefacts and failures; returns the places in it."""
        whole = []
        with zipfile.ZipFile(pack, "w", zipfile.ZIP_DEFLATED) as archive:
            for place in places:
                data = self._whole(place)
                if data is None:
                    moved.damaged += 1
                elif not _is_failure(place, data):
                    archive.writestr(zipfile.ZipInfo(place), data, zipfile.ZIP_DEFLATED)
                    whole.append(place)
        return whole

    def _whole(self, place: str) -> bytes | None:
        """A local artefact; None if it is missing or damaged."""
        try:
            data = (self._root / place).read_bytes()
        except OSError:
            return None
        return data if is_whole(place, data) else None

    def _unpack(self, archive: zipfile.ZipFile, moved: Moved) -> list[str]:
        """Store artefacts that are missing, or failures, here; returns the undamaged places."""
        whole = []
        for info in archive.infolist():
            place = info.filename
            data = b""
            if PLACE.fullmatch(place) and info.file_size <= MOST_BYTES:
                with contextlib.suppress(Exception):  # damaged bytes can raise anything
                    data = archive.read(info)
            if not data or not is_whole(place, data):
                moved.damaged += 1
                continue
            if _is_failure(place, data):  # in old packs
                continue
            whole.append(place)
            stored = self._whole(place)
            if stored is None or _is_failure(place, stored):
                write_bytes(self._root / place, data)
                moved.artefacts += 1
        return whole

    def _put(self, pack: Path, name: str) -> None:
        target = f"{self._folder}/{name}"
        protocols: Any = self._files.protocol
        if WHOLE_WHEN_THERE & ({protocols} if isinstance(protocols, str) else set(protocols)):
            self._files.put_file(str(pack), target)
            return
        self._files.makedirs(self._folder, exist_ok=True)
        self._files.put_file(str(pack), f"{target}.part")
        self._files.mv(f"{target}.part", target)

    @contextlib.contextmanager
    def _remote_errors(self, name: str) -> Iterator[None]:
        """Turn any error of the remote file system into a StoreError."""
        try:
            yield
        except StoreError:
            raise
        except Exception as error:  # every file system raises its own
            reason = " ".join(str(error).split())[:300]
            where = plain("/".join(filter(None, (self._folder, name))))
            raise StoreError(f"{where}: {type(error).__name__}: {reason}") from error


def _is_failure(place: str, data: bytes) -> bool:
    """Whether an undamaged artefact is the failure of a page."""
    if not place.startswith(OF_PAGES):
        return False
    try:
        value = json.loads(data.partition(b"\n")[0])
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and str(value.get("status")) in FAILED
