"""Reads the images of all tests with each engine; what was read before comes from the cache."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ohr import registry
from ohr.analysis.inventions.variants import Variant
from ohr.errors import ConfigError
from ohr.ocr.files import FileOutputs, file_pages
from ohr.ocr.pools import Runners
from ohr.ocr.progress import Progress
from ohr.plugins import OcrBackend
from ohr.registry import PluginSpec
from ohr.store.artefacts import ArtefactStore
from ohr.types import Outcome
from ohr.workers import Limits


@dataclass(frozen=True)
class Reading:
    """With what pages are read, and how."""

    engines: Sequence[PluginSpec]
    cache: Path
    workers: int = 1


LIMITS = Limits(300, 1800)
_STOP_AFTER = 20


def image_engine(spec: PluginSpec) -> OcrBackend:
    """The engine of a name. Raises ConfigError unless it reads page images."""
    backend = registry.create("engine", spec)
    if not isinstance(backend, OcrBackend):
        raise ConfigError(f"engine {spec.label!r} reads no pages: name an OCR engine")
    if "image" not in backend.accepts:
        raise ConfigError(
            f"engine {spec.label!r} reads PDFs, not page images, so nothing can be covered: name "
            "an engine of page images"
        )
    return backend


def read_variants(
    variants: Sequence[Variant], reading: Reading, progress: Progress
) -> dict[str, list[Outcome[str]]]:
    """The outcome of each variant, in order, by engine. Raises OhrError."""
    return {spec.label: _read(variants, spec, reading, progress) for spec in reading.engines}


def _read(
    variants: Sequence[Variant], spec: PluginSpec, reading: Reading, progress: Progress
) -> list[Outcome[str]]:
    backend = image_engine(spec)
    store, runners = ArtefactStore(reading.cache), Runners(reading.workers)
    outputs = FileOutputs(spec, backend.identity(), store, LIMITS, runners, _STOP_AFTER)
    pages = [
        page
        for variant in variants
        for page in file_pages([variant.source], spec, backend, hand_over_pdfs=False)
    ]
    unread = [page for page in pages if not outputs.is_final(page)]
    done = len(pages) - len(unread)

    def count(more: int) -> None:
        nonlocal done
        done += more
        progress(spec.label, done, len(pages))

    progress(spec.label, done, len(pages))
    outputs.make(unread, count)
    return [outputs.outcome(page) for page in pages]
