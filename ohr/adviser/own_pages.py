"""Samples pages of your PDFs, reads them with several engines, and predicts their errors."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ohr import registry
from ohr.datasets.text_layer import LayerCheck, check_layers
from ohr.documents.opening import layers_of
from ohr.errors import ConfigError
from ohr.machine.engines import usable_engines
from ohr.ocr.files import FileOutputs, FilePage, document_id, file_pages
from ohr.ocr.observe import Observing
from ohr.ocr.pools import Runners
from ohr.ocr.sources import PageSource, find_pages
from ohr.ocr.store import stored_cost, sum_costs
from ohr.ocr.worker import PageTask
from ohr.plugins import OcrBackend
from ohr.quality.doubt import contradicted_layers
from ohr.quality.predictor import Predictor, is_assessable, kind, shipped
from ohr.quality.signals import SIGNALS
from ohr.quality.table import Observation, signal_table
from ohr.quality.truth import TARGETS
from ohr.registry import PluginSpec
from ohr.store.artefacts import ArtefactStore
from ohr.store.identity import file_digest
from ohr.study.config import parse_plugins
from ohr.types import FAILED, PageRef
from ohr.workers import Limits

Report = Callable[[str, int, int], None]
NO_PDF = "an image"


@dataclass(frozen=True)
class OcrSettings:
    """How pages are read: by which engines, in which cache, within which limits."""

    engines: Sequence[PluginSpec]
    cache: Path
    workers: int = 1
    limits: Limits = field(default_factory=lambda: Limits(300, 1800))
    instability: bool = True


def ocr_settings(
    engines: str | None, cache: Path, workers: int, *, instability: bool
) -> OcrSettings:
    """The settings of a command line; without ``engines``, every engine that is ready to use.

    Raises ConfigError.
    """
    specs = usable_engines() if engines is None else parse_plugins("engine", engines)
    return OcrSettings(specs, cache, workers, instability=instability)


@dataclass(frozen=True)
class PageSample:
    """The sampled pages, their usable text layers, and what was left out.

    ``layers`` has None for a page without a usable layer, and ``no_layer`` the reason; ``notes``
    name what was left out of layers that are used. ``digests`` are those of the files by document,
    ``counts`` the numbers of pages.
    """

    pages: Sequence[PageSource]
    layers: Mapping[PageRef, str | None]
    no_layer: Mapping[PageRef, str]
    digests: Mapping[str, str]
    counts: Mapping[str, int]
    left_out: Mapping[str, str]
    notes: Mapping[PageRef, str] = field(default_factory=dict)

    def without_layers(self, faults: Mapping[PageRef, str]) -> PageSample:
        """The sample without the layers of ``faults``, which gives the reasons."""
        layers = {ref: None if ref in faults else layer for ref, layer in self.layers.items()}
        notes = {ref: note for ref, note in self.notes.items() if ref not in faults}
        no_layer = {**self.no_layer, **faults}
        return replace(self, layers=layers, no_layer=no_layer, notes=notes)

    def problems(self) -> list[tuple[str, str]]:
        """The problems of text layers and files, each with its kind."""
        reasons = [
            *(("unusable_text_layer", ref, why) for ref, why in self.no_layer.items()),
            *(("hidden_text", ref, why) for ref, why in self.notes.items()),
        ]
        lines = [
            (kind, f"page {ref.page_no + 1} of {ref.doc_id}: {why}")
            for kind, ref, why in reasons
            if why != NO_PDF
        ]
        opened = [("unreadable_document", f"{doc}: {why}") for doc, why in self.left_out.items()]
        return [*opened, *lines]

    @property
    def total(self) -> int:
        """Number of pages of all documents that can be opened."""
        return sum(self.counts.values())


def page_ref(source: PageSource) -> PageRef:
    """The reference of a page, under which its OCR output is stored."""
    return PageRef(document_id(source.name), source.page_no or 0)


def sample_pages(inputs: Sequence[Path], dpi: int, most: int, seed: int) -> PageSample:
    """Sample at most ``most`` pages: of each document in proportion to its length, at least one.

    In a document they are spread evenly from a drawn start. A file that is named twice counts
    once. Raises ConfigError if no file can be opened.
    """
    once: dict[tuple[Path, int | None], PageSource] = {}
    for source in find_pages(inputs, dpi):
        once.setdefault((source.path.resolve(), source.page_no), source)
    sources: dict[Path, list[PageSource]] = {}
    for source in once.values():
        sources.setdefault(source.path, []).append(source)
    pdfs = [path for path, pages in sources.items() if pages[0].page_no is not None]
    opened = dict(zip(pdfs, layers_of(pdfs), strict=True))
    checks = {path: check_layers(outcome.value or ()) for path, outcome in opened.items()}
    left_out = {
        document_id(sources[path][0].name): outcome.detail
        for path, outcome in opened.items()
        if outcome.value is None
    }
    usable = {
        path: pages for path, pages in sources.items() if document_id(pages[0].name) not in left_out
    }
    if not usable:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in left_out.items())
        raise ConfigError(f"no file can be opened: {reasons}")
    chosen = [
        pages[place]
        for path, count in _shares(usable, most).items()
        for pages in [usable[path]]
        for place in _spread(len(pages), count, seed, pages[0].name)
    ]
    layers: dict[PageRef, str | None] = {}
    no_layer: dict[PageRef, str] = {}
    notes: dict[PageRef, str] = {}
    for source in chosen:
        outcome = opened.get(source.path)
        layer = (
            None if outcome is None or outcome.value is None else outcome.value[source.page_no or 0]
        )
        check = LayerCheck(NO_PDF) if layer is None else checks[source.path][source.page_no or 0]
        layers[page_ref(source)] = None
        if check.fault or layer is None or layer.value is None:
            no_layer[page_ref(source)] = check.fault
            continue
        layers[page_ref(source)] = layer.value.text
        if check.note:
            notes[page_ref(source)] = check.note
    return PageSample(
        chosen,
        layers,
        no_layer,
        {document_id(pages[0].name): file_digest(path) for path, pages in usable.items()},
        {document_id(pages[0].name): len(pages) for pages in usable.values()},
        left_out,
        notes,
    )


def _shares(documents: Mapping[Path, Sequence[object]], most: int) -> dict[Path, int]:
    """The number of pages per document: in proportion, by largest remainder, at least one."""
    total = sum(map(len, documents.values()))
    if total <= most:
        return {path: len(pages) for path, pages in documents.items()}
    exact = {path: most * len(pages) / total for path, pages in documents.items()}
    shares = {path: min(len(documents[path]), max(1, int(share))) for path, share in exact.items()}
    by_rest = sorted(exact, key=lambda path: exact[path] - int(exact[path]), reverse=True)
    for path in by_rest:
        if sum(shares.values()) < most and shares[path] < len(documents[path]):
            shares[path] += 1
    while sum(shares.values()) > max(most, len(shares)):  # short documents got a whole page each
        longest = max(shares, key=lambda path: shares[path])
        shares[longest] -= 1
    return shares


def _spread(n_pages: int, count: int, seed: int, name: str) -> list[int]:
    """Places spread evenly over a document from a drawn start."""
    words = [seed, *name.encode()]
    start = np.random.default_rng(words).uniform()
    return [int((place + start) * n_pages / count) for place in range(count)]


@dataclass(frozen=True)
class SampleOutputs:
    """The engines' outputs of a sample: the table of signals, the texts, and the seconds.

    ``sample`` is without the layers that engines contradict. ``seconds`` are wall seconds per page
    and worker: the median of the stored costs, so that repeated commands print the same. For an
    engine that takes PDFs it is the mean measured now, and NaN if nothing was read.
    """

    sample: PageSample
    table: pd.DataFrame
    seen: Mapping[str, Mapping[PageRef, Observation]]
    seconds: Mapping[str, float]
    of_layer: frozenset[str] = frozenset()
    """Engines that read PDFs, not page images, and so may use the text layer."""

    def text(self, engine: str, ref: PageRef) -> str:
        """An engine's text of a page."""
        return self.seen[engine][ref].text


def read_sample(sample: PageSample, settings: OcrSettings, report: Report) -> SampleOutputs:
    """Read the sample with every engine, and observe each page.

    Raises OhrError; for files that an engine cannot read, before any page is read.
    """
    seen: dict[str, dict[PageRef, Observation]] = {}
    seconds: dict[str, float] = {}
    from_layer = set()
    store = ArtefactStore(settings.cache)
    planned: list[tuple[PluginSpec, OcrBackend, list[FilePage]]] = []
    for spec in settings.engines:
        backend = registry.create("engine", spec)
        if not isinstance(backend, OcrBackend):
            raise ConfigError(f"engine {spec.label!r} reads no pages: name an OCR engine")
        if "image" not in backend.accepts:
            from_layer.add(spec.label)
        planned.append(
            (spec, backend, file_pages(sample.pages, spec, backend, hand_over_pdfs=False))
        )
    for spec, backend, pages in planned:
        seconds[spec.label] = _read(pages, spec, backend, store, settings, report)
        tasks = [
            PageTask(
                page.ref, page.source.path, page.source.dpi, None, 0.0, 0, page.key, page.as_pdf
            )
            for page in pages
        ]
        observing = Observing(
            spec,
            backend,
            store,
            settings.limits,
            settings.workers,
            instability=settings.instability,
        )
        observations = observing.observe(tasks, _again(report))
        seen[spec.label] = dict(zip((page.ref for page in pages), observations, strict=True))
    of_layer = frozenset(from_layer)
    of_images = {label: pages for label, pages in seen.items() if label not in of_layer}
    sample = sample.without_layers(contradicted_layers(of_images, sample.layers))
    table = signal_table(seen, sample.layers, of_layer)
    return SampleOutputs(sample, table, seen, seconds, of_layer)


def _again(report: Report) -> Report:
    return lambda what, done, total: report(f"{what}, observing", done, total)


def _read(
    pages: Sequence[FilePage],
    spec: PluginSpec,
    backend: OcrBackend,
    store: ArtefactStore,
    settings: OcrSettings,
    report: Report,
) -> float:
    """Read what is not stored; returns seconds per page and worker, NaN if not known."""
    outputs = FileOutputs(
        spec,
        backend.identity(),
        store,
        settings.limits,
        Runners(settings.workers),
        stop_after_failures=20,
    )
    todo = [
        page
        for page in pages
        if (stored := outputs.stored(page)) is None
        or not stored.is_final(settings.limits, retry=False)
    ]
    measured = math.nan
    if todo:
        measured = _make(outputs, todo, settings.workers, partial(report, spec.label))
    cost = sum_costs(stored_cost(store, page.key, outputs.identity) for page in pages)
    return cost.get("median_wall_s", measured)


def _make(
    outputs: FileOutputs,
    todo: Sequence[FilePage],
    workers: int,
    report: Callable[[int, int], None],
) -> float:
    """Read pages; returns wall seconds per page and worker."""
    done = 0

    def count(more: int) -> None:
        nonlocal done
        done += more
        report(done, len(todo))

    started = time.perf_counter()
    count(0)
    outputs.make(todo, count)
    return (time.perf_counter() - started) * min(workers, len(todo)) / len(todo)


def with_predictions(table: pd.DataFrame, model: Predictor | None = None) -> pd.DataFrame:
    """The table with each error's prediction, mean, spread and interval, and ``in_range``.

    A page that failed has the worst errors, for certain. Pages with only text are predicted too;
    :func:`keep_assessed` removes those predictions.
    """
    model = model or shipped()
    failed = {str(status) for status in FAILED}
    rows: list[dict[str, Any]] = []
    for row in table.to_dict("records"):
        predictions: dict[str, Any] = {}
        for target in TARGETS:
            if row["status"] in failed:
                values: tuple[float, ...] = (1.0, 1.0, 0.0, 1.0, 1.0)
            else:
                prediction = model.predict(
                    {str(name): value for name, value in row.items()}, target
                )
                values = (
                    prediction.value,
                    prediction.mean,
                    prediction.spread,
                    prediction.low,
                    prediction.high,
                )
            for suffix, value in zip(
                ("", "_mean", "_spread", "_low", "_high"), values, strict=True
            ):
                predictions[target + suffix] = value
        signals = {str(name): value for name, value in row.items()}
        predictions["in_range"] = row["status"] in failed or model.in_range(signals)
        rows.append({str(name): value for name, value in row.items()} | predictions)
    return pd.DataFrame(rows)


def keep_assessed(table: pd.DataFrame, model: Predictor | None = None) -> pd.DataFrame:
    """The table without the predictions of pages with only text, which must not be shown.

    The column ``keep_assessed`` says whether a page has predictions. Each error also gets a
    ``_coverage``: the share of pages whose true error such intervals are known to contain.
    """
    model = model or shipped()
    failed = table["status"].isin([str(status) for status in FAILED])
    signals: list[Any] = table[list(SIGNALS)].to_dict("records")
    can_be = pd.Series([is_assessable(row) for row in signals], index=table.index) | failed
    result = table.assign(assessed=can_be)
    kinds = [kind(row) for row in signals]
    for target in TARGETS:
        known = [model.coverage.get(which, {}).get(target, math.nan) for which in kinds]
        result[f"{target}_coverage"] = pd.Series(known, index=table.index).mask(failed)
    suffixes = ("", "_mean", "_spread", "_low", "_high", "_coverage")
    empty = [target + suffix for target in TARGETS for suffix in suffixes]
    result[empty] = result[empty].where(can_be)
    result["in_range"] = result["in_range"].astype(object).where(can_be)
    return result
