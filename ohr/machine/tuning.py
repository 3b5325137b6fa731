"""Tunes an engine's parameters on this machine: finds faster values that are as accurate.

One parameter after the other is tried on generated pages, clean and distorted, with the best
values of those before it. A value is used if it is faster and no less accurate at any noise.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table
from rich.text import Text

from ohr import registry
from ohr.display.terminal import empty_table, show
from ohr.documents.images import load_image
from ohr.errors import ConfigError, EngineError, OhrError
from ohr.files.safe_text import plain
from ohr.metrics.default import edit_distance
from ohr.ocr.distort import distort_image
from ohr.ocr.noise import Noise, choose_level, set_dpi
from ohr.ocr.progress import Progress
from ohr.plugins import OcrBackend
from ohr.registry import PluginSpec
from ohr.types import Page, PageRef
from ohr.workers import Limits, WorkerPool

LIMITS = Limits(cpu_s=600, wall_s=1800)
LEVELS = ("moderate", "severe")
FASTER = 0.95
"""Largest share of the best seconds so far that counts as faster."""
WORSE = 0.002
"""Largest loss of edit distance at any noise, compared with the engine as given."""


@dataclass(frozen=True)
class ReadTask:
    """A page to read and time."""

    spec: PluginSpec
    image: Path
    ref: PageRef
    noise: Noise


@dataclass
class TimedReader:
    """Reads pages in a worker, which keeps the engine loaded."""

    _backend: OcrBackend | None = field(default=None, repr=False)

    def read(self, task: ReadTask) -> tuple[str, float]:
        """The text of the page, and the seconds. Raises EngineError."""
        image = load_image(task.image)
        if task.noise.operator is not None:
            operator = registry.image_perturbation(task.noise.operator)
            image = distort_image(
                operator, image, intensity=task.noise.intensity, seed=0, ref=task.ref
            ).value
        if self._backend is None:
            self._backend = registry.ocr_engine(task.spec)
            _text(self._backend, image, task)
        started = time.perf_counter()
        text = _text(self._backend, image, task)
        return text, time.perf_counter() - started


def read_timed(task: ReadTask, reader: TimedReader) -> tuple[str, float]:
    """Read a page in a worker process."""
    return reader.read(task)


def _text(backend: OcrBackend, image: np.ndarray, task: ReadTask) -> str:
    [(_, outcome)] = backend.transcribe([image], [task.ref.page_no])
    if outcome.value is None:
        raise EngineError(outcome.detail or f"engine {task.spec.label} failed")
    return outcome.value


@dataclass(frozen=True)
class Measured:
    """One setting: seconds per page on the whole machine, and mean edit distance by noise."""

    params: Mapping[str, Any]
    workers: int
    seconds: float
    distances: Mapping[str, float]
    texts: Sequence[str]
    problem: str = ""
    """Why it could not be measured."""


@dataclass(frozen=True)
class Bench:
    """The pages and the noises to measure settings with."""

    pages: Sequence[Page]
    noises: Mapping[str, Noise]

    def measure(self, spec: PluginSpec, progress: Progress, what: str) -> Measured:
        """Read every page at every noise, with as many workers as there are cores per thread."""
        threads = int(spec.params.get("threads", 1))
        workers = max(1, (os.cpu_count() or 1) // threads)
        cases = [(page, noise) for noise in self.noises.values() for page in self.pages]
        tasks = [
            ReadTask(spec, page.image, page.ref, noise)
            for page, noise in cases
            if page.image is not None
        ]
        outcomes: dict[int, tuple[str, float]] = {}
        setup = TimedReader()
        with WorkerPool[tuple[str, float]](
            read_timed, workers=workers, setup=setup, limits=LIMITS, retry=False
        ) as pool:
            for done, (index, outcome) in enumerate(pool.run(tasks), start=1):
                if outcome.value is None:
                    return Measured(spec.params, workers, float("nan"), {}, (), outcome.detail)
                outcomes[index] = outcome.value
                progress(what, done, len(tasks))
        distances: dict[str, list[float]] = {name: [] for name in self.noises}
        names = [name for name in self.noises for _ in self.pages]
        for index, (name, task) in enumerate(zip(names, cases, strict=True)):
            distances[name].append(edit_distance(outcomes[index][0], task[0].text))
        return Measured(
            spec.params,
            workers,
            float(np.mean([seconds for _, seconds in outcomes.values()])) / workers,
            {name: float(np.mean(values)) for name, values in distances.items()},
            [outcomes[index][0] for index in range(len(tasks))],
        )


def tune(specs: Sequence[PluginSpec], pages: int) -> int:
    """Measure the parameters of engines, and print the best of each. Raises OhrError."""
    for spec in specs:
        if not registry.ocr_engine(spec).tunable:
            raise ConfigError(f"engine {spec.label!r} has no parameters to tune")
    with tempfile.TemporaryDirectory() as folder, Progress(verb="measuring") as progress:
        bench = Bench(generated_pages(Path(folder), pages), semantic_noises())
        for spec in specs:
            start, tried, best = tune_engine(spec, bench, progress)
            show(settings_table(start, tried, best))
            for setting in tried:
                if setting.problem:
                    print(f"{settings_text(setting.params)}: {plain(setting.problem)}")
            print(advice(spec, start, best))
    return 0


def generated_pages(folder: Path, count: int) -> list[Page]:
    """``count`` pages of the generated benchmark, with ground truth."""
    sample = registry.create(
        "dataset",
        PluginSpec(name="sample", params={"cache": folder, "n_pages": count, "n_questions": 1}),
    )
    return list(sample.load().pages.values())[:count]


def semantic_noises() -> dict[str, Noise]:
    """Clean pages, and the published mixture at two levels."""
    operator = set_dpi(PluginSpec(name="semantic"), 150)
    return {"clean": Noise()} | {level: choose_level(operator, level) for level in LEVELS}


def tune_engine(
    spec: PluginSpec, bench: Bench, progress: Progress
) -> tuple[Measured, list[Measured], Measured]:
    """The engine as given, all other settings that were tried, and the best setting.

    Raises OhrError if the engine as given cannot read the pages.
    """
    tunable = registry.ocr_engine(spec).tunable
    start = best = bench.measure(spec, progress, f"{spec.label} as it is")
    if start.problem:
        raise OhrError(f"engine {spec.label!r}: {start.problem}")
    cores, tried = os.cpu_count() or 1, []
    usual = type(registry.ocr_engine(spec)).Params.model_validate(spec.params).model_dump()
    for name, values in tunable.items():
        before = best
        for value in values:
            params = {**before.params, name: value}
            if value == {**usual, **before.params}[name] or (name == "threads" and value > cores):
                continue
            measured = bench.measure(
                spec.model_copy(update={"params": params}),
                progress,
                f"{spec.label} {settings_text(params)}",
            )
            tried.append(measured)
            if is_better(measured, best, start):
                best = measured
    return start, tried, best


def is_better(setting: Measured, best: Measured, start: Measured) -> bool:
    """Whether a setting is faster, and at no noise less accurate than the start."""
    return setting.seconds < FASTER * best.seconds and all(
        setting.distances[name] <= start.distances[name] + WORSE for name in start.distances
    )


def settings_text(params: Mapping[str, Any]) -> str:
    """Parameters as written in a configuration."""

    def literal(value: object) -> object:
        if value is None or isinstance(value, bool):
            return {True: "true", False: "false", None: "null"}[value]
        return value

    listed = ", ".join(f"{name}: {literal(value)}" for name, value in params.items())
    return f"{{{listed}}}"


def settings_table(start: Measured, tried: Sequence[Measured], best: Measured) -> Table:
    """One row per setting: seconds, edit distances, and how many texts equal those of the start."""
    table = empty_table(["parameters"], ["s per page", *start.distances, "same texts"])
    table.columns[0].overflow = "fold"
    table.add_column("")
    for setting in (start, *tried):
        same = sum(a == b for a, b in zip(setting.texts, start.texts, strict=False))
        table.add_row(
            Text(plain(settings_text(setting.params))),
            "-" if setting.problem else f"{setting.seconds:.2f}",
            *(f"{setting.distances[n]:.4f}" if setting.distances else "-" for n in start.distances),
            "-" if setting.problem else f"{same}/{len(start.texts)}",
            "taken" if setting is best else "",
        )
    return table


def advice(spec: PluginSpec, start: Measured, best: Measured) -> str:
    """A line with the parameters to use in a study."""
    if best is start:
        return f"{spec.label}: no other setting is faster and as accurate; leave it as it is"
    ratio, params = start.seconds / best.seconds, settings_text(best.params)
    return f"{spec.label}: {ratio:.1f} times as fast as\n  {{name: {spec.name}, params: {params}}}"
