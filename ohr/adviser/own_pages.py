"""One's own PDFs, without truth or questions: a sample of their pages, read and judged."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from ohr.ocr.store import stored_taken, sum_taken
from ohr.ocr.worker import PageTask
from ohr.plugins import OcrBackend
from ohr.quality.doubt import contradicted_layers
from ohr.quality.predictor import Predictor, is_assessable, kind, shipped
from ohr.quality.signals import SIGNALS
from ohr.quality.table import Seen, signal_table
from ohr.quality.truth import TARGETS, targets
from ohr.registry import PluginSpec
from ohr.store.artefacts import ArtefactStore
from ohr.store.identity import file_digest
from ohr.study.config import parse_plugins
from ohr.types import FAILED, PageRef
from ohr.workers import Limits

Report = Callable[[str, int, int], None]
TRUTH_SUFFIXES = (".md", ".txt")
NO_PDF = "an image"


@dataclass(frozen=True)
class Reading:
    """How pages are read."""

    engines: Sequence[PluginSpec]
    cache: Path
    workers: int = 1
    limits: Limits = field(default_factory=lambda: Limits(300, 1800))
    wobble: bool = True


def reading_of(engines: str | None, cache: Path, workers: int, *, wobble: bool) -> Reading:
    """How a command line says that pages are read; by every engine that is ready where it names
    none. Raises ConfigError.
    """
    specs = usable_engines() if engines is None else parse_plugins("engine", engines)
    return Reading(specs, cache, workers, wobble=wobble)


@dataclass(frozen=True)
class OwnPages:
    """The sample: pages, the text layers that can stand for theirs, and what was left out.

    ``layers`` has None for a page without such a layer, and ``no_layer`` why; ``notes`` say what
    was left out of layers that are used. ``digests`` are the files' by document, ``counts`` how
    many pages each has.
    """

    pages: Sequence[PageSource]
    layers: Mapping[PageRef, str | None]
    no_layer: Mapping[PageRef, str]
    digests: Mapping[str, str]
    counts: Mapping[str, int]
    left_out: Mapping[str, str]
    notes: Mapping[PageRef, str] = field(default_factory=dict)

    def without_layers(self, faults: Mapping[PageRef, str]) -> OwnPages:
        """The sample with more layers that cannot stand for their pages, and why."""
        layers = {ref: None if ref in faults else layer for ref, layer in self.layers.items()}
        notes = {ref: note for ref, note in self.notes.items() if ref not in faults}
        no_layer = {**self.no_layer, **faults}
        return replace(self, layers=layers, no_layer=no_layer, notes=notes)

    def problems(self) -> list[tuple[str, str]]:
        """What is wrong with text layers and files, each with its kind."""
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
        """Pages of all documents that can be opened."""
        return sum(self.counts.values())


def page_ref(source: PageSource) -> PageRef:
    """The page as readings are stored by."""
    return PageRef(document_id(source.name), source.page_no or 0)


def sample_pages(inputs: Sequence[Path], dpi: int, most: int, seed: int) -> OwnPages:
    """At most so many pages, of each document in proportion to its length and at least one.

    In a document they are spread evenly from a drawn start. A file that is named twice counts
    once. Raises ConfigError where no file can
    be opened.
    """
    once: dict[tuple[Path, int | None], PageSource] = {}
    for source in find_pages(inputs, dpi):
        once.setdefault((source.path.resolve(), source.page_no), source)
    sources: dict[Path, list[PageSource]] = {}
    for source in once.values():
        sources.setdefault(source.path, []).append(source)
    pdfs = [path for path, pages in sources.items() if pages[0].page_no is not None]
    opened = dict(zip(pdfs, layers_of(pdfs), strict=True))
    checks = {path: check_layers(found.value or ()) for path, found in opened.items()}
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
        found = opened.get(source.path)
        layer = None if found is None or found.value is None else found.value[source.page_no or 0]
        check = LayerCheck(NO_PDF) if layer is None else checks[source.path][source.page_no or 0]
        layers[page_ref(source)] = None
        if check.fault or layer is None or layer.value is None:
            no_layer[page_ref(source)] = check.fault
            continue
        layers[page_ref(source)] = layer.value.text
        if check.note:
            notes[page_ref(source)] = check.note
    return OwnPages(
        chosen,
        layers,
        no_layer,
        {document_id(pages[0].name): file_digest(path) for path, pages in usable.items()},
        {document_id(pages[0].name): len(pages) for pages in usable.values()},
        left_out,
        notes,
    )


def _shares(documents: Mapping[Path, Sequence[object]], most: int) -> dict[Path, int]:
    """How many pages of each document: in proportion, by largest remainder, at least one."""
    total = sum(map(len, documents.values()))
    if total <= most:
        return {path: len(pages) for path, pages in documents.items()}
    exact = {path: most * len(pages) / total for path, pages in documents.items()}
    shares = {path: min(len(documents[path]), max(1, int(share))) for path, share in exact.items()}
    by_rest = sorted(exact, key=lambda path: exact[path] - int(exact[path]), reverse=True)
    for path in by_rest:
        if sum(shares.values()) < most and shares[path] < len(documents[path]):
            shares[path] += 1
    while sum(shares.values()) > max(most, len(shares)):  # the short ones took a whole page each
        longest = max(shares, key=lambda path: shares[path])
        shares[longest] -= 1
    return shares


def _spread(n_pages: int, count: int, seed: int, name: str) -> list[int]:
    """Places spread evenly over a document from a start that is drawn for it."""
    words = [seed, *name.encode()]
    start = np.random.default_rng(words).uniform()
    return [int((place + start) * n_pages / count) for place in range(count)]


@dataclass(frozen=True)
class OwnReadings:
    """What the engines made of the sample: the table of signals, the texts, what it took.

    ``sample`` lacks the layers that engines contradict.
    ``seconds`` is wall seconds of a page and worker, the median as they were stored with the
    readings, so that they are the same whenever the command is given again. For an engine that
    is handed PDFs they are measured now, the mean, and NaN where nothing was to be read.
    """

    sample: OwnPages
    table: pd.DataFrame
    seen: Mapping[str, Mapping[PageRef, Seen]]
    seconds: Mapping[str, float]
    of_layer: frozenset[str] = frozenset()
    """Engines that read PDFs, not page images: the text layer itself, or by its help."""

    def text(self, engine: str, ref: PageRef) -> str:
        """What an engine read on a page."""
        return self.seen[engine][ref].text


def read_own(sample: OwnPages, reading: Reading, report: Report) -> OwnReadings:
    """Read the sample with every engine and look at each reading. Raises OhrError, for what an
    engine cannot be given before any has read a page.
    """
    seen: dict[str, dict[PageRef, Seen]] = {}
    seconds: dict[str, float] = {}
    from_layer = set()
    store = ArtefactStore(reading.cache)
    planned: list[tuple[PluginSpec, OcrBackend, list[FilePage]]] = []
    for spec in reading.engines:
        backend = registry.create("engine", spec)
        if not isinstance(backend, OcrBackend):
            raise ConfigError(f"engine {spec.label!r} reads no pages: name an OCR engine")
        if "image" not in backend.accepts:
            from_layer.add(spec.label)
        planned.append(
            (spec, backend, file_pages(sample.pages, spec, backend, hand_over_pdfs=False))
        )
    for spec, backend, pages in planned:
        seconds[spec.label] = _read(pages, spec, backend, store, reading, report)
        tasks = [
            PageTask(one.ref, one.source.path, one.source.dpi, None, 0.0, 0, one.key, one.as_pdf)
            for one in pages
        ]
        observing = Observing(
            spec, backend, store, reading.limits, reading.workers, wobble=reading.wobble
        )
        found = observing.observe(tasks, _again(report))
        seen[spec.label] = dict(zip((one.ref for one in pages), found, strict=True))
    of_layer = frozenset(from_layer)
    of_images = {label: pages for label, pages in seen.items() if label not in of_layer}
    sample = sample.without_layers(contradicted_layers(of_images, sample.layers))
    table = signal_table(seen, sample.layers, of_layer)
    return OwnReadings(sample, table, seen, seconds, of_layer)


def _again(report: Report) -> Report:
    return lambda what, done, total: report(f"{what}, looking again", done, total)


def _read(
    pages: Sequence[FilePage],
    spec: PluginSpec,
    backend: OcrBackend,
    store: ArtefactStore,
    reading: Reading,
    report: Report,
) -> float:
    """Read what is not stored; seconds a page and worker, NaN where they are not known."""
    readings = FileOutputs(
        spec,
        backend.identity(),
        store,
        reading.limits,
        Runners(reading.workers),
        stop_after_failures=20,
    )
    todo = [
        page
        for page in pages
        if (there := readings.stored(page)) is None or not there.stands(reading.limits, retry=False)
    ]
    measured = math.nan
    if todo:
        measured = _make(readings, todo, reading.workers, partial(report, spec.label))
    stored = sum_taken(stored_taken(store, page.key, readings.identity) for page in pages)
    return stored.get("median_wall_s", measured)


def _make(
    readings: FileOutputs,
    todo: Sequence[FilePage],
    workers: int,
    report: Callable[[int, int], None],
) -> float:
    """Read pages; wall seconds a page and worker."""
    done = 0

    def count(more: int) -> None:
        nonlocal done
        done += more
        report(done, len(todo))

    started = time.perf_counter()
    count(0)
    readings.make(todo, count)
    return (time.perf_counter() - started) * min(workers, len(todo)) / len(todo)


def with_predictions(table: pd.DataFrame, model: Predictor | None = None) -> pd.DataFrame:
    """The table with each error's prediction, mean, spread and interval, and ``in_range``.

    A page that failed has the worst of each, for certain. Pages are predicted by their text alone
    too: :func:`assessed` takes those predictions away.
    """
    model = model or shipped()
    failed = {str(status) for status in FAILED}
    rows: list[dict[str, Any]] = []
    for row in table.to_dict("records"):
        found: dict[str, Any] = {}
        for target in TARGETS:
            if row["status"] in failed:
                values: tuple[float, ...] = (1.0, 1.0, 0.0, 1.0, 1.0)
            else:
                one = model.predict({str(name): value for name, value in row.items()}, target)
                values = (one.value, one.mean, one.spread, one.low, one.high)
            for suffix, value in zip(
                ("", "_mean", "_spread", "_low", "_high"), values, strict=True
            ):
                found[target + suffix] = value
        signals = {str(name): value for name, value in row.items()}
        found["in_range"] = row["status"] in failed or model.in_range(signals)
        rows.append({str(name): value for name, value in row.items()} | found)
    return pd.DataFrame(rows)


def assessed(table: pd.DataFrame, model: Predictor | None = None) -> pd.DataFrame:
    """The predictions that may be shown: empty for a page of which the text alone is known.

    ``assessed`` says whether a page has some. Each error has a ``_coverage`` too: the share of
    pages that such intervals are known to have held.
    """
    model = model or shipped()
    failed = table["status"].isin([str(status) for status in FAILED])
    signals: list[Any] = table[list(SIGNALS)].to_dict("records")
    can_be = pd.Series([is_assessable(row) for row in signals], index=table.index) | failed
    shown = table.assign(assessed=can_be)
    kinds = [kind(row) for row in signals]
    for target in TARGETS:
        known = [model.coverage.get(which, {}).get(target, math.nan) for which in kinds]
        shown[f"{target}_coverage"] = pd.Series(known, index=table.index).mask(failed)
    suffixes = ("", "_mean", "_spread", "_low", "_high", "_coverage")
    empty = [target + suffix for target in TARGETS for suffix in suffixes]
    shown[empty] = shown[empty].where(can_be)
    shown["in_range"] = shown["in_range"].astype(object).where(can_be)
    return shown


def transcription_name(ref: PageRef) -> str:
    """The file that a person's transcription of a page lies in."""
    return f"{ref.doc_id}/page_{ref.page_no + 1:04d}.md"


def read_truth(folder: Path, refs: Sequence[PageRef]) -> dict[PageRef, str]:
    """The transcriptions that are there, of the pages of the sample. Raises ConfigError."""
    if not folder.is_dir():
        raise ConfigError(f"--truth: no folder {folder}")
    found = dict(_transcriptions(folder, refs))
    if not found:
        raise ConfigError(
            f"--truth {folder}: no transcription of a page of the sample; they are named as "
            f"{transcription_name(refs[0])}"
        )
    return found


def _transcriptions(folder: Path, refs: Sequence[PageRef]) -> Iterator[tuple[PageRef, str]]:
    for ref in refs:
        for suffix in TRUTH_SUFFIXES:
            path = (folder / transcription_name(ref)).with_suffix(suffix)
            if path.is_file():
                yield ref, path.read_text("utf-8-sig", errors="replace")
                break


def with_truth(
    table: pd.DataFrame, readings: OwnReadings, truth: Mapping[PageRef, str]
) -> pd.DataFrame:
    """The table with ``true_`` errors of the pages that were transcribed, NaN for the others."""
    rows = []
    for row in table.to_dict("records"):
        ref = PageRef(str(row["doc_id"]), int(row["page_no"]))
        values = (
            targets(readings.text(str(row["engine"]), ref), truth[ref])
            if ref in truth
            else dict.fromkeys(TARGETS, math.nan)
        )
        named = {f"true_{name}": value for name, value in values.items()}
        rows.append({str(name): value for name, value in row.items()} | named)
    return pd.DataFrame(rows)
