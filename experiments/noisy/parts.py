"""Distorted pages that several processes have written: what of them is there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments.noisy.one_page import DistortTask, distort_page
from ohr import registry
from ohr.files.safe_text import plain
from ohr.ocr.failures import stop_if_not_the_page
from ohr.ocr.key import DRAWN_BY
from ohr.ocr.progress import Progress
from ohr.ocr.shards import Pending, Shard, Work, name_of
from ohr.ocr.sharing import Sharing
from ohr.registry import PluginSpec
from ohr.store.artefacts import ArtefactStore
from ohr.store.identity import canonical_json, digest, file_digest
from ohr.types import Outcome, PageRef
from ohr.workers import Limits, WorkerPool

Records = list[dict[str, Any]]

FOLDER = ".pages"
"""Folder of an output in which shards keep each page's records, for the command that ends it."""
LIMITS = Limits(cpu_s=120, wall_s=900)


class Parts:
    """The pages of an output that shards write.

    A page is there if its records are stored and its images lie in the output. One that failed
    is tried again by a process without a shard, not by a shard that takes over.
    """

    def __init__(self, out: Path, workers: int, shard: Shard | None = None) -> None:
        self.sharing = Sharing(out / FOLDER, out, shard)
        self._out, self._workers = out, workers
        self._store = ArtefactStore(out / FOLDER)
        self._digests: dict[Path, str] = {}
        self._identities: dict[str, dict[str, object]] = {}

    @property
    def are_there(self) -> bool:
        """Whether a shard has written anything."""
        return (self._out / FOLDER).is_dir()

    def make(self, tasks: Sequence[DistortTask], progress: Progress) -> None:
        """Distort what is not there, of a shard its pages."""
        work = Work(
            len(tasks),
            lambda number: name_of(_ref(tasks[number])),
            tasks.__getitem__,
            lambda task: digest(self._key(task)),
            self._stands,
        )
        for wanted in self.sharing.rounds():
            pending = work.pending(wanted)
            unread = (_ref(tasks[number]) for number in pending.numbers)
            for line in self.sharing.unread(unread, len(pending)):
                progress.say(line)
            with self.sharing.hold([pending]):
                if pending:
                    self._distort(work, pending, progress)

    def made(self, tasks: Sequence[DistortTask], progress: Progress) -> dict[int, Records]:
        """Distort what is not there; the records of each task that did not fail."""
        self.make(tasks, progress)
        found = {number: self._records(task) for number, task in enumerate(tasks)}
        return {number: records for number, records in found.items() if records}

    def _distort(self, work: Work[DistortTask], pending: Pending, progress: Progress) -> None:
        with WorkerPool[Records](distort_page, workers=self._workers, limits=LIMITS) as pool:
            finished = self.sharing.read(pool, work, pending)
            for done, (task, outcome) in enumerate(finished, start=1):
                if outcome is not None and outcome.value is None:
                    say_failed(task, outcome, progress)
                if outcome is not None:
                    # As text: the store would order what a record says.
                    text = json.dumps(outcome.value or [])
                    self._store.put("distorted", self._key(task), {"records": text})
                progress("pages", done, len(pending))

    def _records(self, task: DistortTask) -> Records | None:
        """The records of a page; empty of one that failed, None of one that is not there."""
        match self._store.get("distorted", self._key(task)):
            case {"records": str(text)}:
                records: Records = json.loads(text)
            case _:
                return None
        there = all((self._out / file).is_file() for _, file in task.noises)
        return records if there or not records else None

    def _stands(self, task: DistortTask) -> bool:
        records = self._records(task)
        return bool(records) or (records is not None and self.sharing.shard is not None)

    def _key(self, task: DistortTask) -> dict[str, Any]:
        """Everything that the images of a page are made of, and their names."""
        source = task.source
        if source.path not in self._digests:
            try:
                self._digests[source.path] = file_digest(source.path)
            except OSError as error:
                self._digests[source.path] = f"unreadable: {error.strerror}"
        noises = [
            [self._identity(noise.operator), noise.level, noise.intensity, file]
            for noise, file in task.noises
            if noise.operator is not None
        ]
        return {
            "source": self._digests[source.path],
            "name": source.name,
            "render": [source.page_no, source.dpi, source.drawn_by],
            "noises": noises,
            "seed": task.seed,
            "written": [task.format, task.quality],
            "drawn": DRAWN_BY,
        }

    def _identity(self, operator: PluginSpec) -> dict[str, object]:
        name = canonical_json(operator)
        if name not in self._identities:
            self._identities[name] = registry.create("perturbation", operator).identity()
        return self._identities[name]


def _ref(task: DistortTask) -> PageRef:
    return PageRef(task.source.name, task.source.page_no or 0)


def say_failed(task: DistortTask, outcome: Outcome[Records], progress: Progress) -> None:
    """Name a page that could not be distorted. Raises OhrError for what is no fault of a page."""
    stop_if_not_the_page(outcome.detail)
    source = task.source
    where = "" if source.page_no is None else f" page {source.page_no + 1}"
    progress.say(f"error: {plain(source.file_name)}{where}: {outcome.detail}")
