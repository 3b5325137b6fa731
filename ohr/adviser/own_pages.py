"""Reads sampled pages with several engines, and predicts their errors."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd

from ohr import registry
from ohr.adviser.countdown import Countdown, Report
from ohr.adviser.failures import page_failures
from ohr.adviser.kin import kin_of
from ohr.adviser.page_looks import page_kinds, scripts_by_picture
from ohr.adviser.sampling import PageSample
from ohr.errors import ConfigError
from ohr.machine.engines import usable_engines
from ohr.ocr.files import FileOutputs, FilePage, file_pages
from ohr.ocr.observe import Observing
from ohr.ocr.pictures import page_pictures
from ohr.ocr.pools import Runners
from ohr.ocr.price import comparable_seconds
from ohr.ocr.sources import PageSource
from ohr.ocr.store import keep_speed, kept_speed, stored_cost, sum_costs
from ohr.ocr.worker import PageTask
from ohr.plugins import CompositeEngine, OcrBackend
from ohr.quality.assessing import page_pairs, reason_against
from ohr.quality.doubt import contradicted_layers
from ohr.quality.predictor import Predictor, kind, shipped
from ohr.quality.table import APART, Observation, signal_table
from ohr.quality.truth import TARGETS
from ohr.quality.writing import scripts_in
from ohr.registry import PluginSpec
from ohr.store.artefacts import ArtefactStore
from ohr.study.config import parse_plugins
from ohr.types import FAILED, PageRef
from ohr.workers import Limits

SUFFIXES = ("", "_mean", "_spread", "_low", "_high")
"""Of the columns of a predicted error."""


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


def reads_images(spec: PluginSpec) -> bool:
    """Whether an engine reads page images."""
    backend = registry.create("engine", spec)
    return isinstance(backend, OcrBackend) and "image" in backend.accepts


@dataclass(frozen=True)
class SampleOutputs:
    """The engines' outputs of a sample: the table of signals, the texts, and the cost.

    ``sample`` is without the layers that engines contradict. ``cost`` has the wall and CPU seconds
    per page and worker of each engine: medians of the stored costs, so that repeated commands print
    the same. For an engine that takes PDFs the wall seconds are the mean measured now. What is not
    known is absent.

    ``table`` has one row per engine and page that the engine can read. Beside the signals it has
    ``has_layer``, whether the page has a usable text layer, and ``wall_s`` and ``cpu_s``, NaN if
    not known.
    """

    sample: PageSample
    table: pd.DataFrame
    seen: Mapping[str, Mapping[PageRef, Observation]]
    cost: Mapping[str, Mapping[str, float]]
    of_layer: frozenset[str] = frozenset()
    """Engines that read PDFs, not page images, and so may use the text layer."""
    composites: frozenset[str] = frozenset()
    """Engines that read with others, and so are no witnesses of these."""
    kin: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Engine -> the other engines that share a recogniser with it, which are no witnesses of it."""
    scripts: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The writing systems that engines can write, of those whose alphabet is known."""
    pictured: Mapping[PageRef, str] = field(default_factory=dict)
    """The writing systems, by their pictures, of pages whose outputs do not say it."""

    @property
    def seconds(self) -> dict[str, float]:
        """Wall seconds per page and worker of each engine, NaN if not known."""
        return {name: cost.get("wall_s", math.nan) for name, cost in self.cost.items()}

    @property
    def comparable_seconds(self) -> dict[str, float]:
        """Seconds per page by which an engine of page images is faster than another; NaN if not
        known."""
        images = {name: cost for name, cost in self.cost.items() if name not in self.of_layer}
        return comparable_seconds(images)

    def text(self, engine: str, ref: PageRef) -> str:
        """An engine's text of a page."""
        return self.seen[engine][ref].text


@dataclass(frozen=True)
class EngineWork:
    """An engine, and the pages of a sample that it can read."""

    spec: PluginSpec
    backend: OcrBackend
    pages: Sequence[FilePage]
    observing: Observing
    outputs: FileOutputs

    @property
    def label(self) -> str:
        """The engine's name in tables."""
        return self.spec.label

    def only(self, refs: Collection[PageRef]) -> EngineWork:
        """The work on some of the pages."""
        return replace(self, pages=[page for page in self.pages if page.ref in refs])

    def unread(self) -> list[FilePage]:
        """The pages whose output is not stored."""
        unobserved = {task.ref for task in self.observing.unobserved(_tasks(self.pages))}
        return [page for page in self.pages if page.ref in unobserved]

    def read(self, pages: Sequence[FilePage], report: Callable[[int], None]) -> None:
        """Read and observe pages; ``report`` gets the number of pages that ended."""
        batched = any(page.as_pdf for page in pages) or self.backend.pages_together() > 1
        if batched:
            todo = [page for page in pages if not self.outputs.is_final(page)]
            report(len(pages) - len(todo))
            self.outputs.make(todo, report)
        before = 0

        def count(_: str, done: int, __: int) -> None:
            nonlocal before
            if not batched:
                report(done - before)
            before = done

        self.observing.observe(_tasks(pages), count)

    def retry_failed(self) -> None:
        """Read the pages again that failed in an earlier run."""
        outputs = replace(self.outputs, retry=True)
        failed = [
            page
            for page in self.pages
            if (stored := outputs.stored(page)) is not None and stored.outcome.status in FAILED
        ]
        if failed:
            outputs.make(failed, lambda _: None)

    def observations(self) -> dict[PageRef, Observation]:
        """The observation of each page that was read."""
        seen = self.observing.observe(_tasks(self.pages), lambda *_: None)
        return dict(zip((page.ref for page in self.pages), seen, strict=True))

    def page_costs(self) -> dict[PageRef, Mapping[str, float]]:
        """The stored cost of each page; empty if it is not known."""
        store, identity = self.outputs.store, self.outputs.identity
        return {page.ref: stored_cost(store, page.key, identity) or {} for page in self.pages}

    def expected_s(self) -> float:
        """Wall seconds that a page takes, by the pages in the cache; NaN if it has none."""
        cost = self.cost() or kept_speed(self.outputs.store, self.outputs.identity)
        return cost.get("wall_s", math.nan)

    def cost(self) -> dict[str, float]:
        """Median wall and CPU seconds per page of the stored pages; empty if not known."""
        sums = sum_costs(self.page_costs().values())
        keep_speed(self.outputs.store, self.outputs.identity, sums)
        return {name: sums[f"median_{name}"] for name in ("wall_s", "cpu_s") if sums}


def _tasks(pages: Sequence[FilePage]) -> list[PageTask]:
    return [
        PageTask(
            page.ref,
            page.source.path,
            page.source.dpi,
            None,
            0.0,
            0,
            page.key,
            page.as_pdf,
            page.source.frame,
        )
        for page in pages
    ]


def plan_reading(
    pages: Sequence[PageSource],
    settings: OcrSettings,
    once: Collection[PageRef] = (),
) -> list[EngineWork]:
    """The work of each engine: an engine of PDFs gets no images. Raises OhrError.

    Pages of ``once`` are not read again under mild distortions.
    """
    store = ArtefactStore(settings.cache)
    works = []
    for spec in settings.engines:
        backend = registry.create("engine", spec)
        if not isinstance(backend, OcrBackend):
            raise ConfigError(f"engine {spec.label!r} reads no pages: name an OCR engine")
        readable = [page for page in pages if page.is_pdf or "image" in backend.accepts]
        works.append(
            EngineWork(
                spec,
                backend,
                file_pages(readable, spec, backend, hand_over_pdfs=False),
                Observing(
                    spec,
                    backend,
                    store,
                    settings.limits,
                    settings.workers,
                    instability=settings.instability,
                    once=frozenset(once),
                ),
                FileOutputs(
                    spec,
                    backend.identity(),
                    store,
                    settings.limits,
                    Runners(settings.workers),
                    stop_after_failures=20,
                ),
            )
        )
    return works


def read_sample(sample: PageSample, settings: OcrSettings, report: Report) -> SampleOutputs:
    """Read the sample with every engine, and observe each page.

    Every engine reads one page first, so that the time of the whole can be estimated. A page with
    a usable text layer is read once: compared with the layer, its instability says nothing more.
    Raises OhrError.
    """
    layered = [ref for ref, layer in sample.layers.items() if layer is not None]
    works = plan_reading(sample.pages, settings, layered)
    unread = {work.label: work.unread() for work in works}
    countdown = Countdown({name: len(pages) for name, pages in unread.items()}, report)
    for part in (slice(0, 1), slice(1, None)):
        for work in works:
            if pages := unread[work.label][part]:
                countdown.read(work, pages)
        countdown.say_estimate()
    return collect_outputs(sample, works, countdown.seconds(settings.workers))


def collect_outputs(
    sample: PageSample, works: Sequence[EngineWork], measured: Mapping[str, float]
) -> SampleOutputs:
    """The outputs of pages that were read; ``measured`` are wall seconds per page and worker."""
    seen = {work.label: work.observations() for work in works}
    sample = replace(sample, failures=page_failures(seen))
    of_layer = frozenset(work.label for work in works if "image" not in work.backend.accepts)
    of_images = {label: pages for label, pages in seen.items() if label not in of_layer}
    sample = sample.drop_layers(contradicted_layers(of_images, sample.layers, sample.holes))
    scripts = {work.label: of for work in works if (of := scripts_in(work.backend.alphabet()))}
    kin = kin_of({work.label: work.backend.recognisers() for work in works})
    observed = (seen, sample.layers, of_layer, sample.holes, scripts, kin)
    table = signal_table(*observed)
    tasks = _image_tasks(works, sample)
    store = works[0].observing.store
    pictured = scripts_by_picture(table, tasks, store, of_layer)
    if pictured:
        table = signal_table(*observed, pictured)
    costs = {work.label: work.page_costs() for work in works}
    keys = [
        (str(row["engine"]), PageRef(str(row["doc_id"]), int(row["page_no"])))
        for row in table.to_dict("records")
    ]
    table["has_layer"] = [sample.layers.get(ref) is not None for _, ref in keys]
    table["page_kind"] = page_kinds(table, seen, sample.layers, page_pictures(tasks, store))
    for name in ("wall_s", "cpu_s"):
        table[name] = [costs[label].get(ref, {}).get(name, math.nan) for label, ref in keys]
    cost = {work.label: work.cost() for work in works}
    for label, seconds in measured.items():
        cost[label].setdefault("wall_s", seconds)
    composites = frozenset(w.label for w in works if isinstance(w.backend, CompositeEngine))
    return SampleOutputs(sample, table, seen, cost, of_layer, composites, kin, scripts, pictured)


def _image_tasks(works: Sequence[EngineWork], sample: PageSample) -> list[PageTask]:
    """A page image for each page without a usable layer: those of the others say nothing more."""
    tasks: dict[PageRef, PageTask] = {}
    for work in works:
        pages = [page for page in work.pages if sample.layers.get(page.ref) is None]
        for task in _tasks(pages):
            if not task.as_pdf:
                tasks.setdefault(task.ref, task)
    return list(tasks.values())


def add_predictions(table: pd.DataFrame, model: Predictor | None = None) -> pd.DataFrame:
    """The table with each error's prediction, mean, spread and interval, and ``is_in_range``.

    A page that failed has the worst errors, for certain. Engines' predictions of a page are raised
    where their outputs are too far apart (:mod:`ohr.quality.bounds`). Pages with only text are
    predicted too; :func:`keep_assessed` removes those predictions.
    """
    model = model or shipped()
    rows: list[dict[str, Any]] = [
        {str(name): value for name, value in row.items()} for row in table.to_dict("records")
    ]
    for of_page in _group_by_page(rows):
        _predict_page(of_page, model)
    return pd.DataFrame(rows)


def _group_by_page(rows: Sequence[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """The rows of each page under each noise."""
    pages: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for place, row in enumerate(rows):
        # Without a column of distances nothing is compared, and rows may lack the page.
        key = tuple(row.get(name) for name in _ONE_PAGE) if APART in row else (place,)
        pages.setdefault(key, []).append(row)
    return list(pages.values())


_ONE_PAGE = ("group", "noise", "draw", "doc_id", "page_no")


def _predict_page(rows: Sequence[dict[str, Any]], model: Predictor) -> None:
    """Add the predictions of one page to the rows of its engines."""
    failed = {str(status) for status in FAILED}
    signals = {str(place): row for place, row in enumerate(rows) if row["status"] not in failed}
    pairs = page_pairs(rows)
    for target in TARGETS:
        predictions = model.predict_together(signals, pairs, target)
        for place, row in enumerate(rows):
            each = predictions.get(str(place))
            values: tuple[float, ...] = (1.0, 1.0, 0.0, 1.0, 1.0)
            if each is not None:
                values = (each.value, each.mean, each.spread, each.low, each.high)
            for suffix, value in zip(SUFFIXES, values, strict=True):
                row[target + suffix] = value
            row["in_range"] = each is None or each.in_range


def keep_assessed(table: pd.DataFrame, model: Predictor | None = None) -> pd.DataFrame:
    """The table without the predictions of pages that are not assessed, which must not be shown.

    The column ``assessed`` says whether a page has predictions, and ``not_assessed`` why it has
    none. Each error also gets a ``_coverage``: the share of pages whose true error such intervals
    are known to contain.
    """
    model = model or shipped()
    failed = table["status"].isin([str(status) for status in FAILED])
    records: list[Any] = table.to_dict("records")
    reasons = pd.Series([reason_against(row, model) for row in records], index=table.index)
    reasons = reasons.where(~failed, "")
    can_be = reasons == ""
    result = table.assign(assessed=can_be, not_assessed=reasons)
    kinds = [kind(row) for row in records]
    for target in TARGETS:
        known_values = [model.coverage.get(which, {}).get(target, math.nan) for which in kinds]
        result[f"{target}_coverage"] = pd.Series(known_values, index=table.index).mask(failed)
    page_kinds_of = [row.get("page_kind") for row in records]
    for target in TARGETS:
        holds = [
            not isinstance(name, str) or not name or model.knows_kind(name, target)
            for name in page_kinds_of
        ]
        columns = [target + suffix for suffix in (*SUFFIXES, "_coverage")]
        result[columns] = result[columns].where(can_be & (failed | pd.Series(holds, table.index)))
    result["in_range"] = result["in_range"].astype(object).where(can_be)
    return result
