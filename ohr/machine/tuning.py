"""Measures on this machine what an engine's parameters cost and save: seconds against accuracy.

One parameter after another is tried on generated pages, clean and distorted, with the best values
of those before it. A value is taken if it is faster and reads no worse anywhere, clean or noisy.
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
from ohr.display.terminal import show
from ohr.documents.images import load_image
from ohr.errors import ConfigError, EngineError, OhrError
from ohr.files.safe_text import plain
from ohr.metrics.default import edit_distance
from ohr.ocr.distort import distorted
from ohr.ocr.noise import Noise, at_dpi, at_level
from ohr.ocr.progress import Progress
from ohr.plugins import OcrBackend
from ohr.registry import PluginSpec
from ohr.types import Page, PageRef
from ohr.workers import Limits, WorkerPool

LIMITS = Limits(cpu_s=600, wall_s=1800)
LEVELS = ("moderate", "severe")
FASTER = 0.95
"""What is to be gained at least: seconds against those of the best so far."""
WORSE = 0.002
"""Edit distance that may be lost at most, at any noise, against the engine as it was named."""


@dataclass(frozen=True)
class ReadTask:
    """A page to be read for its seconds."""

    spec: PluginSpec
    image: Path
    ref: PageRef
    noise: Noise


@dataclass
class TimedReader:
    """What a worker keeps: the engine, loaded and warm."""

    _backend: OcrBackend | None = field(default=None, repr=False)

    def read(self, task: ReadTask) -> tuple[str, float]:
        """The text of the page, and seconds. Raises EngineError."""
        image = load_image(task.image)
        if task.noise.operator is not None:
            operator = registry.image_perturbation(task.noise.operator)
            image = distorted(
                operator, image, intensity=task.noise.intensity, seed=0, ref=task.ref
            ).value
        if self._backend is None:
            self._backend = registry.ocr_engine(task.spec)
            _text(self._backend, image, task)
        started = time.perf_counter()
        text = _text(self._backend, image, task)
        return text, time.perf_counter() - started


def timed(task: ReadTask, reader: TimedReader) -> tuple[str, float]:
    """Read a page in a worker process."""
    return reader.read(task)


def _text(backend: OcrBackend, image: np.ndarray, task: ReadTask) -> str:
    [(_, outcome)] = backend.transcribe([image], [task.ref.page_no])
    if outcome.value is None:
        raise EngineError(outcome.detail or f"engine {task.spec.label} failed")
    return outcome.value


@dataclass(frozen=True)
class Measured:
    """One setting: seconds a page of the whole machine, and mean edit distance by noise."""

    params: Mapping[str, Any]
    workers: int
    seconds: float
    distances: Mapping[str, float]
    texts: Sequence[str]
    problem: str = ""
    """Why it could not be measured."""


@dataclass(frozen=True)
class Bench:
    """The pages, and what is done to them."""

    pages: Sequence[Page]
    noises: Mapping[str, Noise]

    def measure(self, spec: PluginSpec, progress: Progress, what: str) -> Measured:
        """Read every page at every noise with as many workers as its threads leave cores for."""
        threads = int(spec.params.get("threads", 1))
        workers = max(1, (os.cpu_count() or 1) // threads)
        cases = [(page, noise) for noise in self.noises.values() for page in self.pages]
        tasks = [
            ReadTask(spec, page.image, page.ref, noise)
            for page, noise in cases
            if page.image is not None
        ]
        read: dict[int, tuple[str, float]] = {}
        setup = TimedReader()
        with WorkerPool[tuple[str, float]](
            timed, workers=workers, setup=setup, limits=LIMITS, retry=False
        ) as pool:
            for done, (index, outcome) in enumerate(pool.run(tasks), start=1):
                if outcome.value is None:
                    return Measured(spec.params, workers, float("nan"), {}, (), outcome.detail)
                read[index] = outcome.value
                progress(what, done, len(tasks))
        distances: dict[str, list[float]] = {name: [] for name in self.noises}
        names = [name for name in self.noises for _ in self.pages]
        for index, (name, task) in enumerate(zip(names, cases, strict=True)):
            distances[name].append(edit_distance(read[index][0], task[0].text))
        return Measured(
            spec.params,
            workers,
            float(np.mean([seconds for _, seconds in read.values()])) / workers,
            {name: float(np.mean(values)) for name, values in distances.items()},
            [read[index][0] for index in range(len(tasks))],
        )


def tune(specs: Sequence[PluginSpec], pages: int) -> int:
    """Measure the parameters of engines, and print what to take of each. Raises OhrError."""
    for spec in specs:
        if not registry.ocr_engine(spec).tunable:
            raise ConfigError(f"engine {spec.label!r} has no parameters to tune")
    with tempfile.TemporaryDirectory() as folder, Progress(verb="measuring") as progress:
        bench = Bench(generated_pages(Path(folder), pages), semantic_noises())
        for spec in specs:
            start, tried, best = tuned(spec, bench, progress)
            show(settings_table(start, tried, best))
            for one in tried:
                if one.problem:
                    print(f"{settings_text(one.params)}: {plain(one.problem)}")
            print(said(spec, start, best))
    return 0


def generated_pages(folder: Path, count: int) -> list[Page]:
    """So many pages of the generated benchmark, with their truth."""
    sample = registry.create(
        "dataset",
        PluginSpec(name="sample", params={"cache": folder, "n_pages": count, "n_questions": 1}),
    )
    return list(sample.load().pages.values())[:count]


def semantic_noises() -> dict[str, Noise]:
    """Clean pages, and the published mixture at two levels."""
    operator = at_dpi(PluginSpec(name="semantic"), 150)
    return {"clean": Noise()} | {level: at_level(operator, level) for level in LEVELS}


def tuned(
    spec: PluginSpec, bench: Bench, progress: Progress
) -> tuple[Measured, list[Measured], Measured]:
    """The engine as it was named, what else was tried, and the best of it all.

    Raises OhrError where the engine as it was named cannot read the pages.
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


def is_better(one: Measured, best: Measured, start: Measured) -> bool:
    """Whether a setting is worth taking: faster, and at no noise worse than at the start."""
    return one.seconds < FASTER * best.seconds and all(
        one.distances[name] <= start.distances[name] + WORSE for name in start.distances
    )


def settings_text(params: Mapping[str, Any]) -> str:
    """Parameters as a configuration has them."""
    shown = {True: "true", False: "false", None: "null"}
    listed = ", ".join(
        f"{name}: {shown.get(value, value) if value is None or isinstance(value, bool) else value}"
        for name, value in params.items()
    )
    return f"{{{listed}}}"


def settings_table(start: Measured, tried: Sequence[Measured], best: Measured) -> Table:
    """A row a setting: seconds, edit distances, and how many texts are as at the start."""
    table = Table(header_style="bold", box=None, pad_edge=False)
    table.add_column("parameters", overflow="fold")
    for name in ("s a page", *start.distances, "same texts"):
        table.add_column(name, justify="right")
    table.add_column("")
    for one in (start, *tried):
        same = sum(a == b for a, b in zip(one.texts, start.texts, strict=False))
        table.add_row(
            Text(plain(settings_text(one.params))),
            "-" if one.problem else f"{one.seconds:.2f}",
            *(f"{one.distances[n]:.4f}" if one.distances else "-" for n in start.distances),
            "-" if one.problem else f"{same}/{len(start.texts)}",
            "taken" if one is best else "",
        )
    return table


def said(spec: PluginSpec, start: Measured, best: Measured) -> str:
    """What to write into a study."""
    if best is start:
        return f"{spec.label}: nothing tried is faster and reads as well; leave it as it is"
    ratio, given = start.seconds / best.seconds, settings_text(best.params)
    return f"{spec.label}: {ratio:.1f} times as fast as\n  {{name: {spec.name}, params: {given}}}"
