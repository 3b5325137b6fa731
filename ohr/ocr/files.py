"""Reads the pages of PDFs and image files with one engine, and stores the output.

A page image is read and stored like a study's clean page, so neither repeats the other's work. An
engine that takes PDFs gets several pages of one PDF at a time; each is stored at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from ohr import registry
from ohr.datasets.row_questions import DEFAULT_DOMAIN
from ohr.errors import ConfigError, StoreError
from ohr.files.safe_text import plain, safe_path
from ohr.ocr.failures import check_first, stop_if_not_the_page
from ohr.ocr.key import page_key, pdf_page_key, source_digest
from ohr.ocr.outputs import EngineOutputs
from ohr.ocr.shards import PAGES_TOGETHER, Pending, Work, name_of
from ohr.ocr.sharing import Sharing
from ohr.ocr.sources import PageSource
from ohr.ocr.store import StoredOutput, stored_output
from ohr.ocr.worker import PageTask, check_page, stored_form
from ohr.plugins import OcrBackend, check_unedited
from ohr.registry import PluginSpec
from ohr.store.artefacts import ArtefactStore
from ohr.store.identity import digest
from ohr.types import FAILED, Outcome, PageRef


@dataclass(frozen=True)
class FilePage:
    """A page of a file, with the key under which its OCR output is stored."""

    source: PageSource
    ref: PageRef
    make_key: Callable[[], dict[str, Any]]
    as_pdf: bool
    """Whether the engine gets the PDF, not an image of the page."""

    @property
    def key(self) -> dict[str, Any]:
        """The key; it needs the digest of the file."""
        return self.make_key()

    @property
    def batch(self) -> int | None:
        """Number of the page's batch in its PDF; None for a page that is read alone."""
        return self.ref.page_no // PAGES_TOGETHER if self.as_pdf else None

    @property
    def name(self) -> str:
        """The name that decides the page's shard; pages of one batch share it."""
        return name_of(self.ref)


@dataclass(frozen=True)
class PdfTask:
    """Pages of one PDF that are read together."""

    path: Path
    page_nos: tuple[int, ...]
    keys: tuple[dict[str, Any], ...]

    @property
    def place(self) -> tuple[Path, int]:
        """The file and its first page."""
        return self.path, self.page_nos[0]

    @property
    def lease(self) -> str:
        """The name of the lease: a digest of the page's key, or of the file and its batch."""
        if len(self.keys) == 1:
            return digest(self.keys[0])
        key = self.keys[0]
        return digest([key["source"], key["engine"], self.page_nos[0] // PAGES_TOGETHER])


@dataclass
class PdfReader:
    """Reads pages of PDFs in a worker, which keeps the engine."""

    engine: PluginSpec
    store: ArtefactStore
    _backend: OcrBackend | None = field(default=None, repr=False)

    def read(self, task: PdfTask) -> None:
        """Store the text of each page; a page that fails is not stored, and tried again."""
        if self._backend is None:
            backend = registry.ocr_engine(self.engine)
            check_unedited(type(backend), task.keys[0]["engine"])
            self._backend = backend
        keys = dict(zip(task.page_nos, task.keys, strict=True))
        missing = [no for no, key in keys.items() if not _was_read(self.store, key)]
        for page_no, outcome in self._backend.transcribe(task.path, missing):
            if page_no not in missing:
                check_page(self.engine, missing[0], page_no)
            if outcome.status in FAILED:
                if len(task.page_nos) == 1:
                    raise PageFailedError(outcome.detail or f"{self.engine.label} failed")
                continue
            self.store.put("reading", keys[page_no], stored_form(outcome))


class PageFailedError(Exception):
    """An engine could not read a page, and says why."""

    def __str__(self) -> str:
        return str(self.args[0])


def read_pdf(task: PdfTask, reader: PdfReader) -> None:
    """Read pages of a PDF in a worker process."""
    reader.read(task)


def _was_read(store: ArtefactStore, key: dict[str, Any]) -> bool:
    """Whether a page of a PDF has stored text."""
    output = stored_output(store, key, key["engine"])
    return output is not None and output.outcome.status not in FAILED


def document_id(name: str) -> str:
    """``domain/document`` of a file, as a dataset of its folder names it; safe as a file name."""
    safe = safe_path(name)
    return safe if "/" in safe else f"{DEFAULT_DOMAIN}/{safe}"


def file_pages(
    sources: Sequence[PageSource], spec: PluginSpec, engine: OcrBackend, *, hand_over_pdfs: bool
) -> list[FilePage]:
    """The pages with their keys. Raises ConfigError for files that the engine does not read.

    An engine that reads page images also gets images of a PDF's pages, as in a study, unless
    ``hand_over_pdfs``.
    """
    if hand_over_pdfs and "pdf" not in engine.accepts:
        raise ConfigError(f"engine {spec.label!r} reads page images, not PDFs: leave --pdf out")
    identity = engine.identity()
    digests: dict[Path, str] = {}
    owners: dict[str, Path] = {}
    pages: dict[PageRef, FilePage] = {}
    for source in sources:
        as_pdf = source.is_pdf and (hand_over_pdfs or "image" not in engine.accepts)
        if not source.is_pdf and "image" not in engine.accepts:
            raise ConfigError(
                f"engine {spec.label!r} reads PDFs, but {source.file_name} is an image: "
                "leave images out, or name an engine of page images"
            )
        doc_id = document_id(source.name)
        if owners.setdefault(doc_id, source.path).resolve() != source.path.resolve():
            raise ConfigError(
                f"{owners[doc_id]} and {source.path} would both be the document {doc_id!r}: "
                "rename one, or give the folder that holds both"
            )
        page_no = source.page_no or 0
        key = partial(_key, source, as_pdf, identity, digests)
        page = FilePage(source, PageRef(doc_id, page_no), key, as_pdf)
        pages.setdefault(page.ref, page)  # a file may be named twice, or with its folder
    return list(pages.values())


def _key(
    source: PageSource, as_pdf: bool, identity: dict[str, Any], digests: dict[Path, str]
) -> dict[str, Any]:
    """The key of a page; adds missing digests of files to ``digests``."""
    if source.path not in digests:
        digests[source.path] = source_digest(source.path)
    of_file = digests[source.path]
    if as_pdf:
        return pdf_page_key(of_file, source.page_no or 0, identity)
    rendered = None if source.page_no is None else (source.page_no, source.dpi)
    return page_key(of_file, rendered, source.drawn_by, identity)


@dataclass
class FileOutputs(EngineOutputs):
    """One engine's output of pages of files: finds what is stored, and makes the rest."""

    def stored(self, page: FilePage) -> StoredOutput | None:
        """The stored output of a page, or None if it has not been read."""
        return self.stored_under(page.key)

    def outcome(self, page: FilePage) -> Outcome[str]:
        """The stored outcome of a page that has been read. Raises StoreError if it is gone."""
        output = self.stored(page)
        if output is None:
            raise StoreError(
                f"the output of {plain(page.source.file_name)} page {page.ref.page_no + 1} is no "
                f"longer in the cache {self.store.root}: run the same command again"
            )
        return output.outcome

    def is_final(self, page: FilePage) -> bool:
        """Whether the stored output of a page is final, so that it is not read again."""
        return self.is_final_under(page.key)

    def make(
        self,
        pages: Sequence[FilePage],
        report: Callable[[int], None],
        sharing: Sharing | None = None,
    ) -> None:
        """Read pages, each once more if it fails; ``report`` gets the number of pages that ended.

        ``sharing`` is that of several processes, inside its ``hold``; by default it waits for a
        page that another process is reading. Raises OhrError for an error that no page caused, or
        if too many fail for the same reason.
        """
        if sharing is None:
            sharing = Sharing(self.store.root)
            with sharing.hold([Pending.all(len(pages))]):
                self.make(pages, report, sharing)
            return
        self._read_images([page for page in pages if not page.as_pdf], report, sharing)
        self._read_pdfs([page for page in pages if page.as_pdf], report, sharing)

    def _read_images(
        self, pages: Sequence[FilePage], report: Callable[[int], None], sharing: Sharing
    ) -> None:
        if not pages:
            return

        def task(number: int) -> PageTask:
            page = pages[number]
            source = page.source
            return PageTask(
                page.ref, source.path, source.dpi, None, 0.0, 0, page.key, frame=source.frame
            )

        self.read_pages(
            registry.ocr_engine(self.engine),
            self.page_work(len(pages), lambda number: pages[number].name, task),
            Pending.all(len(pages)),
            sharing,
            lambda: report(1),
            has_read=self.retry,
        )

    def _read_pdfs(
        self, pages: Sequence[FilePage], report: Callable[[int], None], sharing: Sharing
    ) -> None:
        """Read batches of pages; then the pages of batches that failed, one by one."""
        if not pages:
            return
        reader = PdfReader(self.engine, self.store)
        remaining = [page for batch in _batches(pages) if len(batch) == 1 for page in batch]
        batches = {
            (batch[0].source.path, batch[0].ref.page_no): batch
            for batch in _batches(pages)
            if len(batch) > 1
        }
        most = max(map(len, batches.values()), default=1)
        limits = self.limits.times(most)
        tasks = [_pdf_task(batch) for batch in batches.values()]
        work = self._work(tasks)
        with self.runners.pool(read_pdf, reader, limits, retry=False) as pool:
            for done, outcome in sharing.read(pool, work, Pending.all(len(tasks)), counted=False):
                if outcome is not None and outcome.status in FAILED:
                    stop_if_not_the_page(outcome.detail)
                batch = batches[done.place]
                unread = [page for page in batch if not self.is_final(page)]
                remaining += unread
                for _ in range(len(batch) - len(unread)):
                    sharing.file.count(None if outcome is None else Outcome(None))
                report(len(batch) - len(unread))
        alone = [_pdf_task([page]) for page in remaining]
        work = self._work(alone)
        with self.runners.pool(read_pdf, reader, self.limits) as pool:
            watch = partial(check_first, self.streak(self.retry))
            for done, outcome in sharing.read(pool, work, Pending.all(len(alone)), watch):
                self.keep(done.keys[0], outcome)
                report(1)

    def _work(self, tasks: Sequence[PdfTask]) -> Work[PdfTask]:
        """The work of some batches, all of them this process's."""
        return Work(
            len(tasks),
            lambda number: str(tasks[number].place),
            tasks.__getitem__,
            lambda task: task.lease,
            lambda task: all(map(self.is_final_under, task.keys)),
        )


def _batches(pages: Sequence[FilePage]) -> list[list[FilePage]]:
    """Successive pages of a PDF in batches of at most :data:`PAGES_TOGETHER`."""
    batches: list[list[FilePage]] = []
    for page in pages:
        batch = batches[-1] if batches else []
        if batch and batch[0].source.path == page.source.path and batch[0].batch == page.batch:
            batch.append(page)
        else:
            batches.append([page])
    return batches


def _pdf_task(pages: Sequence[FilePage]) -> PdfTask:
    return PdfTask(
        pages[0].source.path,
        tuple(page.ref.page_no for page in pages),
        tuple(page.key for page in pages),
    )
