"""Reads pages as a study does, and beside it what tells of a reading without truth.

That is the page read again under mild distortions, and the engine's words with their confidence.
What a study stored is not read again, and what is read here is stored as a study stores it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ohr import registry
from ohr.errors import EngineError
from ohr.ocr.distort import distorted
from ohr.ocr.failures import Streak, check_first, stop_if_not_the_page
from ohr.ocr.key import DRAWN_BY
from ohr.ocr.noise import at_dpi
from ohr.ocr.store import (
    keep_failure,
    ocr_key,
    stored_output,
    stored_text,
)
from ohr.ocr.worker import PageReader, PageTask, distort, page_image, read_page
from ohr.plugins import OcrBackend
from ohr.plugins.perturbation import check_page
from ohr.quality.table import Seen
from ohr.registry import PluginSpec
from ohr.store.artefacts import ArtefactStore
from ohr.store.identity import pixel_digest
from ohr.types import FAILED, Outcome, Word
from ohr.workers import Limits, WorkerPool

MILD = 0.25
"""Intensity of the distortions under which a page is read again: their level *mild*."""
REPEATS = tuple(PluginSpec(name=name) for name in ("rotation", "psf_blur", "salt_and_pepper"))
"""One of the page's place, one of its optics, one of its pixels."""


@dataclass(frozen=True)
class ObservationTask:
    """A page to observe, and the key of what is seen."""

    page: PageTask
    repeats: tuple[PluginSpec, ...]
    words: bool
    key: dict[str, Any]


@dataclass
class Observing:
    """How pages are observed: by which engine, with what, within which limits."""

    engine: PluginSpec
    backend: OcrBackend
    store: ArtefactStore
    limits: Limits
    workers: int = 1
    wobble: bool = True
    words: bool = True
    stop_after_failures: int = 20

    def observe(
        self, pages: Sequence[PageTask], progress: Callable[[str, int, int], None]
    ) -> list[Seen]:
        """An observation of each page, in order; what is stored is not made again."""
        identity = self.backend.identity()
        tasks = [self._task(page, identity) for page in pages]
        left = [task for task in tasks if not self._is_stored(task, identity)]
        if left:
            self._make(left, identity, progress, answered=len(left) < len(tasks))
        return [self._stored(task, identity) for task in tasks]

    def _task(self, page: PageTask, identity: dict[str, Any]) -> ObservationTask:
        as_image = not page.as_pdf
        repeats = tuple(at_dpi(spec, page.dpi) for spec in REPEATS) if as_image else ()
        words = as_image and self.words and self.backend.has_confidence
        repeats = repeats if self.wobble else ()
        recipes = [registry.create("perturbation", spec).identity() for spec in repeats]
        drawn = [recipes, MILD, page.ref, DRAWN_BY, *([page.seed] if repeats else [])]
        key = {"page": page.key, "repeats": drawn, "words": words}
        return ObservationTask(page, repeats, words, key)

    def _is_stored(self, task: ObservationTask, identity: dict[str, Any]) -> bool:
        reading = stored_output(self.store, task.page.key, identity)
        if reading is None or not reading.stands(self.limits, retry=False):
            return False
        return reading.outcome.status in FAILED or self._is_whole(task, identity)

    def _is_whole(self, task: ObservationTask, identity: dict[str, Any]) -> bool:
        """Whether all that was seen of a page is still there: the cache may have been cleaned."""
        seen = self.store.get("observation", task.key)
        return seen is not None and all(
            pixels is None or stored_text(self.store, pixels, identity) is not None
            for pixels in seen["pixels"]
        )

    def _make(
        self,
        tasks: Sequence[ObservationTask],
        identity: dict[str, Any],
        progress: Callable[[str, int, int], None],
        *,
        answered: bool,
    ) -> None:
        reader = PageReader(self.engine, identity, self.store)
        limits = self.limits.times(2 + len(REPEATS))
        progress(self.engine.label, 0, len(tasks))
        with WorkerPool[None](
            observe_page, setup=reader, workers=self.workers, limits=limits
        ) as pool:
            streak = Streak(self.engine.label, "pages", self.stop_after_failures, answered)
            finished = pool.run(tasks, partial(check_first, streak))
            for done, (index, outcome) in enumerate(finished, start=1):
                if outcome.status in FAILED:
                    stop_if_not_the_page(outcome.detail)
                    self._journal(tasks[index], identity, outcome)
                progress(self.engine.label, done, len(tasks))

    def _journal(
        self, task: ObservationTask, identity: dict[str, Any], outcome: Outcome[Any]
    ) -> None:
        """A page that was read but not observed has no signals; one that was not read failed."""
        if stored_output(self.store, task.page.key, identity) is None:
            keep_failure(self.store, task.page.key, outcome, self.limits)
        self.store.put("observation", task.key, {"pixels": [], "words": None})

    def _stored(self, task: ObservationTask, identity: dict[str, Any]) -> Seen:
        reading = stored_output(self.store, task.page.key, identity)
        if reading is None:
            return Seen(Outcome.error("the reading is no longer in the cache"))
        seen = self.store.get("observation", task.key) or {"pixels": [], "words": None}
        return Seen(
            reading.outcome,
            tuple(self._reread(pixels, identity) for pixels in seen["pixels"]),
            None if seen["words"] is None else tuple(_word(*word) for word in seen["words"]),
        )

    def _reread(self, pixels: str | None, identity: dict[str, Any]) -> str:
        """The text of a page read again; a rereading that failed read nothing."""
        reading = None if pixels is None else stored_text(self.store, pixels, identity)
        return (reading.outcome.value or "") if reading is not None else ""


def _word(text: str, confidence: float, box: list[int]) -> Word:
    left, top, right, bottom = box
    return Word(text, confidence, (left, top, right, bottom))


def observe_page(task: ObservationTask, reader: PageReader) -> None:
    """Read a page and, where it is read as an image, observe it; in a worker process."""
    page = task.page
    if stored_output(reader.store, page.key, reader.engine_identity) is None:
        read_page(page, reader)
    seen: dict[str, Any] = {"pixels": [], "words": None}
    if task.repeats or task.words:
        image, _ = distort(page, page_image(page))
        for spec in task.repeats if _may_be_distorted(image) else ():
            operator = registry.image_perturbation(spec)
            applied = distorted(operator, image, intensity=MILD, seed=page.seed, ref=page.ref)
            seen["pixels"].append(_read_again(applied.value, page.ref.page_no, reader))
        if task.words:
            words = reader.backend().words(image)
            seen["words"] = [[word.text, round(word.confidence, 4), word.box] for word in words]
    reader.store.put("observation", task.key, seen)


def _may_be_distorted(image: np.ndarray) -> bool:
    """Whether a page is of a size that distortions take: a small picture among pages is not."""
    try:
        check_page(image)
    except ValueError:
        return False
    return True


def _read_again(image: np.ndarray, page_no: int, reader: PageReader) -> str | None:
    """Read a distorted page unless its pixels were read before; their digest, None if it failed.

    Nothing is stored of a failure under the pixels, which a study may have to read.
    """
    pixels = pixel_digest(image)
    if stored_text(reader.store, pixels, reader.engine_identity) is None:
        try:
            read = reader.transcribe(image, page_no)
        except EngineError:
            return None
        reader.store.put("ocr", ocr_key(pixels, reader.engine_identity), read)
    return pixels
