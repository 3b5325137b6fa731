"""Reads one page in a worker process: render, distort, transcribe, store."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from ohr import registry
from ohr.errors import EngineError, PluginError
from ohr.pdf import load_image, render
from ohr.plugins import OcrBackend, check_unedited
from ohr.registry import PluginSpec
from ohr.store.artefacts import ArtefactStore
from ohr.store.identity import pixel_digest
from ohr.study.pages.distort import distorted
from ohr.study.pages.store import ocr_key, stored_text
from ohr.types import PageRef, Status


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
        backend = self.backend()
        wall, cpu = time.perf_counter(), cpu_seconds()
        try:
            return self._outcome(backend, source, page_no)
        finally:
            spent = {"wall_s": time.perf_counter() - wall, "cpu_s": cpu_seconds() - cpu}
            self.taken = {**backend.taken(), **spent}

    def _outcome(
        self, backend: OcrBackend, source: Path | list[np.ndarray], page_no: int
    ) -> dict[str, Any]:
        for answered, outcome in backend.transcribe(source, [page_no]):
            check_page(self.engine, page_no, answered)
            if outcome.status in (Status.OK, Status.EMPTY):
                return {
                    "status": str(outcome.status),
                    "text": outcome.value or "",
                    "detail": outcome.detail,
                }
            raise EngineError(outcome.detail or f"engine {self.engine.label} failed")
        raise EngineError(f"engine {self.engine.label} returned nothing for the page")


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
    if task.operator is not None:
        operator = registry.plugin_class("perturbation", task.operator.name)
        check_unedited(operator, task.key["noise"][0])
    image, record = distort(task, page_image(task))
    pixels = pixel_digest(image)
    if stored_text(reader.store, pixels, reader.engine_identity) is None:
        key = ocr_key(pixels, reader.engine_identity)
        reader.store.put("ocr", key, reader.transcribe(image, task.ref.page_no))
        reader.store.put("taken", key, reader.taken)
    reader.store.put("reading", task.key, {"pixels": pixels, "record": record})
