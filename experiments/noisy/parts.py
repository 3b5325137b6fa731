"""Distorted pages of several processes: which exist, and which are to do."""

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
"""Folder in the output for each page's records, until the command without a shard."""
LIMITS = Limits(cpu_s=120, wall_s=900)


class Parts:
    """The pages of an output that shards write.

    A page exists if its records are stored and its images are in the output. A failed page is
    tried again by a process without a shard, not by a shard that steals pages.
    """

    def __init__(self, out: Path, workers: int, shard: Shard | None = None) -> None:
        self.sharing = Sharing(out / FOLDER, out, shard)
        self._out, self._workers = out, workers
        self._store = ArtefactStore(out / FOLDER)
        self._digests: dict[Path, str] = {}
        self._identities: dict[str, dict[str, object]] = {}

    @property
    def exist(self) -> bool:
        """Whether a shard has written anything."""
        return (self._out / FOLDER).is_dir()

    def make(self, tasks: Sequence[DistortTask], progress: Progress) -> None:
        """Distort the missing pages, or those of the shard."""
        work = Work(
            len(tasks),
            lambda number: name_of(_ref(tasks[number])),
            tasks.__getitem__,
            lambda task: digest(self._key(task)),
            self._is_final,
        )
        for numbers in self.sharing.rounds():
            pending = work.pending(numbers)
            refs = (_ref(tasks[number]) for number in pending.numbers)
            for line in self.sharing.unread(refs, len(pending)):
                progress.say(line)
            with self.sharing.hold([pending]):
                if pending:
                    self._distort(work, pending, progress)

    def completed(self, tasks: Sequence[DistortTask], progress: Progress) -> dict[int, Records]:
        """Distort the missing pages; returns the records of each task that did not fail."""
        self.make(tasks, progress)
        by_task = {number: self._records(task) for number, task in enumerate(tasks)}
        return {number: records for number, records in by_task.items() if records}

    def _distort(self, work: Work[DistortTask], pending: Pending, progress: Progress) -> None:
        with WorkerPool[Records](distort_page, workers=self._workers, limits=LIMITS) as pool:
            finished = self.sharing.read(pool, work, pending)
            for done, (task, outcome) in enumerate(finished, start=1):
                if outcome is not None and outcome.value is None:
                    report_failure(task, outcome, progress)
                if outcome is not None:
                    # As text, since the store would sort the keys of a record.
                    text = json.dumps(outcome.value or [])
                    self._store.put("distorted", self._key(task), {"records": text})
                progress("pages", done, len(pending))

    def _records(self, task: DistortTask) -> Records | None:
        """The records of a page; empty if it failed, None if it does not exist."""
        match self._store.get("distorted", self._key(task)):
            case {"records": str(text)}:
                records: Records = json.loads(text)
            case _:
                return None
        has_images = all((self._out / file).is_file() for _, file in task.noises)
        return records if has_images or not records else None

    def _is_final(self, task: DistortTask) -> bool:
        records = self._records(task)
        return bool(records) or (records is not None and self.sharing.shard is not None)

    def _key(self, task: DistortTask) -> dict[str, Any]:
        """Everything that decides the images of a page, and their names."""
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


def report_failure(task: DistortTask, outcome: Outcome[Records], progress: Progress) -> None:
    """Print a page that could not be distorted. Raises OhrError if the page is not the cause."""
    stop_if_not_the_page(outcome.detail)
    source = task.source
    where = "" if source.page_no is None else f" page {source.page_no + 1}"
    progress.say(f"error: {plain(source.file_name)}{where}: {outcome.detail}")
