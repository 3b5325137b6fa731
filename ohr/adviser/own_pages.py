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
from ohr.adviser.sampling import PageSample
from ohr.errors import ConfigError
from ohr.machine.engines import usable_engines
from ohr.ocr.files import FileOutputs, FilePage, file_pages
from ohr.ocr.observe import Observing
from ohr.ocr.pools import Runners
from ohr.ocr.sources import PageSource
from ohr.ocr.store import keep_speed, kept_speed, stored_cost, sum_costs
from ohr.ocr.worker import PageTask
from ohr.plugins import CompositeEngine, OcrBackend
from ohr.quality.doubt import contradicted_layers
from ohr.quality.predictor import Predictor, is_assessable, kind, shipped
from ohr.quality.signals import SIGNALS
from ohr.quality.table import Observation, signal_table
from ohr.quality.truth import TARGETS
from ohr.registry import PluginSpec
from ohr.store.artefacts import ArtefactStore
from ohr.study.config import parse_plugins
from ohr.types import FAILED, PageRef
from ohr.workers import Limits


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

    @property
    def seconds(self) -> dict[str, float]:
        """Wall seconds per page and worker of each engine, NaN if not known."""
        return {name: cost.get("wall_s", math.nan) for name, cost in self.cost.items()}

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
    of_layer = frozenset(work.label for work in works if "image" not in work.backend.accepts)
    of_images = {label: pages for label, pages in seen.items() if label not in of_layer}
    sample = sample.drop_layers(contradicted_layers(of_images, sample.layers, sample.holes))
    table = signal_table(seen, sample.layers, of_layer, sample.holes)
    costs = {work.label: work.page_costs() for work in works}
    keys = [
        (str(row["engine"]), PageRef(str(row["doc_id"]), int(row["page_no"])))
        for row in table.to_dict("records")
    ]
    table["has_layer"] = [sample.layers.get(ref) is not None for _, ref in keys]
    for name in ("wall_s", "cpu_s"):
        table[name] = [costs[label].get(ref, {}).get(name, math.nan) for label, ref in keys]
    cost = {work.label: work.cost() for work in works}
    for label, seconds in measured.items():
        cost[label].setdefault("wall_s", seconds)
    composites = frozenset(w.label for w in works if isinstance(w.backend, CompositeEngine))
    return SampleOutputs(sample, table, seen, cost, of_layer, composites)


def add_predictions(table: pd.DataFrame, model: Predictor | None = None) -> pd.DataFrame:
    """The table with each error's prediction, mean, spread and interval, and ``is_in_range``.

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
        predictions["in_range"] = row["status"] in failed or model.is_in_range(signals)
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
        known_values = [model.coverage.get(which, {}).get(target, math.nan) for which in kinds]
        result[f"{target}_coverage"] = pd.Series(known_values, index=table.index).mask(failed)
    suffixes = ("", "_mean", "_spread", "_low", "_high", "_coverage")
    empty = [target + suffix for target in TARGETS for suffix in suffixes]
    result[empty] = result[empty].where(can_be)
    result["in_range"] = result["in_range"].astype(object).where(can_be)
    return result
