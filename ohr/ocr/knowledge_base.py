"""Writes an engine's output as a knowledge base in the layout of OHR-Bench."""

from __future__ import annotations

import json
import re
import sys
import time
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ohr import registry
from ohr.errors import ConfigError
from ohr.files.safe_text import plain
from ohr.models.frames import shared_frames
from ohr.models.origins import origin_notes, split_origins
from ohr.ocr.files import FileOutputs, FilePage, file_pages
from ohr.ocr.page_records import check_formats, page_seconds, read_record, write_records
from ohr.ocr.pools import Runners
from ohr.ocr.price import reading_s, time_text
from ohr.ocr.progress import Progress
from ohr.ocr.shards import Pending, Shard
from ohr.ocr.sharing import Sharing
from ohr.ocr.sources import PageSource, find_pages, skipped_files
from ohr.ocr.store import keep_speed, kept_speed, stored_cost, sum_costs
from ohr.plugins import OcrBackend
from ohr.registry import PluginSpec
from ohr.store.artefacts import ArtefactStore
from ohr.store.atomic import write_text
from ohr.store.identity import canonical_json
from ohr.store.locking import locked
from ohr.store.versions import versions
from ohr.types import FAILED, Outcome, Status
from ohr.workers import Limits

_RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9})?)?")
_NAMED = 20
MANIFEST = "manifest.json"


def read_files(
    inputs: Sequence[Path],
    engine: PluginSpec,
    out: Path | None,
    *,
    pages: str,
    dpi: int,
    hand_over_pdfs: bool,
    retry: bool,
    runners: Runners,
    cache: Path,
    limits: Limits,
    stop_after_failures: int,
    shard: Shard | None,
    formats: Sequence[str] = (),
    dry_run: bool = False,
) -> int:
    """Read the pages of PDFs, images and folders into a knowledge base, and print a summary.

    Returns 1 if a page failed, else 0. With a ``shard``, its pages are only read into the cache;
    with ``dry_run``, which needs no ``out``, only the plan is printed. Raises OhrError.
    """
    check_formats(formats)
    backend = registry.create("engine", engine)
    if not isinstance(backend, OcrBackend):
        raise ConfigError(f"engine {engine.label!r} reads no pages: name an OCR engine")
    for line in skipped_files(inputs):
        print(f"skipped: {plain(line)}", file=sys.stderr)
    sources = select_pages(list(find_pages(inputs, dpi)), pages)
    chosen = file_pages(sources, engine, backend, hand_over_pdfs=hand_over_pdfs)
    outputs = FileOutputs(
        engine,
        backend.identity(),
        ArtefactStore(cache),
        limits,
        runners,
        stop_after_failures,
        retry,
    )
    if dry_run or out is None:
        if out is not None:
            check_out(out, chosen, outputs.identity)
        print("\n".join(plan_lines(chosen, outputs)))
        return 0
    sharing = Sharing(cache, out, shard)
    if shard is not None:
        check_out(out, chosen, outputs.identity)
        _read(chosen, outputs, sharing)
        print("\n".join(sharing.summary()))
        return 0
    with locked(out):
        check_out(out, chosen, outputs.identity)
        return write_outputs(chosen, outputs, out, sharing, formats)


def extent(pages: int, documents: int) -> str:
    """``9 pages of 1 document``."""
    return f"{pages:,} page{'s' * (pages != 1)} of {documents:,} document{'s' * (documents != 1)}"


def select_pages(sources: Sequence[PageSource], ranges_text: str) -> list[PageSource]:
    """The pages that ``1-3,7`` selects in each file; an image is page 1. Raises ConfigError."""
    if not ranges_text.strip():
        return list(sources)
    ranges = []
    for part in ranges_text.split(","):
        match = _RANGE.fullmatch(part.strip())
        first = int(match[1]) if match else 0
        last = first if match is None or "-" not in part else int(match[2] or 10**9)
        if not 1 <= first <= last:
            raise ConfigError(f"--pages {ranges_text!r}: write it as 1-3,7 or 5-, counted from 1")
        ranges.append((first, last))
    chosen = [
        source
        for source in sources
        if any(first <= (source.page_no or 0) + 1 <= last for first, last in ranges)
    ]
    if not chosen:
        raise ConfigError(f"--pages {ranges_text!r}: no file has such a page")
    return chosen


def plan_lines(pages: Sequence[FilePage], outputs: FileOutputs) -> list[str]:
    """Lines about what would be read, and how long that takes if stored pages have their time."""
    documents = Counter(plain(page.source.file_name) for page in pages)
    todo = [page for page in pages if not outputs.is_final(page)]
    lines = [f"{name}: {count} pages" for name, count in list(documents.items())[:_NAMED]]
    if len(documents) > _NAMED:
        lines.append(f"and {len(documents) - _NAMED} more files")
    lines.append(
        f"{len(pages)} pages of {len(documents)} files with {outputs.engine.label}: "
        f"{len(pages) - len(todo)} in the cache, {len(todo)} to read"
    )
    cost = sum_costs(stored_cost(outputs.store, page.key, outputs.identity) for page in pages)
    page_s = cost.get("median_wall_s")
    if page_s is None:
        page_s = kept_speed(outputs.store, outputs.identity).get("wall_s")
    if todo and page_s is not None:
        workers = outputs.runners.workers
        time = time_text(reading_s(len(todo), page_s, workers))
        several = f"{workers} worker{'s' * (workers != 1)}"
        lines.append(f"{time} with {several}, by the pages in the cache")
    elif todo:
        lines.append("time not known: the cache has no page of this engine")
    return [*lines, "dry run: nothing was read"]


def _read(pages: Sequence[FilePage], outputs: FileOutputs, sharing: Sharing) -> int:
    """Read what is not stored, in a shard only its pages; returns the number of pages to read."""
    count, label = 0, outputs.engine.label
    with Progress() as progress:
        for turn, owns in enumerate(sharing.rounds()):
            if turn:  # pages that failed in one shard are not tried again by others
                outputs = replace(outputs, retry=False)
            looked_at = [page for page in pages if owns is None or owns(page.name)]
            todo = [page for page in looked_at if not outputs.is_final(page)]
            for line in sharing.unread((page.ref for page in todo), len(todo)):
                progress.say(line)
            count += len(todo)
            done = 0

            def report(count: int, total: int = len(todo)) -> None:
                nonlocal done
                done += count
                progress(label, done, total)

            with sharing.hold([Pending(array("q", range(len(todo))), len(looked_at))]):
                if todo:
                    report(0)
                    outputs.make(todo, report, sharing)
    return count


def write_outputs(
    pages: Sequence[FilePage],
    outputs: FileOutputs,
    out: Path,
    sharing: Sharing,
    formats: Sequence[str] = (),
) -> int:
    """Read what is not stored, write the knowledge base and print a summary.

    Returns 1 if a page failed, else 0.
    """
    started = time.perf_counter()
    read_now = _read(pages, outputs, sharing)
    seconds = time.perf_counter() - started
    outcomes = [(page, outputs.outcome(page)) for page in pages]
    documents = knowledge_base(outcomes)
    costs = [stored_cost(outputs.store, page.key, outputs.identity) for page in pages]
    summed = sum_costs(costs)
    keep_speed(outputs.store, outputs.identity, summed)
    cost, models = split_origins(summed)
    counts = Counter(str(outcome.status) for _, outcome in outcomes)
    failures = [(page, outcome) for page, outcome in outcomes if outcome.status in FAILED]
    noted = [
        (page, outcome)
        for page, outcome in outcomes
        if outcome.detail and outcome.status not in FAILED
    ]
    manifest: dict[str, Any] = {
        "engine": outputs.identity,
        "versions": versions(),
        "dpi": sorted({page.source.dpi for page in pages}),
        "documents": len(documents),
        "pages": {str(status): counts[str(status)] for status in Status},
        "read_now": read_now,
        "taken": cost,
        **({"models": models} if models else {}),
        "seconds": round(seconds, 3),
        "workers": outputs.runners.workers,
        "failures": [f"{_where(page)}: {outcome.detail}" for page, outcome in failures],
        "notes": [f"{_where(page)}: {outcome.detail}" for page, outcome in noted],
    }
    text = json.dumps(manifest, indent=2, ensure_ascii=False)
    write_text(out / MANIFEST, text + "\n")  # first: it names the engine of the documents
    for doc_id, entries in documents.items():
        text = json.dumps(entries, indent=1, ensure_ascii=False)
        write_text(out / f"{doc_id}.json", text + "\n")
    label = outputs.engine.label
    records = [
        read_record(page.ref, page.source.file_name, label, outcome, page_seconds(of_page))
        for (page, outcome), of_page in zip(outcomes, costs, strict=True)
    ]
    write_records(records, out, formats)
    _name([(str(outcome.status), page, outcome) for page, outcome in failures])
    _name([("note", page, outcome) for page, outcome in noted])
    listed = ", ".join(f"{counts[str(status)]} {status}" for status in Status)
    print(f"{extent(len(pages), len(documents))}: {listed}")
    if read_now:
        print(
            f"read now: {read_now} pages, {seconds / read_now:.2f} s per page "
            f"with {outputs.runners.workers} worker{'s' * (outputs.runners.workers != 1)}; "
            f"from the cache: {len(pages) - read_now}"
        )
    from ohr.ocr.costs import cost_lines

    lines = [*cost_lines({label: cost}), *origin_notes(label, outputs.identity, models)]
    if cost.get("replies"):  # a model wrote the pages
        texts = (outcome.value or "" for _, outcome in outcomes)
        lines += [shared.line(label, "pages") for shared in shared_frames(texts, pages=True)]
    for line in lines:
        print(plain(line))
    print(f"knowledge base: {out}")
    if failures:
        print(
            f"error: {len(failures)} of {len(pages)} pages could not be read; "
            "--retry tries them again",
            file=sys.stderr,
        )
        return 1
    return 0


def _name(pages: Sequence[tuple[str, FilePage, Outcome[str]]]) -> None:
    """Print a line for each page on standard error, up to :data:`_NAMED`."""
    for kind, page, outcome in pages[:_NAMED]:
        print(f"{kind}: {_where(page)}: {plain(outcome.detail)}", file=sys.stderr)
    if len(pages) > _NAMED:
        print(f"and {len(pages) - _NAMED} more: see manifest.json", file=sys.stderr)


def _where(page: FilePage) -> str:
    return f"{plain(page.source.file_name)} page {page.ref.page_no + 1}"


def knowledge_base(
    pages: Sequence[tuple[FilePage, Outcome[str]]],
) -> dict[str, list[dict[str, Any]]]:
    """The entries of the pages that were read, by document.

    A failed page is left out: a study that uses the knowledge base counts it as missing.
    """
    documents: dict[str, list[dict[str, Any]]] = {}
    for page, outcome in pages:
        entries = documents.setdefault(page.ref.doc_id, [])
        if outcome.value is not None and outcome.status not in FAILED:
            entries.append({"page_idx": page.ref.page_no, "text": outcome.value})
    return documents


def check_out(out: Path, pages: Sequence[FilePage], identity: dict[str, Any]) -> None:
    """Raise ConfigError for a folder whose documents this command would mix with others or lose."""
    documents = {
        path.relative_to(out).with_suffix("").as_posix(): path
        for path in sorted(out.glob("*/**/*.json"))
    }
    if not documents:
        return
    other = "choose another --out"
    try:
        manifest = json.loads((out / MANIFEST).read_text("utf-8"))
        engine, dpi = manifest["engine"], manifest["dpi"]
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise ConfigError(f"{out} has JSON files that are not of this command: {other}") from (
            error
        )
    if canonical_json(engine) != canonical_json(identity):
        raise ConfigError(f"{out} has the output of another engine or version: {other}")
    page_nos: dict[str, set[int]] = {}
    for page in pages:
        page_nos.setdefault(page.ref.doc_id, set()).add(page.ref.page_no)
    for doc_id, path in documents.items():
        if lost := _page_numbers(path) - page_nos.get(doc_id, set()):
            raise ConfigError(
                f"{out} has page {min(lost) + 1} of {doc_id}, which this command does not read: "
                f"name all files and pages, or {other}"
            )
    if dpi != sorted({page.source.dpi for page in pages}):
        raise ConfigError(f"{out} has pages read at {dpi} dpi: {other}")


def _page_numbers(path: Path) -> set[int]:
    """The numbers of a document's pages; none for a damaged file, where nothing can be lost."""
    try:
        return {int(page["page_idx"]) for page in json.loads(path.read_text("utf-8"))}
    except (OSError, ValueError, LookupError, TypeError):
        return set()
