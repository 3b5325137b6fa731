"""Finds PDFs, and checks the text layers of their pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ohr.documents.layers import LayerVerdict
from ohr.documents.verifying import verified_layers
from ohr.errors import ConfigError
from ohr.files.safe_text import plain
from ohr.ocr.files import document_id
from ohr.ocr.knowledge_base import select_pages
from ohr.ocr.sources import PageSource, find_pages, other_kinds, other_kinds_line

PAGES_TOGETHER = 128
"""PDFs are checked together up to this many pages: enough work for all workers, little memory."""
_DPI = 150
"""Of page images; none is drawn here."""

Report = Callable[[str, int, int], None]
"""Takes what is done, how many pages are done, and how many there are."""


@dataclass(frozen=True)
class FoundPdf:
    """A PDF, and its 0-based pages to check; ``fault`` says why it cannot be opened."""

    doc_id: str
    name: str
    """Its path in the folder that was searched, safe to print."""
    path: Path
    page_nos: Sequence[int]
    fault: str = ""


@dataclass(frozen=True)
class FoundPdfs:
    """The PDFs of some folders, and what is left out."""

    pdfs: Sequence[FoundPdf]
    without_pages: Sequence[str]
    """Names of PDFs that have none of the pages that were named."""
    others: Mapping[str, int]
    """Number of other files by suffix."""


@dataclass(frozen=True)
class CheckedPdf:
    """A PDF with a verdict on each page; ``fault`` says why there is none."""

    pdf: FoundPdf
    verdicts: Sequence[LayerVerdict] = ()
    fault: str = ""

    @property
    def pages(self) -> Iterator[tuple[int, LayerVerdict]]:
        """Each 0-based page with its verdict."""
        return zip(self.pdf.page_nos, self.verdicts, strict=False)

    @property
    def usable(self) -> int:
        """Number of pages whose layer is usable."""
        return sum(verdict.is_usable for verdict in self.verdicts)


def find_pdfs(inputs: Sequence[Path], ranges: str = "") -> FoundPdfs:
    """The PDFs in files and folders, in order; a file that is named twice counts once.

    ``ranges`` are pages such as ``1-3,7``, by default all. Raises ConfigError: no PDF, two PDFs of
    the same name, or no PDF with such a page.
    """
    images: Counter[str] = Counter()
    sources: dict[tuple[Path, int | None], PageSource] = {}
    for source in find_pages(inputs, _DPI):
        if source.is_pdf:
            sources.setdefault((source.path.resolve(), source.page_no), source)
        elif not source.page_no:
            images[plain(source.path.suffix.lower())] += 1
    suffixes = other_kinds(inputs) + images
    rest = dict(sorted(suffixes.items(), key=lambda item: (-item[1], item[0])))
    if not sources:
        line = other_kinds_line(rest)
        raise ConfigError(f"no PDF in {', '.join(map(str, inputs))}: {line}")
    broken = [source for source in sources.values() if source.fault]
    readable = [source for source in sources.values() if not source.fault]
    chosen = {source.path: list[int]() for source in sources.values()}
    for source in select_pages(readable, ranges) if readable else []:
        chosen[source.path].append(source.page_no or 0)
    faults = {source.path: plain(source.fault) for source in broken}
    by_path = {source.path: source for source in sources.values()}
    _check_names(by_path)
    return FoundPdfs(
        [
            FoundPdf(
                document_id(source.name),
                plain(source.file_name),
                path,
                chosen[path],
                faults.get(path, ""),
            )
            for path, source in by_path.items()
            if path in faults or chosen[path]
        ],
        [
            plain(source.file_name)
            for path, source in by_path.items()
            if path not in faults and not chosen[path]
        ],
        rest,
    )


def check_pdfs(pdfs: Sequence[FoundPdf], report: Report) -> list[CheckedPdf]:
    """The verdicts on the text layers of some PDFs, in order."""
    total, done = sum(len(pdf.page_nos) for pdf in pdfs), 0
    checked = {pdf.path: CheckedPdf(pdf, fault=pdf.fault) for pdf in pdfs if pdf.fault}
    report("text layers", 0, total)
    for batch in _batches([pdf for pdf in pdfs if not pdf.fault]):
        pages = {pdf.path: pdf.page_nos for pdf in batch}
        for pdf, outcome in zip(batch, verified_layers(list(pages), pages=pages), strict=True):
            checked[pdf.path] = (
                CheckedPdf(pdf, fault=plain(outcome.detail) or "it cannot be opened")
                if outcome.value is None
                else CheckedPdf(pdf, outcome.value)
            )
        done += sum(map(len, pages.values()))
        report("text layers", done, total)
    return [checked[pdf.path] for pdf in pdfs]


def _batches(pdfs: Sequence[FoundPdf]) -> Iterator[list[FoundPdf]]:
    batch: list[FoundPdf] = []
    pages = 0
    for pdf in pdfs:
        if batch and pages + len(pdf.page_nos) > PAGES_TOGETHER:
            yield batch
            batch, pages = [], 0
        batch.append(pdf)
        pages += len(pdf.page_nos)
    if batch:
        yield batch


def _check_names(sources: Mapping[Path, PageSource]) -> None:
    """Raise ConfigError if two PDFs would be one document."""
    owners: dict[str, Path] = {}
    for path, source in sources.items():
        doc_id = document_id(source.name)
        if owners.setdefault(doc_id, path) != path:
            raise ConfigError(
                f"{owners[doc_id]} and {path} would both be the document {doc_id!r}: "
                "rename one, or give the folder that has both"
            )
