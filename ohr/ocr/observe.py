"""Reads pages like a study, and observes what shows OCR quality without ground truth.

It reads each page again under mild distortions, and asks the engine for its words with their
confidence. Outputs are stored like a study's, so neither repeats the other's work.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ohr import registry
from ohr.errors import EngineError
from ohr.ocr.distort import distort_image
from ohr.ocr.failures import Streak, check_first, stop_if_not_the_page
from ohr.ocr.key import DRAWN_BY
from ohr.ocr.noise import set_dpi
from ohr.ocr.store import (
    keep_failure,
    ocr_key,
    stored_output,
    stored_text,
    words_form,
)
from ohr.ocr.worker import PageReader, PageTask, draw_image, read_image, read_page
from ohr.plugins import OcrBackend
from ohr.plugins.perturbation import check_page
from ohr.quality.table import Observation
from ohr.registry import PluginSpec
from ohr.store.artefacts import ArtefactStore
from ohr.store.identity import pixel_digest
from ohr.types import FAILED, Outcome, PageRef, Word
from ohr.workers import Limits, WorkerPool

MILD = 0.25
"""Intensity of the distortions for repeats: their level *mild*."""
REPEATS = tuple(PluginSpec(name=name) for name in ("rotation", "psf_blur", "salt_and_pepper"))
"""Distortions for repeats: one of the page's position, one of its optics, one of its pixels."""


@dataclass(frozen=True)
class ObservationTask:
    """A page to observe, and the key of the observation."""

    page: PageTask
    repeats: tuple[PluginSpec, ...]
    words: bool
    key: dict[str, Any]
    once_key: dict[str, Any]
    """The key of the observation without repeats."""


@dataclass
class Observing:
    """Observes pages with one engine, within time limits.

    A page that has not been read is read here: its text and its words come from one recognition if
    the engine can give both.
    """

    engine: PluginSpec
    backend: OcrBackend
    store: ArtefactStore
    limits: Limits
    workers: int = 1
    instability: bool = True
    words: bool = True
    stop_after_failures: int = 20
    once: frozenset[PageRef] = frozenset()
    """Pages that are not read again under mild distortions."""

    def observe(
        self, pages: Sequence[PageTask], progress: Callable[[str, int, int], None]
    ) -> list[Observation]:
        """An observation of each page, in order; stored ones are not made again."""
        identity = self.backend.identity()
        tasks = [self._task(page, identity) for page in pages]
        remaining = [task for task in tasks if not self._is_stored(task, identity)]
        if remaining:
            self._make(remaining, identity, progress, answered=len(remaining) < len(tasks))
        return [self._stored(task, identity) for task in tasks]

    def unobserved(self, pages: Sequence[PageTask]) -> list[PageTask]:
        """The pages whose observation is not stored."""
        identity = self.backend.identity()
        tasks = [self._task(page, identity) for page in pages]
        return [task.page for task in tasks if not self._is_stored(task, identity)]

    def _task(self, page: PageTask, identity: dict[str, Any]) -> ObservationTask:
        as_image = not page.as_pdf
        repeats = tuple(set_dpi(spec, page.dpi) for spec in REPEATS) if as_image else ()
        words = as_image and self.words and self.backend.has_confidence
        repeats = repeats if self.instability and page.ref not in self.once else ()
        recipes = [registry.create("perturbation", spec).identity() for spec in repeats]
        once = [[], MILD, page.ref, DRAWN_BY]
        drawn = [recipes, *once[1:], page.seed] if repeats else once
        keys = ({"page": page.key, "repeats": of, "words": words} for of in (drawn, once))
        return ObservationTask(page, repeats, words, *keys)

    def _is_stored(self, task: ObservationTask, identity: dict[str, Any]) -> bool:
        output = stored_output(self.store, task.page.key, identity)
        if output is None or not output.is_final(self.limits, retry=False):
            return False
        return output.outcome.status in FAILED or self._is_whole(task, identity)

    def _is_whole(self, task: ObservationTask, identity: dict[str, Any]) -> bool:
        """Whether the observation is still complete: the cache may have been cleaned."""
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
        limits = self.limits.times(2 + max(len(task.repeats) for task in tasks))
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
        """Store a failure. A page that was read but not observed has no signals."""
        if stored_output(self.store, task.page.key, identity) is None:
            keep_failure(self.store, task.page.key, outcome, self.limits)
        self.store.put("observation", task.key, {"pixels": [], "words": None})

    def _stored(self, task: ObservationTask, identity: dict[str, Any]) -> Observation:
        output = stored_output(self.store, task.page.key, identity)
        if output is None:
            return Observation(Outcome.error("the OCR output is no longer in the cache"))
        seen = self.store.get("observation", task.key) or {"pixels": [], "words": None}
        return Observation(
            output.outcome,
            tuple(self._reread(pixels, identity) for pixels in seen["pixels"]),
            None if seen["words"] is None else tuple(_word(*word) for word in seen["words"]),
        )

    def _reread(self, pixels: str | None, identity: dict[str, Any]) -> str:
        """The text of a repeat; empty if it failed."""
        output = None if pixels is None else stored_text(self.store, pixels, identity)
        return (output.outcome.value or "") if output is not None else ""


def _word(text: str, confidence: float, box: list[int]) -> Word:
    left_edge, top, right, bottom = box
    return Word(text, confidence, (left_edge, top, right, bottom))


def observe_page(task: ObservationTask, reader: PageReader) -> None:
    """Read a page and, if it is read as an image, observe it; runs in a worker process."""
    page = task.page
    is_new = stored_output(reader.store, page.key, reader.engine_identity) is None
    seen: dict[str, Any] = {"pixels": [], "words": None}
    if page.as_pdf:
        if is_new:
            read_page(page, reader)
    elif is_new or task.repeats or task.words:
        image, record = draw_image(page)
        words = read_image(page, image, record, reader, words=task.words) if is_new else None
        for spec in task.repeats if _may_be_distorted(image) else ():
            operator = registry.image_perturbation(spec)
            applied = distort_image(operator, image, intensity=MILD, seed=page.seed, ref=page.ref)
            seen["pixels"].append(_read_again(applied.value, page.ref.page_no, reader))
        if task.words:
            words = reader.backend().words(image) if words is None else words
            seen["words"] = words_form(words)
    reader.store.put("observation", task.key, seen)
    if task.repeats:  # so that who wants no repeats need not read the page again for its words
        reader.store.put("observation", task.once_key, {**seen, "pixels": []})


def _may_be_distorted(image: np.ndarray) -> bool:
    """Whether a page is large enough for distortions; a small picture is not."""
    try:
        check_page(image)
    except ValueError:
        return False
    return True


def _read_again(image: np.ndarray, page_no: int, reader: PageReader) -> str | None:
    """Read a distorted page unless its pixels were read before; their digest, None if it failed.

    A failure is not stored under the pixels, because a study may have to read them.
    """
    pixels = pixel_digest(image)
    if stored_text(reader.store, pixels, reader.engine_identity) is None:
        try:
            stored_form = reader.transcribe(image, page_no)
        except EngineError:
            return None
        reader.store.put("ocr", ocr_key(pixels, reader.engine_identity), stored_form)
    return pixels
