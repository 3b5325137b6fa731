"""How fast engines read, what the toolkit adds to the bare engine, and whether memory stays flat.

    python -m benchmarks.throughput [PAGES] [--memory PAGES] [--engine LABEL ...] [--crops]

Pages are the sample's, A4 at 150 dpi. Target, on two cores that nothing else uses: overhead under 5
% a page; Tesseract 2.2 pages a second (tesserocr; 1.7 by pytesseract) and RapidOCR 0.6 with two
workers; two workers 1.7 times one; memory flat over 2,000 pages. The load that others put on the
machine is printed beside the figures: they mean little above 0.3.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, get_args

import numpy as np
import psutil
from PIL import Image
from rich.table import Table

from ocr_backends.rapidocr import Runtime
from ohr import registry
from ohr.display.terminal import show
from ohr.documents.images import load_image
from ohr.ocr.worker import PageReader, PageTask, read_page
from ohr.plugins import OcrBackend
from ohr.registry import PluginSpec
from ohr.sample import Sample
from ohr.store.artefacts import ArtefactStore
from ohr.types import Outcome, PageRef
from ohr.workers import WorkerPool

CROP = (slice(200, 600), slice(100, 900))
"""A part of a page, for the run of many pages, and for a quick look."""


@dataclass(frozen=True)
class Contender:
    """An engine, the same engine without the toolkit, and the target of pages per second with two
    workers."""

    label: str
    spec: PluginSpec
    bare: Callable[[], Callable[[np.ndarray], Any]]
    target: float


def bare_tesserocr() -> Callable[[np.ndarray], Any]:
    import tesserocr

    from ocr_backends._tesseract_library import tessdata

    api = tesserocr.PyTessBaseAPI(path=f"{tessdata('tesserocr')}/", lang="eng")

    def read(image: np.ndarray) -> str:
        api.SetImage(Image.fromarray(image))
        text: str = api.GetUTF8Text()
        return text

    return read


def bare_pytesseract() -> Callable[[np.ndarray], Any]:
    import pytesseract

    return lambda image: pytesseract.image_to_string(Image.fromarray(image))


def bare_rapidocr(runtime: Runtime) -> Callable[[np.ndarray], Any]:
    import cv2

    from ocr_backends.rapidocr import load_engine

    engine = load_engine(0.5, runtime)
    return lambda image: engine(cv2.cvtColor(image, cv2.COLOR_GRAY2BGR))


def contenders() -> Iterator[Contender]:
    for library, bare, target in (
        ("tesserocr", bare_tesserocr, 2.2),
        ("pytesseract", bare_pytesseract, 1.7),
    ):
        if importlib.util.find_spec(library) is not None:
            spec = PluginSpec(name="tesseract", params={"library": library}, label=library)
            yield Contender(library, spec, bare, target)
    for runtime in get_args(Runtime):
        if importlib.util.find_spec(runtime) is not None:
            spec = PluginSpec(name="rapidocr", params={"runtime": runtime})
            yield Contender(f"rapidocr, {runtime}", spec, partial(bare_rapidocr, runtime), 0.6)


def busy() -> float:
    """Cores' worth of work that others do, over a second."""
    return psutil.cpu_percent(1.0) / 100 * (os.cpu_count() or 1)


def overhead(contender: Contender, images: list[np.ndarray]) -> tuple[float, float]:
    """Seconds a page of the bare engine, and what ours takes more, as a share.

    Page by page in turn, so that the machine's load falls on both alike, and each first at every
    other page. Each page is read once before: a runtime may prepare for its size.
    """
    engine: OcrBackend = registry.create("engine", contender.spec)
    bare = contender.bare()

    def ours(image: np.ndarray) -> None:
        [(_, outcome)] = engine.transcribe([image], [0])
        assert outcome.value is not None, outcome.detail

    ours(images[0])  # loads the models
    spent: dict[bool, list[float]] = {True: [], False: []}
    for number, image in enumerate(images):
        bare(image)
        for is_bare in (True, False) if number % 2 else (False, True):
            spent[is_bare].append(_seconds(bare if is_bare else ours, image))
    plain, full = (np.array(seconds) for seconds in (spent[True], spent[False]))
    return float(np.median(plain)), float(full.sum() / plain.sum()) - 1


def _seconds(read: Callable[[np.ndarray], Any], image: np.ndarray) -> float:
    started = time.perf_counter()
    read(image)
    return time.perf_counter() - started


def pages_a_second(contender: Contender, paths: list[Path], workers: int) -> float:
    """The whole route: load, read, store, in warm workers."""
    identity = registry.create("engine", contender.spec).identity()
    with tempfile.TemporaryDirectory() as folder:
        reader = PageReader(contender.spec, identity, ArtefactStore(Path(folder)))
        tasks = [
            PageTask(PageRef("d", n), path, 150, None, 0.0, 0, {"page": n})
            for n, path in enumerate(paths)
        ]
        with WorkerPool[None](read_page, setup=reader, workers=workers) as pool:
            list(pool.run(tasks[:workers]))
            timed = tasks[workers:]
            started = time.perf_counter()
            outcomes = list(pool.run(timed))
            seconds = time.perf_counter() - started
    failures = [outcome.detail for _, outcome in outcomes if outcome.status != "ok"]
    assert not failures, failures[0]
    return len(timed) / seconds


def read_crop(task: int, setup: tuple[PluginSpec, np.ndarray]) -> Outcome[int]:
    """Read a crop with a little noise of its own; the worker's memory in bytes."""
    spec, image = setup
    if not _ENGINE:
        _ENGINE.append(registry.create("engine", spec))
    noisy = image.copy()
    spots = np.random.default_rng(task).integers(0, image.size, 50)
    noisy.flat[spots] = 0
    [(_, outcome)] = _ENGINE[0].transcribe([noisy], [task])
    assert outcome.value is not None, outcome.detail
    return Outcome(psutil.Process().memory_info().rss)


_ENGINE: list[OcrBackend] = []


def cropped(page: Path, out: Path) -> Path:
    """Write a part of a page as a picture of its own."""
    Image.fromarray(load_image(page)[CROP]).save(out)
    return out


def memory(contender: Contender, image: np.ndarray, pages: int) -> tuple[float, float]:
    """Megabytes of a worker after a tenth of the pages and at the end (medians)."""
    crop = np.ascontiguousarray(image[CROP])
    tasks = range(pages)
    with WorkerPool[int](
        "benchmarks.throughput:read_crop", setup=(contender.spec, crop), workers=1
    ) as pool:
        held = [outcome.value or 0 for _, outcome in pool.run(tasks)]
    tenth = max(pages // 10, 1)
    early, late = held[tenth : 2 * tenth], held[-tenth:]
    return statistics.median(early) / 1e6, statistics.median(late) / 1e6


def main() -> None:
    """Print one row per engine."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="?", type=int, default=24)
    parser.add_argument("--memory", type=int, default=0, metavar="PAGES")
    labels = [contender.label for contender in contenders()]
    parser.add_argument("--engine", action="append", choices=labels, help="by default all")
    parser.add_argument("--crops", action="store_true", help="read a part of each page alone")
    options = parser.parse_args()
    if options.pages < 3:
        parser.error("two workers, each with a page before the clock starts, need 3 pages")
    chosen = [
        contender for contender in contenders() if contender.label in (options.engine or labels)
    ]
    # Only a fresh process can hold OpenMP to one thread: the bare engine runs as ours does.
    os.environ["OMP_THREAD_LIMIT"] = os.environ["OMP_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        params = {"cache": folder, "n_pages": options.pages, "n_questions": 1}
        sample: Sample = registry.create("dataset", PluginSpec(name="sample", params=params))
        paths = [page.image for page in sample.load().pages.values() if page.image is not None]
        if options.crops:
            paths = [cropped(path, Path(folder) / f"{n}.png") for n, path in enumerate(paths)]
        images = [load_image(path) for path in paths]
        table = Table("engine", "bare, s", "overhead", "1 worker, pages/s", "2 workers",
                      "target", "2 : 1", "others' load", box=None)  # fmt: skip
        for contender in chosen:
            load = busy()
            seconds, more = overhead(contender, images[: max(1, options.pages // 4)])
            alone, together = (pages_a_second(contender, paths, workers) for workers in (1, 2))
            table.add_row(
                contender.label, f"{seconds:.2f}", f"{100 * more:+.1f} %", f"{alone:.2f}",
                f"{together:.2f}", f"{contender.target}", f"{together / alone:.2f}", f"{load:.1f}",
            )  # fmt: skip
        show(table)
        for contender in chosen if options.memory else []:
            early, late = memory(contender, images[0], options.memory)
            grown = f"{early:.0f} MB early, {late:.0f} MB late"
            print(f"{contender.label}: {options.memory} crops of a page: {grown}")


if __name__ == "__main__":
    main()
