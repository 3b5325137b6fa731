"""Reads pages in a worker process: render, distort, transcribe, store."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from ohr import registry
from ohr.documents.images import load_image
from ohr.documents.orientation import SAYS, turn_of
from ohr.documents.pdf import render
from ohr.errors import ConfigError, EngineError, PluginError, StoreError
from ohr.ocr.distort import distorted
from ohr.ocr.store import ocr_key, stored_text
from ohr.plugins import OcrBackend, check_unedited
from ohr.registry import PluginSpec
from ohr.store.artefacts import ArtefactStore
from ohr.store.identity import pixel_digest
from ohr.types import FAILED, Outcome, PageRef

_LAST_CYRILLIC = "\u0530"


@dataclass(frozen=True)
class PageTask:
    """A page to read: where its image comes from, how it is distorted, and where to store."""

    ref: PageRef
    source: Path
    dpi: int
    operator: PluginSpec | None
    intensity: float
    seed: int
    key: dict[str, Any]
    """Key of the ``reading`` artefact."""
    as_pdf: bool = False
    """Whether the engine is handed the PDF, not an image of the page."""


@dataclass
class PageReader:
    """What a worker keeps from page to page: the engine, with its model once it is loaded."""

    engine: PluginSpec
    engine_identity: dict[str, Any]
    store: ArtefactStore
    _backend: OcrBackend | None = field(default=None, repr=False)
    taken: dict[str, float] = field(default_factory=dict)
    """What the last page took: wall and CPU seconds, and what the engine says of itself."""

    def backend(self) -> OcrBackend:
        """The engine, made once. Raises PluginError for one that was edited meanwhile."""
        if self._backend is None:
            cv2.setNumThreads(1)  # the workers share the cores already
            backend = registry.ocr_engine(self.engine)
            check_unedited(type(backend), self.engine_identity)
            self._backend = backend
        return self._backend

    def transcribe(self, page: np.ndarray | Path, page_no: int) -> dict[str, Any]:
        """Status, text and detail of a page image, or a page of a PDF.

        Raises EngineError, and PluginError for an engine that answers for another page.
        """
        source = page if isinstance(page, Path) else [page]
        outcomes = list(self.transcribe_together(source, [page_no]))
        if not outcomes:
            raise EngineError(f"engine {self.engine.label} returned nothing for the page")
        if outcomes[0].status in FAILED:
            raise EngineError(outcomes[0].detail or f"engine {self.engine.label} failed")
        return stored_form(outcomes[0])

    def transcribe_together(
        self, source: Path | Sequence[np.ndarray], page_nos: Sequence[int]
    ) -> Iterator[Outcome[str]]:
        """The outcome of each page, in order, as far as the engine answers.

        What each took, ``taken``, is its share of what all took. Raises what the engine raises,
        and PluginError for one that answers for another page.
        """
        backend = self.backend()
        wall, cpu = time.perf_counter(), cpu_seconds()
        try:
            answers = backend.transcribe(source, page_nos)
            for place, (wanted, (answered, outcome)) in enumerate(
                zip(page_nos, answers, strict=False)
            ):
                check_page(self.engine, wanted, answered)
                yield outcome if isinstance(source, Path) else with_turn(outcome, source[place])
        finally:
            spent = {"wall_s": time.perf_counter() - wall, "cpu_s": cpu_seconds() - cpu}
            of_all = {**backend.usage(), **spent}
            self.taken = {name: value / len(page_nos) for name, value in of_all.items()}


def with_turn(outcome: Outcome[str], image: np.ndarray) -> Outcome[str]:
    """The outcome of a page image, with a word in its detail where the page does not stand upright.

    Nothing is said of a page in another script than Latin, Greek or Cyrillic, whose letters may
    hang from a line.
    """
    letters = [char for char in outcome.value or "" if char.isalpha()]
    known = sum(char < _LAST_CYRILLIC for char in letters)
    if outcome.status in FAILED or 2 * known < len(letters):
        return outcome
    turn = turn_of(image)
    if turn is None:
        return outcome
    detail = "; ".join(
        filter(None, [outcome.detail, f"the page seems to be turned: it {SAYS[turn]}"])
    )
    return replace(outcome, detail=detail)


def stored_form(outcome: Outcome[str]) -> dict[str, Any]:
    """An outcome that did not fail, as it is stored."""
    text = outcome.value or ""
    return {"status": str(outcome.status), "text": text, "detail": outcome.detail}


def cpu_seconds() -> float:
    """CPU seconds of this process and of its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def page_image(task: PageTask) -> np.ndarray:
    """The clean page as uint8 RGB or grey."""
    if task.source.suffix.lower() == ".pdf":
        return render(task.source, task.ref.page_no, task.dpi)
    return load_image(task.source)


def distort(task: PageTask, image: np.ndarray) -> tuple[np.ndarray, dict[str, Any] | None]:
    """The page as the engine sees it, and the record of its distortion."""
    if task.operator is None:
        return image, None
    operator = registry.image_perturbation(task.operator)
    applied = distorted(
        operator,
        image,
        intensity=task.intensity,
        seed=task.seed,
        ref=task.ref,
        label=task.operator.label,
    )
    return applied.value, applied.record


def drawn(task: PageTask) -> tuple[np.ndarray, dict[str, Any] | None]:
    """The page's image as the engine sees it, and the record of its distortion.

    Raises PluginError for a distortion that was edited meanwhile.
    """
    if task.operator is not None:
        operator = registry.plugin_class("perturbation", task.operator.name)
        check_unedited(operator, task.key["noise"][0])
    return distort(task, page_image(task))


def check_page(engine: PluginSpec, wanted: int, answered: object) -> None:
    """Raise PluginError for an engine that answers for a page that it was not asked for."""
    if answered != wanted:
        raise PluginError(
            f"engine {engine.label!r} was asked for page {wanted} and answered for page "
            f"{answered}: transcribe must yield (page_no, outcome) with the numbers it is given"
        )


def read_page(task: PageTask, reader: PageReader) -> None:
    """Read a page and store its text; equal pixels are read once, whatever their recipe.

    The text is stored before the reading that points to it, so a kill at any moment leaves
    either a finished reading or none.
    """
    if task.as_pdf:
        reader.store.put("reading", task.key, reader.transcribe(task.source, task.ref.page_no))
        reader.store.put("taken", task.key, reader.taken)
        return
    image, record = drawn(task)
    pixels = pixel_digest(image)
    if stored_text(reader.store, pixels, reader.engine_identity) is None:
        key = ocr_key(pixels, reader.engine_identity)
        reader.store.put("ocr", key, reader.transcribe(image, task.ref.page_no))
        reader.store.put("taken", key, reader.taken)
    reader.store.put("reading", task.key, {"pixels": pixels, "record": record})


def read_pages(tasks: list[PageTask], reader: PageReader) -> list[Outcome[None]]:
    """Read page images together, by an engine that is quicker so; what came of each.

    Nothing is stored of those that fail. Why is not said: it shows when they are read alone.
    """
    if len(tasks) == 1:
        read_page(tasks[0], reader)
        return [Outcome(None)]
    made = [_drawn_outcome(task) for task in tasks]
    unread: dict[str, tuple[np.ndarray, int]] = {}
    for task, one in zip(tasks, made, strict=True):
        if one.value is not None:
            image, pixels, _ = one.value
            if stored_text(reader.store, pixels, reader.engine_identity) is None:
                unread.setdefault(pixels, (image, task.ref.page_no))
    read = _read_together(unread, reader) if unread else {}
    outcomes = []
    for task, one in zip(tasks, made, strict=True):
        outcome: Outcome[None] = Outcome(None, one.status, one.detail)
        if one.value is not None:
            _, pixels, record = one.value
            outcome = read.get(pixels, outcome)
            if outcome.status not in FAILED:
                reader.store.put("reading", task.key, {"pixels": pixels, "record": record})
        outcomes.append(outcome)
    return outcomes


def _drawn_outcome(task: PageTask) -> Outcome[tuple[np.ndarray, str, dict[str, Any] | None]]:
    """The image, its digest and record; a page that cannot be drawn spoils no other."""
    try:
        image, record = drawn(task)
    except (PluginError, StoreError, ConfigError):
        raise
    except Exception as error:  # a file can be damaged in any way
        return Outcome.error(f"{type(error).__name__}: {error}")
    return Outcome((image, pixel_digest(image), record))


def _read_together(
    pages: Mapping[str, tuple[np.ndarray, int]], reader: PageReader
) -> dict[str, Outcome[None]]:
    """Read and store the texts of images and page numbers, by their pixels; what came of each."""
    outcomes = dict.fromkeys(pages, Outcome[None].error("nothing was said of the page"))
    images, page_nos = zip(*pages.values(), strict=True)
    read = reader.transcribe_together(images, page_nos)
    for outcome, pixels in zip(read, pages, strict=False):
        outcomes[pixels] = Outcome(None, outcome.status, outcome.detail)
        if outcome.status not in FAILED:
            key = ocr_key(pixels, reader.engine_identity)
            reader.store.put("ocr", key, stored_form(outcome))
    for pixels, done in outcomes.items():
        if done.status not in FAILED:
            reader.store.put("taken", ocr_key(pixels, reader.engine_identity), reader.taken)
    return outcomes
