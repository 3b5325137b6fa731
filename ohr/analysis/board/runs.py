"""The runs of a board: which are complete, what others lack, and which are reruns of another."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ohr.errors import OhrError
from ohr.ocr.progress_file import FOLDER, read_progress
from ohr.store.identity import digest, file_digest
from ohr.study.faults import faults_of, has_receipt
from ohr.study.notices.failures import failure_lines
from ohr.study.output.cases import FILE as CASES
from ohr.study.output.rows import FILE as ROWS
from ohr.study.results import StudyRun, check_distinct, open_run
from ohr.types import FAILED

MANIFEST, CELLS = "manifest.json", "cells.csv"
RESULTS = (ROWS, CELLS, CASES)
"""The files of a run whose bytes a rerun repeats."""
_TRACES = (FOLDER, ROWS, CELLS, CASES, MANIFEST)
"""What a run leaves in its folder, whether it ended or not."""


@dataclass(frozen=True)
class Entry:
    """A run that was given: its name, its results if there are any, and what it lacks."""

    name: str
    path: Path
    run: StudyRun | None
    lacks: tuple[str, ...] = ()
    """Lines on what is missing; empty for a complete run."""

    @property
    def state(self) -> str:
        """``complete``, ``incomplete``, or ``not verified``: nobody noted what the study wrote."""
        if self.lacks:
            return "incomplete"
        return "complete" if has_receipt(self.path) else "not verified"


@dataclass(frozen=True)
class Rerun:
    """A run whose study is that of an earlier one, and the result files that are not the same."""

    name: str
    first: str
    differing: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    """Result files that one of the two runs has and the other has not."""

    @property
    def same_bytes(self) -> bool:
        """Whether all result files have the same digest."""
        return not self.differing and not self.absent

    def badge(self) -> str:
        """``same bytes as first``, or ``differs from first in rows.parquet``."""
        if self.same_bytes:
            return f"same bytes as {self.first}"
        parts = []
        if self.differing:
            parts.append(f"differs from {self.first} in {', '.join(self.differing)}")
        if self.absent:
            parts.append(f"only one of it and {self.first} has {', '.join(self.absent)}")
        return "; ".join(parts)


def open_entries(paths: Sequence[Path]) -> list[Entry]:
    """The runs in these folders. Raises OhrError for a folder that is not a run's, or comes twice.

    A run that did not finish, lost results, has failed answers, or is no longer what its study
    wrote is an entry that lacks something.
    """
    if not paths:
        raise OhrError("no run: give the folder of at least one run")
    check_distinct(paths)
    names = _names(paths)
    return [_open(name, path) for name, path in zip(names, paths, strict=True)]


def _names(paths: Sequence[Path]) -> list[str]:
    """Folder names; where two are the same, with as many of the folders above as they need."""
    places = [path.resolve() for path in paths]
    names = [place.name or str(place) for place in places]
    depth = 1
    while repeated := {name for name in names if names.count(name) > 1}:
        depth += 1
        names = [
            "/".join(place.parts[-depth:]) if name in repeated else name
            for name, place in zip(names, places, strict=True)
        ]
    return names


def _open(name: str, path: Path) -> Entry:
    if not path.is_dir():
        what = "is a file" if path.exists() else "does not exist"
        raise OhrError(f"{path} {what}: give the folder of a run")
    if not any((path / trace).exists() for trace in _TRACES):
        raise OhrError(f"{path} is not the folder of a run: it has no {MANIFEST}")
    if not (path / MANIFEST).exists():
        return Entry(name, path, None, tuple(_unfinished(path)))
    lost = [file for file in (ROWS, CELLS) if not (path / file).exists()]
    if lost:
        _check_manifest(path)
        return Entry(name, path, None, tuple(f"{file} is missing" for file in lost))
    run = open_run(path)
    faults = (f"not what its study wrote: {fault}" for fault in faults_of(run))
    return Entry(name, path, run, (*faults, *lacks_of(run)))


def _check_manifest(path: Path) -> None:
    """Raise OhrError for a manifest that no run wrote."""
    try:
        manifest = json.loads((path / MANIFEST).read_text("utf-8"))
        known_values = {"config", "dataset"} <= set(manifest)
    except (OSError, ValueError, TypeError):
        known_values = False
    if not known_values:
        raise OhrError(f"{path} is not the folder of a run: {MANIFEST} is not a run's")


def _unfinished(path: Path) -> Iterator[str]:
    yield f"not finished: it has no {MANIFEST}"
    for process, (facts, _) in read_progress(path).items():
        pages, to_read = facts.get("read"), facts.get("to_read")
        if isinstance(pages, int) and isinstance(to_read, int):
            of = "" if process == "all" else f" ({process})"
            yield f"{pages:,} of {to_read:,} pages read{of}"


def lacks_of(run: StudyRun) -> Iterator[str]:
    """What is missing in a finished run: cells, answers. Empty if it is complete.

    Pages that an engine failed to read are final results, which count with the worst value; a
    condition all of whose pages failed is missing.
    """
    planned = run.manifest.get("cells", {}).get("planned", 0)
    for line in run.missing:
        yield f"{line} of {planned:,} are missing"
    protocol = run.manifest.get("config", {}).get("scoring", "default")
    failed = {
        name: dict(entry) | {"notes": {}, "empty_for_a_reason": 0}
        for name, entry in run.readers.items()
        if any(entry.get("by_status", {}).get(str(status)) for status in FAILED)
    }
    yield from failure_lines(failed, protocol)
    yield from run.failed


def study_of(run: StudyRun) -> str:
    """The digest of a run's study: all that decides its results. Reruns have the same."""
    config: dict[str, Any]
    try:
        config = run.config.identity()
    except OhrError:
        ignored = ("cache", "workers", "retry_failed")
        config = {k: v for k, v in run.manifest.get("config", {}).items() if k not in ignored}
    data = run.manifest.get("dataset", {}).get("digest", "")
    imported = run.manifest.get("imported", {})
    return digest([config, data, run.manifest.get("draws", []), imported])


def digests_of(path: Path) -> dict[str, str]:
    """The digests of a run's result files, of those that it has."""
    return {file: file_digest(path / file) for file in RESULTS if (path / file).exists()}


def reruns(entries: Sequence[Entry]) -> list[Rerun]:
    """Each run whose study an earlier run has too, compared with that one file by file."""
    firsts: dict[str, Entry] = {}
    result = []
    for entry in entries:
        if entry.run is None:
            continue
        first = firsts.setdefault(study_of(entry.run), entry)
        if first is entry:
            continue
        before, after = digests_of(first.path), digests_of(entry.path)
        shared = [file for file in RESULTS if file in before and file in after]
        result.append(
            Rerun(
                entry.name,
                first.name,
                tuple(file for file in shared if before[file] != after[file]),
                tuple(file for file in RESULTS if (file in before) != (file in after)),
            )
        )
    return result
