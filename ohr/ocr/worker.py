"""Reads pages in a worker process: render, distort, transcribe, store."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ohr import registry
from ohr.documents.images import load_image
from ohr.documents.orientation import SAYS, turn_of
from ohr.documents.pdf import render
from ohr.errors import (
    ConfigError,
    EngineError,
    MissingDependencyError,
    PluginError,
    StoreError,
)
from ohr.ocr.distort import distort_image
from ohr.ocr.store import numbers_of, ocr_key, parsed_words, stored_text, words_form
from ohr.plugins import CompositeEngine, OcrBackend, check_unedited
from ohr.plugins.engine import (
    checked_image,
    failed_page,
    make_outcome,
    read_with,
    read_with_words,
)
from ohr.registry import PluginSpec
from ohr.store.artefacts import ArtefactStore
from ohr.store.identity import pixel_digest
from ohr.types import FAILED, Outcome, PageRef, Word

_LAST_CYRILLIC = "\u0530"


@dataclass(frozen=True)
class PageTask:
    """A page to read: its file, its distortion, and the key of its output."""

    ref: PageRef
    source: Path
    dpi: int
    operator: PluginSpec | None
    intensity: float
    seed: int
    key: dict[str, Any]
    """Key of the artefact ``reading``."""
    as_pdf: bool = False
    """Whether the engine gets the PDF, not an image of the page."""
    frame: int | None = None
    """The page of a TIFF of several pages; None for other files."""


@dataclass
class PageReader:
    """Reads pages in a worker, which keeps the engine and its loaded model."""

    engine: PluginSpec
    engine_identity: dict[str, Any]
    store: ArtefactStore
    _backend: OcrBackend | None = field(default=None, repr=False)
    cost: dict[str, float] = field(default_factory=dict)
    """Cost of the last page: wall and CPU seconds, and what the engine reports."""
    _identities: dict[int, dict[str, Any]] = field(default_factory=dict, repr=False)
    _parts_cost: dict[str, float] = field(default_factory=dict, repr=False)
    """Costs of what parts of the engine read, beside the seconds of this page."""

    def backend(self) -> OcrBackend:
        """The engine, made once. Raises PluginError if its file was edited during the run."""
        if self._backend is None:
            import cv2

            cv2.setNumThreads(1)  # the workers share the cores already
            backend = registry.ocr_engine(self.engine)
            check_unedited(type(backend), self.engine_identity)
            self._use_store(backend)
            self._backend = backend
        return self._backend

    def _use_store(self, backend: OcrBackend) -> None:
        """Let an engine that reads with others, and these if they do, keep what they read."""
        if isinstance(backend, CompositeEngine):
            backend.read_part = self._read_part
            backend.read_part_with_words = self._read_part_with_words
            for part in backend.parts:
                self._use_store(part)

    def _read_part(self, part: OcrBackend, image: np.ndarray) -> Outcome[str]:
        """The part's stored output of the image, or its new one, which is stored.

        Its cost is added to that of the page.
        """
        return self._read_by_part(part, image, words=False)[0]

    def _read_part_with_words(
        self, part: OcrBackend, image: np.ndarray
    ) -> tuple[Outcome[str], tuple[Word, ...] | None]:
        """The same with its words, stored beside it; None if the part gives no confidence."""
        return self._read_by_part(part, image, words=part.has_confidence)

    def _read_by_part(
        self, part: OcrBackend, image: np.ndarray, *, words: bool
    ) -> tuple[Outcome[str], tuple[Word, ...] | None]:
        image = checked_image(image)
        identity = self._identities.setdefault(id(part), part.identity())
        pixels = pixel_digest(image)
        key = ocr_key(pixels, identity)
        stored = stored_text(self.store, pixels, identity)
        stored_words = parsed_words(self.store.get("words", key)) if words else None
        if stored is not None and (not words or stored_words is not None):
            self._add(numbers_of(self.store.get("taken", key)))
            return stored.outcome, stored_words
        before = dict(self._parts_cost)
        part.usage()  # since the last page
        wall, cpu = time.perf_counter(), cpu_seconds()
        recognised = None
        if words:
            outcome, recognised = read_with_words(part, image)
        else:
            outcome = read_with(part, image)
        outcome = note_turn(outcome, image)
        spent = {"wall_s": time.perf_counter() - wall, "cpu_s": cpu_seconds() - cpu}
        usage = part.usage()
        self._add(usage)  # the page's own clock runs meanwhile
        if outcome.status not in FAILED:
            inner = {
                name: number - before.get(name, 0.0) for name, number in self._parts_cost.items()
            }
            if recognised is not None:
                form = words_form(recognised)
                self.store.put("words", key, form)
                recognised = parsed_words(form)  # rounded, as when they come from the store
            if stored is None:
                self.store.put("ocr", key, stored_form(outcome))
                self.store.put("taken", key, summed(inner, spent))
        return outcome if stored is None else stored.outcome, recognised

    def _add(self, cost: Mapping[str, float]) -> None:
        self._parts_cost = summed(self._parts_cost, cost)

    def transcribe(self, page: np.ndarray | Path, page_no: int) -> dict[str, Any]:
        """Status, text and detail of a page image or of a page of a PDF.

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

        The ``cost`` is each page's share of the cost of all. Raises what the engine raises, and
        PluginError for an engine that answers for another page.
        """
        backend = self.backend()
        composite = isinstance(backend, CompositeEngine)
        self._parts_cost = {}
        wall, cpu = time.perf_counter(), cpu_seconds()
        try:
            answers = backend.transcribe(source, page_nos)
            if answers is None:
                make_outcome(backend.name, answers, "transcribe")
            for place, (page_no, (answered, outcome)) in enumerate(
                zip(page_nos, answers, strict=False)
            ):
                check_page(self.engine, page_no, answered)
                outcome = make_outcome(backend.name, outcome, "transcribe")
                # Of a page that was repaired first, only its parts know whether it was turned.
                if composite or isinstance(source, Path):
                    yield outcome
                else:
                    yield note_turn(outcome, source[place])
        finally:
            spent = {"wall_s": time.perf_counter() - wall, "cpu_s": cpu_seconds() - cpu}
            of_all = summed({**backend.usage(), **spent}, self._parts_cost)
            self.cost = {name: value / len(page_nos) for name, value in of_all.items()}

    def transcribe_with_words(
        self, image: np.ndarray, page_no: int
    ) -> tuple[dict[str, Any], tuple[Word, ...] | None]:
        """What :meth:`transcribe` returns for a page image, and its words.

        The words are None if the engine has to recognise the page again for them.
        """
        backend = self.backend()
        image = checked_image(image)
        backend.usage()  # since the last page
        wall, cpu = time.perf_counter(), cpu_seconds()
        try:
            both = backend.read_with_words(image)
        except (ConfigError, MissingDependencyError, StoreError):
            raise
        except Exception as error:  # an engine may raise anything: it fails for this page only
            raise EngineError(failed_page(backend.name, error).detail) from error
        if both is None:
            return self.transcribe(image, page_no), None
        spent = {"wall_s": time.perf_counter() - wall, "cpu_s": cpu_seconds() - cpu}
        self.cost = {**backend.usage(), **spent}
        text, words = both
        outcome = make_outcome(backend.name, text, "read_with_words")
        if outcome.status in FAILED:
            raise EngineError(outcome.detail or f"engine {self.engine.label} failed")
        return stored_form(note_turn(outcome, image)), words


def note_turn(outcome: Outcome[str], image: np.ndarray) -> Outcome[str]:
    """The outcome of a page image, with a note in its detail if the page is not upright.

    There is no note for texts in scripts other than Latin, Greek and Cyrillic, nor without
    Tesseract's orientation detection.
    """
    letters = [char for char in outcome.value or "" if char.isalpha()]
    is_known = sum(char < _LAST_CYRILLIC for char in letters)
    if outcome.status in FAILED or 2 * is_known < len(letters):
        return outcome
    turn = turn_of(image)
    if turn is None:
        return outcome
    detail = "; ".join(
        filter(None, [outcome.detail, f"the page seems to be turned: it {SAYS[turn]}"])
    )
    return replace(outcome, detail=detail)


def summed(cost: Mapping[str, float], other: Mapping[str, float]) -> dict[str, float]:
    """Two costs, added."""
    names = dict.fromkeys([*cost, *other])
    return {name: cost.get(name, 0.0) + other.get(name, 0.0) for name in names}


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
    return load_image(task.source, task.frame)


def distort(task: PageTask, image: np.ndarray) -> tuple[np.ndarray, dict[str, Any] | None]:
    """The page image that the engine gets, and the record of its distortion."""
    if task.operator is None:
        return image, None
    operator = registry.image_perturbation(task.operator)
    applied = distort_image(
        operator,
        image,
        intensity=task.intensity,
        seed=task.seed,
        ref=task.ref,
        label=task.operator.label,
    )
    return applied.value, applied.record


def draw_image(task: PageTask) -> tuple[np.ndarray, dict[str, Any] | None]:
    """The page image of a task, and the record of its distortion.

    Raises PluginError if the distortion's file was edited during the run.
    """
    if task.operator is not None:
        operator = registry.plugin_class("perturbation", task.operator.name)
        check_unedited(operator, task.key["noise"][0])
    return distort(task, page_image(task))


def check_page(engine: PluginSpec, page_no: int, answered: object) -> None:
    """Raise PluginError for an engine that answers for another page than the requested one."""
    if answered != page_no:
        raise PluginError(
            f"engine {engine.label!r} was asked for page {page_no} and answered for page "
            f"{answered}: transcribe must yield (page_no, outcome) with the numbers that it gets"
        )


def read_page(task: PageTask, reader: PageReader) -> None:
    """Read a page and store its text; equal pixels are read once, whatever their recipe."""
    if task.as_pdf:
        reader.store.put("reading", task.key, reader.transcribe(task.source, task.ref.page_no))
        reader.store.put("taken", task.key, reader.cost)
        return
    read_image(task, *draw_image(task), reader)


def read_image(
    task: PageTask,
    image: np.ndarray,
    record: dict[str, Any] | None,
    reader: PageReader,
    *,
    words: bool = False,
) -> tuple[Word, ...] | None:
    """Read the image of a page and store its text, unless its pixels were read before.

    Returns its words if they are wanted and come from the same recognition, else None. The text is
    stored before the entry that points to it, so a process that is killed leaves either a complete
    output or none.
    """
    pixels = pixel_digest(image)
    recognised = None
    if stored_text(reader.store, pixels, reader.engine_identity) is None:
        key = ocr_key(pixels, reader.engine_identity)
        if words:
            form, recognised = reader.transcribe_with_words(image, task.ref.page_no)
        else:
            form = reader.transcribe(image, task.ref.page_no)
        reader.store.put("ocr", key, form)
        reader.store.put("taken", key, reader.cost)
    reader.store.put("reading", task.key, {"pixels": pixels, "record": record})
    return recognised


def read_pages(tasks: list[PageTask], reader: PageReader) -> list[Outcome[None]]:
    """Read page images together, with an engine that is faster so; the outcome of each.

    Failures are neither stored nor explained: the pages are then read alone.
    """
    if len(tasks) == 1:
        read_page(tasks[0], reader)
        return [Outcome(None)]
    drawings = [_drawn_outcome(task) for task in tasks]
    unread: dict[str, tuple[np.ndarray, int]] = {}
    for task, drawing in zip(tasks, drawings, strict=True):
        if drawing.value is not None:
            image, pixels, _ = drawing.value
            if stored_text(reader.store, pixels, reader.engine_identity) is None:
                unread.setdefault(pixels, (image, task.ref.page_no))
    outcomes_read = _read_together(unread, reader) if unread else {}
    outcomes = []
    for task, drawing in zip(tasks, drawings, strict=True):
        outcome: Outcome[None] = Outcome(None, drawing.status, drawing.detail)
        if drawing.value is not None:
            _, pixels, record = drawing.value
            outcome = outcomes_read.get(pixels, outcome)
            if outcome.status not in FAILED:
                reader.store.put("reading", task.key, {"pixels": pixels, "record": record})
        outcomes.append(outcome)
    return outcomes


def _drawn_outcome(task: PageTask) -> Outcome[tuple[np.ndarray, str, dict[str, Any] | None]]:
    """The image, its digest and record, or an error: one page must not fail the others."""
    try:
        image, record = draw_image(task)
    except (PluginError, StoreError, ConfigError):
        raise
    except Exception as error:  # a file can be damaged in any way
        return Outcome.error(f"{type(error).__name__}: {error}")
    return Outcome((image, pixel_digest(image), record))


def _read_together(
    pages: Mapping[str, tuple[np.ndarray, int]], reader: PageReader
) -> dict[str, Outcome[None]]:
    """Read images and store their texts by pixels; the outcome of each. Maps pixels to images."""
    outcomes = dict.fromkeys(pages, Outcome[None].error("the engine returned nothing for the page"))
    images, page_nos = zip(*pages.values(), strict=True)
    answers = reader.transcribe_together(images, page_nos)
    for outcome, pixels in zip(answers, pages, strict=False):
        outcomes[pixels] = Outcome(None, outcome.status, outcome.detail)
        if outcome.status not in FAILED:
            key = ocr_key(pixels, reader.engine_identity)
            reader.store.put("ocr", key, stored_form(outcome))
    for pixels, done in outcomes.items():
        if done.status not in FAILED:
            reader.store.put("taken", ocr_key(pixels, reader.engine_identity), reader.cost)
    return outcomes
