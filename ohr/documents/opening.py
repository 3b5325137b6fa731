"""Opens files in worker processes, since a small file may take hours and gigabytes to open."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ohr.documents.images import image_dpi, tiff_pages
from ohr.documents.pdf import RENDERER, drawn_by, page_count, page_labels
from ohr.errors import EngineError
from ohr.types import Outcome
from ohr.workers import Limits, WorkerPool

if TYPE_CHECKING:
    from ohr.documents.layers import TextLayer
    from ohr.documents.layers.witnesses import Box

Task = Callable[[], Any]
Opener = Callable[[Sequence[Task], Callable[[int], None]], list[Outcome[Any]]]
"""Runs tasks; the second argument is called with the number of each as it ends."""
Report = Callable[[str, int, int], None]
"""Gets what is done, how many pages of it are done, and of how many."""

LIMITS = Limits(cpu_s=60, wall_s=600, memory_mb=2000)
"""Limits for opening a file, or for the text layers of some pages."""
MOST_WORKERS = 4
PAGES_AT_ONCE = 32
LINES_AT_ONCE = 12


@dataclass(frozen=True, slots=True)
class FileFacts:
    """Facts about a file, known before any page is read."""

    pages: int
    drawn_by: str | None
    """See :func:`ohr.documents.pdf.drawn_by`."""
    dpi: int | None
    """The resolution that an image states; None for a PDF."""
    fault: str = ""
    """Why the file cannot be opened; empty if it can."""


def file_facts(paths: Iterable[Path], limits: Limits = LIMITS) -> dict[Path, FileFacts]:
    """The facts about each file.

    A file that cannot be opened counts as one plain page: reading it fails with the reason.
    """
    unique = list(dict.fromkeys(paths))
    with _opener(len(unique), limits) as outcomes:
        facts = outcomes([partial(_facts, path) for path in unique], _ignore)
    return {
        path: outcome.value
        or FileFacts(1, RENDERER if _is_pdf(path) else None, None, outcome.detail or "not opened")
        for path, outcome in zip(unique, facts, strict=True)
    }


def _facts(path: Path) -> FileFacts:
    pages, fault = 1, ""
    try:
        pages = page_count(path) if _is_pdf(path) else tiff_pages(path)
    except EngineError as error:
        fault = str(error)
    return FileFacts(pages, drawn_by(path), None if _is_pdf(path) else image_dpi(path), fault)


def labels_of(paths: Sequence[Path], limits: Limits = LIMITS) -> list[Outcome[list[str]]]:
    """The page labels of each PDF, in order."""
    with _opener(len(paths), limits) as outcomes:
        return outcomes([partial(page_labels, path) for path in paths], _ignore)


def _is_pdf(path: Path) -> bool:
    return path.suffix.lower() == ".pdf"


def layers_of(
    paths: Sequence[Path],
    limits: Limits = LIMITS,
    pages: Mapping[Path, Sequence[int]] | None = None,
    report: Report = lambda what, done, total: None,
) -> list[Outcome[list[Outcome[TextLayer]]]]:
    """The text layers of each PDF, in order. A page or a whole file may be a failed outcome.

    ``pages`` are the 0-based pages of each PDF, in the order of the result; by default all.
    ``report`` gets the number of pages whose layers are read.
    """
    from ohr.documents.layers import text_layers

    layers: dict[tuple[Path, int], Outcome[TextLayer]] = {}
    with _opener(len(paths), limits) as outcomes:
        counts = outcomes([partial(page_count, path) for path in paths], _ignore)
        numbers: dict[Path, Sequence[int]] = {
            path: range(count.value) if pages is None else pages[path]
            for path, count in zip(paths, counts, strict=True)
            if count.value is not None
        }
        batches: list[tuple[Path, Sequence[int]]] = [
            (path, page_nos[start : start + PAGES_AT_ONCE])
            for path, page_nos in numbers.items()
            for start in range(0, len(page_nos), PAGES_AT_ONCE)
        ]
        total = sum(map(len, numbers.values()))
        while batches:
            tasks = [partial(text_layers, *batch) for batch in batches]
            sizes = [len(page_nos) for _, page_nos in batches]
            outcomes_of_batches = outcomes(tasks, _Ended(report, "text layers", sizes, total))
            failed: list[tuple[Path, Sequence[int]]] = []
            for (path, page_nos), outcome in zip(batches, outcomes_of_batches, strict=True):
                if outcome.value is not None:
                    layers |= {
                        (path, page_no): Outcome(layer)
                        for page_no, layer in zip(page_nos, outcome.value, strict=True)
                    }
                elif len(page_nos) == 1:
                    layers[path, page_nos[0]] = Outcome(None, outcome.status, outcome.detail)
                else:  # one page failed: try each alone, to keep the others
                    failed += [(path, range(number, number + 1)) for number in page_nos]
            batches = failed
    return [
        Outcome(None, count.status, count.detail)
        if count.value is None
        else Outcome([layers[path, page_no] for page_no in numbers[path]])
        for path, count in zip(paths, counts, strict=True)
    ]


def lines_read(
    requests: Mapping[Path, Sequence[tuple[int, Box, str]]],
    limits: Limits = LIMITS,
    report: Report = lambda what, done, total: None,
) -> dict[Path, list[dict[str, str]]]:
    """What witnesses read in lines of PDFs (:func:`ohr.documents.layers.read_lines`), in order.

    Nothing for lines on which a worker failed. ``report`` gets the number of pages whose lines are
    read; a page whose lines are in two tasks counts twice.
    """
    from ohr.documents.layers import read_lines

    batches = [
        (path, lines[start : start + LINES_AT_ONCE])
        for path, lines in requests.items()
        for start in range(0, len(lines), LINES_AT_ONCE)
    ]
    readings: dict[Path, list[dict[str, str]]] = {path: [] for path in requests}
    with _opener(len(batches), limits) as outcomes:
        pages = [len({page_no for page_no, _, _ in lines}) for _, lines in batches]
        ended = _Ended(report, "lines of text layers", pages, sum(pages))
        read = outcomes([partial(read_lines, *batch) for batch in batches], ended)
    for (path, lines), outcome in zip(batches, read, strict=True):
        readings[path] += outcome.value if outcome.value is not None else [{} for _ in lines]
    return readings


@contextmanager
def _opener(files: int, limits: Limits) -> Iterator[Opener]:
    """A function that runs tasks in worker processes and returns their outcomes, in order."""
    if not files:
        yield lambda tasks, ended: []
        return
    workers = min(files, os.cpu_count() or 1, MOST_WORKERS)
    with WorkerPool[Any](_call, workers=workers, limits=limits, retry=False) as pool:

        def outcomes(tasks: Sequence[Task], ended: Callable[[int], None]) -> list[Outcome[Any]]:
            by_index = {}
            for index, outcome in pool.run(tasks):
                by_index[index] = outcome
                ended(index)
            return [_plain(by_index[index]) for index in range(len(tasks))]

        yield outcomes


class _Ended:
    """Counts pages: ``sizes`` are the numbers of those of tasks, the last of ``total``."""

    def __init__(self, report: Report, what: str, sizes: Sequence[int], total: int) -> None:
        self._report, self._what, self._sizes, self._total = report, what, sizes, total
        self._done = total - sum(sizes)
        if sizes:
            report(what, self._done, total)

    def __call__(self, index: int) -> None:
        self._done += self._sizes[index]
        self._report(self._what, self._done, self._total)


def _ignore(index: int) -> None:
    """Nobody counts the tasks."""


def _call(task: Task) -> Any:
    return task()


def _plain(outcome: Outcome[Any]) -> Outcome[Any]:
    detail = outcome.detail.removeprefix(f"{EngineError.__name__}: ")
    return Outcome(outcome.value, outcome.status, detail)
