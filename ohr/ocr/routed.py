"""Reads each page by its route into one knowledge base: the text layer, an engine, or nobody.

A page for a person is left out of the knowledge base, so that a study counts it as missing rather
than as text that is known to be bad. The manifest names it, as it does files' pages without a row.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ohr import registry
from ohr.documents.verifying import verified_layers
from ohr.errors import ConfigError
from ohr.files.safe_text import plain
from ohr.ocr.files import FileOutputs, FilePage, document_id, file_pages
from ohr.ocr.knowledge_base import MANIFEST, check_out, extent, knowledge_base, select_pages
from ohr.ocr.page_records import (
    PageRecord,
    check_formats,
    page_seconds,
    read_record,
    write_records,
)
from ohr.ocr.pools import Runners
from ohr.ocr.progress import Progress
from ohr.ocr.routes import LAYER, PERSON, Routes, read_routes
from ohr.ocr.sources import PageSource, find_pages, skipped_files
from ohr.ocr.store import stored_cost, sum_costs
from ohr.plugins import OcrBackend
from ohr.store.artefacts import ArtefactStore
from ohr.store.atomic import write_text
from ohr.store.locking import locked
from ohr.store.versions import versions
from ohr.types import FAILED, Outcome, PageRef, Status
from ohr.workers import Limits

_NAMED = 20
ReadPage = tuple[FilePage, Outcome[str]]


@dataclass(frozen=True)
class Reading:
    """How pages are read, whatever their engine."""

    store: ArtefactStore
    limits: Limits
    runners: Runners
    stop_after_failures: int
    retry: bool
    hand_over_pdfs: bool = False


@dataclass
class RoutedPages:
    """The pages of some files by route, and those that are not read."""

    outputs: dict[str, tuple[FileOutputs, list[FilePage]]] = field(default_factory=dict)
    """By the engine's label."""
    layered: list[FilePage] = field(default_factory=list)
    for_person: list[PageRef] = field(default_factory=list)
    without_route: list[PageRef] = field(default_factory=list)
    left_out: list[PageSource] = field(default_factory=list)
    """The pages for a person and those without a route."""

    @property
    def pages(self) -> list[FilePage]:
        """The pages that are read, by document and page."""
        of_engines = [page for _, pages in self.outputs.values() for page in pages]
        return sorted([*self.layered, *of_engines], key=lambda page: page.ref)

    @property
    def identity(self) -> dict[str, Any]:
        """What stands for the engine in the manifest: all engines, by label."""
        engines = {label: outputs.identity for label, (outputs, _) in self.outputs.items()}
        return {"name": "routes", "version": "1", "engines": engines}


def read_routed(
    inputs: Sequence[Path],
    path: Path,
    out: Path | None,
    *,
    pages: str,
    dpi: int,
    reading: Reading,
    formats: Sequence[str] = (),
    dry_run: bool = False,
) -> int:
    """Read the pages of PDFs, images and folders by the routes in a file; prints a summary.

    Returns 1 if a page failed, else 0. With ``dry_run``, which needs no ``out``, only the plan is
    printed. Raises OhrError, also for a route of a page that the files do not have.
    """
    check_formats(formats)
    for line in skipped_files(inputs):
        print(f"skipped: {plain(line)}", file=sys.stderr)
    sources = list(find_pages(inputs, dpi))
    routed = plan_routes(sources, select_pages(sources, pages), read_routes(path), reading, path)
    if dry_run or out is None:
        if out is not None:
            check_out(out, routed.pages, routed.identity)
        print("\n".join(plan_lines(routed)))
        return 0
    with locked(out):
        check_out(out, routed.pages, routed.identity)
        return write_routed(routed, reading, out, formats=formats)


def plan_routes(
    sources: Sequence[PageSource],
    chosen: Sequence[PageSource],
    routes: Routes,
    reading: Reading,
    path: Path,
) -> RoutedPages:
    """Sort the chosen pages by their routes. Raises ConfigError.

    A page with a route that is not in ``sources`` is an error: the files are others than those
    that were assessed.
    """
    known_values = {_ref(source) for source in sources}
    absent = [ref for ref in routes.by_page if ref not in known_values]
    if absent:
        more = f" and {len(absent) - 1} more" if len(absent) > 1 else ""
        raise ConfigError(
            f"--routes {path}: page {absent[0].page_no + 1} of {absent[0].doc_id}{more} is not in "
            "these files: name the files or the folder for which the routes were written"
        )
    by_route: dict[str, list[PageSource]] = {}
    result = RoutedPages()
    for ref, source in {_ref(source): source for source in chosen}.items():
        route = routes.by_page.get(ref)
        if route is None or route == PERSON:
            result.left_out.append(source)
        if route is None:
            result.without_route.append(ref)
        elif route == PERSON:
            result.for_person.append(ref)
        elif route == LAYER:
            if not source.is_pdf:
                raise ConfigError(
                    f"--routes {path}: {source.file_name} is an image without a text layer"
                )
            result.layered.append(FilePage(source, ref, dict, as_pdf=True))
        else:
            by_route.setdefault(route, []).append(source)
    for label, spec in routes.engines.items():
        backend = registry.create("engine", spec)
        if not isinstance(backend, OcrBackend):
            raise ConfigError(f"engine {label!r} reads no pages: name an OCR engine")
        as_pdf = reading.hand_over_pdfs and "pdf" in backend.accepts
        pages = file_pages(by_route.get(label, ()), spec, backend, hand_over_pdfs=as_pdf)
        outputs = FileOutputs(
            spec,
            backend.identity(),
            reading.store,
            reading.limits,
            reading.runners,
            reading.stop_after_failures,
            reading.retry,
        )
        result.outputs[label] = outputs, pages
    return result


def plan_lines(routed: RoutedPages) -> list[str]:
    """Lines about the pages of each route, and how many of them are in the cache."""
    lines = [f"{len(routed.layered)} pages by the text layer"] if routed.layered else []
    for label, (outputs, pages) in routed.outputs.items():
        stored = sum(outputs.is_final(page) for page in pages)
        lines.append(
            f"{len(pages)} pages by {plain(label)}: {stored} in the cache, "
            f"{len(pages) - stored} to read"
        )
    for count, title in (
        (len(routed.for_person), "for a person"),
        (len(routed.without_route), "without a route"),
    ):
        if count:
            lines.append(f"{count} pages {title}: left out")
    return [*lines, "dry run: nothing was read"]


def _ref(source: PageSource) -> PageRef:
    return PageRef(document_id(source.name), source.page_no or 0)


def layer_texts(pages: Sequence[FilePage]) -> list[ReadPage]:
    """The text layer of each page; an error where it can no longer be used."""
    by_path: dict[Path, list[FilePage]] = {}
    for page in pages:
        by_path.setdefault(page.source.path, []).append(page)
    texts: list[ReadPage] = []
    numbers = {path: [page.ref.page_no for page in own] for path, own in by_path.items()}
    with Progress(verb="checking", brief=True) as checking:
        outcomes = verified_layers(list(by_path), pages=numbers, report=checking)
    for path, outcome in zip(by_path, outcomes, strict=True):
        verdicts = outcome.value or []
        for place, page in enumerate(by_path[path]):
            if place >= len(verdicts):
                texts.append((page, Outcome.error(outcome.detail or "no such page")))
            elif verdicts[place].fault:
                fault = verdicts[place].fault
                texts.append((page, Outcome.error(f"no usable text layer: {fault}")))
            else:
                texts.append((page, Outcome.of_text(verdicts[place].text, verdicts[place].note)))
    return texts


def _read_engines(routed: RoutedPages) -> int:
    """Read what is not stored, engine by engine; returns the number of pages that were read."""
    count = 0
    with Progress() as progress:
        for label, (outputs, pages) in routed.outputs.items():
            todo = [page for page in pages if not outputs.is_final(page)]
            if not todo:
                continue
            done = 0

            def report(more: int, label: str = label, total: int = len(todo)) -> None:
                nonlocal done
                done += more
                progress(label, done, total)

            report(0)
            outputs.make(todo, report)
            count += len(todo)
    return count


def write_routed(
    routed: RoutedPages,
    reading: Reading,
    out: Path,
    *,
    layers: Mapping[PageRef, Outcome[str]] | None = None,
    unopened: Mapping[str, str] = MappingProxyType({}),
    about: Sequence[str] = (),
    formats: Sequence[str] | None = None,
) -> int:
    """Read the pages, write the knowledge base with its manifest, and print a summary.

    ``layers`` are verified text layers; by default they are verified now. ``unopened`` has the
    reason for each document that cannot be opened, which the caller has named, and ``about`` lines
    for the summary. With
    ``formats``, the records of the pages are written too, also in these formats; by default the
    caller writes them. Returns 1 if a page failed or a document cannot be opened, else 0. Raises
    OhrError.
    """
    started = time.perf_counter()
    read_now = _read_engines(routed)
    seconds = time.perf_counter() - started
    if layers is None:
        results = layer_texts(routed.layered)
    else:
        results = [(page, layers[page.ref]) for page in routed.layered]
    for outputs, pages in routed.outputs.values():
        results += [(page, outputs.outcome(page)) for page in pages]
    results.sort(key=lambda result: result[0].ref)
    documents = knowledge_base(results)
    failures = [
        f"{_where(page.ref)}: {outcome.detail}"
        for page, outcome in results
        if outcome.status in FAILED
    ]
    unread = [f"{plain(doc_id)}: {reason}" for doc_id, reason in unopened.items()]
    counts = {LAYER: len(routed.layered)}
    counts |= {label: len(pages) for label, (_, pages) in routed.outputs.items()}
    manifest = {
        "engine": routed.identity,
        "versions": versions(),
        "dpi": sorted({page.source.dpi for page in routed.pages}),
        "documents": len(documents),
        "pages": _statuses(results),
        "routes": {**counts, PERSON: len(routed.for_person)},
        "for_person": [_where(ref) for ref in routed.for_person],
        "without_route": [_where(ref) for ref in routed.without_route],
        "read_now": read_now,
        "taken": _costs(routed),
        "seconds": round(seconds, 3),
        "workers": reading.runners.workers,
        "failures": [*failures, *unread],
    }
    # The manifest comes first: it names the engines of the documents.
    write_text(out / MANIFEST, json.dumps(manifest, indent=2, ensure_ascii=False) + "\n")
    for doc_id, entries in documents.items():
        text = json.dumps(entries, indent=1, ensure_ascii=False)
        write_text(out / f"{doc_id}.json", text + "\n")
    if formats is not None:
        write_records(_records(routed, results), out, formats)
    _name("failed", failures)
    _name("for a person, left out", list(map(_where, routed.for_person)))
    listed = ", ".join(f"{count} by {_title(name)}" for name, count in counts.items() if count)
    print(f"{extent(len(results), len(documents))}: {listed or 'none'}")
    if routed.for_person:
        print(f"left out: {len(routed.for_person)} pages for a person, which {MANIFEST} names")
    if routed.without_route:
        print(
            f"left out: {len(routed.without_route)} pages without a route, such as "
            f"{_where(routed.without_route[0])}: a --budget of all pages routes them"
        )
    for line in about or [
        f"read now: {read_now} pages; from the cache or layers: {len(results) - read_now}"
    ]:
        print(plain(line))
    print(f"knowledge base: {out}")
    if failures or unread:
        parts = (
            [f"{len(failures)} of {len(results)} page{'s' * (len(results) != 1)}"]
            if failures
            else []
        )
        parts += [f"{len(unread)} file{'s' * (len(unread) != 1)}"] if unread else []
        again = "; --retry tries the pages of engines again" if failures else ""
        print(f"error: {' and '.join(parts)} could not be read{again}", file=sys.stderr)
        return 1
    return 0


def _records(routed: RoutedPages, results: Sequence[ReadPage]) -> list[PageRecord]:
    """A record of each page, those that are left out too."""
    routes = {page.ref: (LAYER, 0.0) for page in routed.layered}
    for label, (outputs, pages) in routed.outputs.items():
        for page in pages:
            cost = stored_cost(outputs.store, page.key, outputs.identity)
            routes[page.ref] = label, page_seconds(cost)
    records = []
    for page, outcome in results:
        route, seconds = routes[page.ref]
        records.append(read_record(page.ref, page.source.file_name, route, outcome, seconds))
    for source in routed.left_out:
        ref = _ref(source)
        why = "for a person" if ref in routed.for_person else "without a route"
        records.append(PageRecord(ref, source.file_name, "", "", None, f"left out: {why}"))
    return records


def _statuses(results: Sequence[ReadPage]) -> dict[str, int]:
    counts = Counter(str(outcome.status) for _, outcome in results)
    return {str(status): counts[str(status)] for status in Status}


def _costs(routed: RoutedPages) -> Mapping[str, Mapping[str, float]]:
    """The summed costs of each engine's pages, without those of pages that were also read before
    they were routed."""
    return {
        label: sum_costs(stored_cost(outputs.store, page.key, outputs.identity) for page in pages)
        for label, (outputs, pages) in routed.outputs.items()
    }


def _title(route: str) -> str:
    return "the text layer" if route == LAYER else plain(route)


def _where(ref: PageRef) -> str:
    return f"{plain(ref.doc_id)} page {ref.page_no + 1}"


def _name(kind: str, lines: Sequence[str]) -> None:
    """Print a line for each page on standard error, up to :data:`_NAMED`."""
    for line in lines[:_NAMED]:
        print(f"{kind}: {plain(line)}", file=sys.stderr)
    if len(lines) > _NAMED:
        print(f"and {len(lines) - _NAMED} more: see {MANIFEST}", file=sys.stderr)
