"""Reads DVisRAG, VisRAG's retrieval sets and ViDoRe: page images and queries.

``path`` is a folder as downloaded from the hub: ``corpus/*.parquet`` (``corpus-id``, ``image``),
``queries/*.parquet`` (``query-id``, ``query``, perhaps ``answer``, ``options`` and ``language``)
and ``qrels/*.parquet`` (``query-id``, ``corpus-id``, ``score``); or a folder of such folders, one
per domain. The names may have an underscore (``query_id``). Without qrels, queries name their
``corpus-id``.

Each image is a page: of its own document, or of ``doc_id`` at ``page_number_in_doc``. A page's
text is its ``markdown``. Without one, it is empty and OCR output is not compared with it
(``without_truth``). The images are unpacked into the cache.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ohr.collection import (
    GROUND_TRUTH,
    Dataset,
    ValidationReport,
    finish,
    validate_questions,
)
from ohr.datasets.qrels import PAGE, QUERY, first_of, read_judgements, relevance_of
from ohr.datasets.values import name_of, page_number_of, reason_of, text_of, texts_of
from ohr.errors import DatasetError
from ohr.files.safe_text import readable, visible
from ohr.plugins import DatasetParams, DatasetSource
from ohr.store.atomic import write_bytes
from ohr.store.identity import digest
from ohr.types import Document, Page, PageRef, Question

PUBLISHED_MARKDOWN = "published Markdown"
"""The truth of pages whose text the data give without a person having checked it."""
NO_TEXT = "the data say nothing of what is on the page"
NO_EVIDENCE = "the data name the page alone"
AT_ONCE = 16
"""Number of images in memory at a time."""
_COLUMNS = (*QUERY, *PAGE, "score")


class ImageRetrievalParams(DatasetParams):
    """Parameters: which queries are loaded."""

    languages: tuple[str, ...] = ()
    """Languages of the queries that are loaded, as the data write them; empty means all."""


class DVisRag(DatasetSource[ImageRetrievalParams]):
    """Page images with queries, mostly without the text of the pages."""

    name = "dvisrag"
    version = "3"

    def load(self) -> Dataset:
        params = self.params
        if params.path is None:
            raise DatasetError(f"dataset.kind={self.name} needs dataset.path, its folder")
        if params.questions is not None or params.pdfs is not None:
            raise DatasetError(
                f"dataset.kind={self.name} has pages and queries in dataset.path alone"
            )
        languages = {language.strip().lower() for language in params.languages}
        report = ValidationReport()
        documents: dict[str, Document] = {}
        questions: list[Question] = []
        for folder in _subsets(Path(params.path)):
            domain = readable(folder.resolve().name)
            if params.domains and domain not in params.domains:
                continue
            own = _pages(folder, domain, params.cache / "dvisrag", report)
            documents |= {document.doc_id: document for document in _bound(own.values(), domain)}
            questions += _questions(folder, domain, own, languages, report)
        asked_questions = validate_questions(
            questions,
            documents,
            report,
            without_evidence={question.qid: NO_EVIDENCE for question in questions},
            answers_optional=True,
        )
        pages = [page for doc in documents.values() for page in doc.pages]
        without = {page.ref: NO_TEXT for page in pages if not page.text.strip()}
        dataset = Dataset(
            documents.values(),
            asked_questions,
            kind=self.name,
            root=Path(params.path),
            report=report,
            truth=GROUND_TRUTH if len(without) == len(pages) else PUBLISHED_MARKDOWN,
            without_truth=without,
        )
        return finish(dataset, strict=params.strict)


class Vidore(DVisRag):
    """Page images with graded queries, as ViDoRe V2 and V3 publish them."""

    name = "vidore"


def _subsets(root: Path) -> list[Path]:
    """The folder itself, or the folders in it, that have a corpus. Raises DatasetError."""
    places = [root, *(path for path in visible(root, "*") if path.is_dir())]
    subsets = [place for place in places if visible(place / "corpus", "**/*.parquet")]
    if not subsets:
        raise DatasetError(f"no corpus/*.parquet in {root}, nor in a folder of it")
    return subsets[:1] if subsets[0] == root else subsets


def _rows(folder: Path, columns: tuple[str, ...] | None = None) -> Iterator[Mapping[str, Any]]:
    """The rows of a folder's Parquet files, read in batches. Raises DatasetError."""
    for file in visible(folder, "**/*.parquet"):
        try:
            with pq.ParquetFile(file) as parquet:
                present = [name for name in columns or () if name in parquet.schema_arrow.names]
                for batch in parquet.iter_batches(
                    AT_ONCE, columns=present or None, use_threads=False
                ):
                    yield from batch.to_pylist()
        except (OSError, pa.ArrowException) as error:
            raise DatasetError(f"{file} cannot be read: {error}") from error


def _pages(folder: Path, domain: str, cache: Path, report: ValidationReport) -> dict[str, Page]:
    """Image id -> page; the images are unpacked under the digest of their bytes."""
    pages: dict[str, Page] = {}
    seen: set[PageRef] = set()
    for row in _rows(folder / "corpus"):
        try:
            corpus_id = next(_ids(row), "")
            ref = _place(row, domain, corpus_id)
            text = text_of(row.get("markdown"), "markdown")
        except ValueError as error:
            report.add("unreadable_document", f"{domain}: {error}")
            continue
        image = row.get("image")
        data = image.get("bytes") if isinstance(image, Mapping) else image
        if not corpus_id or not isinstance(data, bytes) or not data:
            report.add("unreadable_document", f"{domain}: {corpus_id or 'a row'} has no image")
            continue
        if ref in seen:
            report.add("duplicate_document", f"{domain}: {corpus_id}: only the first is read")
            continue
        seen.add(ref)
        file = cache / f"{digest(data)}{_suffix(data)}"
        if not file.is_file():
            write_bytes(file, data)
        pages[corpus_id] = Page(ref, text, file)
    return pages


def _place(row: Mapping[str, Any], domain: str, corpus_id: str) -> PageRef:
    """Document and page number of a row; an image of no named document is one of a page.

    Raises ValueError.
    """
    number = row.get("page_number_in_doc")
    if number is None or row.get("doc_id") is None:
        return PageRef(f"{domain}/{corpus_id.replace('/', '_')}", 0)
    document = readable(name_of(row["doc_id"], "doc_id")).replace("/", "_")
    return PageRef(f"{domain}/{document}", page_number_of(number, "page_number_in_doc"))


def _bound(pages: Iterable[Page], domain: str) -> Iterator[Document]:
    """The pages as documents, each in the order of its page numbers."""
    by_document: dict[str, list[Page]] = {}
    for page in pages:
        by_document.setdefault(page.ref.doc_id, []).append(page)
    for doc_id, own in by_document.items():
        yield Document(doc_id, domain, sorted(own, key=lambda page: page.ref.page_no))


def _ids(row: Mapping[str, Any]) -> Iterator[str]:
    """The ids of a row's image. Raises ValueError for an id that is no name."""
    for field in PAGE:
        if row.get(field) is not None:
            yield name_of(row[field], field)


def _suffix(data: bytes) -> str:
    if data.startswith(b"\x89PNG"):
        return ".png"
    return ".webp" if data[8:12] == b"WEBP" else ".jpg"


def _questions(
    folder: Path,
    domain: str,
    documents: Mapping[str, Page],
    languages: Collection[str],
    report: ValidationReport,
) -> Iterator[Question]:
    """The queries whose pages are in the corpus; the others go into the report."""
    judgements = read_judgements(_rows(folder / "qrels", _COLUMNS), domain, report)
    elsewhere = 0
    for number, row in enumerate(_rows(folder / "queries")):
        try:
            qid = text_of(first_of(row, QUERY), QUERY[0]) or f"row {number}"
            text = text_of(row.get("query"), "query")
            answers = _answers(row.get("answer"), row.get("options"))
            language = text_of(row.get("language"), "language").strip().lower()
            direct = list(_ids(row))
        except ValueError as error:
            report.add(
                "malformed_question", f"{domain}: row {number} of queries: {reason_of(error)}"
            )
            continue
        if languages and language not in languages:
            elsewhere += 1
            continue
        named = judgements.get(qid) or dict.fromkeys(direct[:1], 1.0)
        pages = {documents[name]: grade for name, grade in named.items() if name in documents}
        if missing := [name for name in named if name not in documents]:
            report.add(
                "no_evidence_page", f"{domain}: {qid}: its page {missing[0]} is not in the corpus"
            )
        elif not named:
            report.add("no_evidence_page", f"{domain}: {qid}: no page is named")
        if not pages:
            continue
        refs = {page.ref: grade for page, grade in pages.items()}
        yield Question(
            qid=f"{domain}:{qid}",
            text=text,
            answers=answers,
            doc_id=next(iter(refs)).doc_id,
            domain=domain,
            evidence_pages=tuple(refs),
            evidence_text="\n".join(filter(None, (page.text for page in pages))),
            evidence_source="text",
            task=language,
            relevance=relevance_of(refs.values()),
        )
    if elsewhere:
        report.skipped.append(f"{domain}: {elsewhere} queries in other languages")


def _answers(answer: Any, options: Any) -> tuple[str, ...]:
    """The answers; for an option's letter, the option's text comes first."""
    answers = [text for text in texts_of(answer, "answer") if text]
    choices = texts_of(options, "options") if isinstance(options, list) else ()
    of_letter = dict(zip(ascii_uppercase, choices, strict=False))
    texts = [
        of_letter[text.strip().upper()] for text in answers if text.strip().upper() in of_letter
    ]
    return tuple(dict.fromkeys([*texts, *answers]))
