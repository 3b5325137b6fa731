"""Reads DVisRAG, and VisRAG's retrieval sets of the same form: page images and queries.

``path`` is a folder as downloaded from the hub: ``corpus/*.parquet`` (``corpus-id``, ``image``),
``queries/*.parquet`` (``query-id``, ``query``, ``answer``, perhaps ``options``) and
``qrels/*.parquet`` (``query-id``, ``corpus-id``, ``score``); or a folder of such folders, one per
domain. Without qrels, queries name their ``corpus-id``.

Each image is a document of one page. Its text is not known: it is empty, and OCR output is not
compared with it (``without_truth``). The images are unpacked into the cache.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ohr.collection import Dataset, ValidationReport, finish, validate_questions
from ohr.datasets.values import name_of, reason_of, text_of, texts_of
from ohr.errors import DatasetError
from ohr.files.safe_text import readable, visible
from ohr.plugins import DatasetParams, DatasetSource
from ohr.store.atomic import write_bytes
from ohr.store.identity import digest
from ohr.types import Document, Page, PageRef, Question

NO_TEXT = "the data say nothing of what is on the page"
NO_EVIDENCE = "the data name the page alone"
AT_ONCE = 16
"""Number of images in memory at a time."""
_ID = ("corpus-id", "corpus_id", "docid", "doc_id")


class DVisRag(DatasetSource[DatasetParams]):
    """Page images with queries, without the text of the pages."""

    name = "dvisrag"
    version = "2"

    def load(self) -> Dataset:
        params = self.params
        if params.path is None:
            raise DatasetError("dataset.kind=dvisrag needs dataset.path, its folder")
        if params.questions is not None or params.pdfs is not None:
            raise DatasetError("dataset.kind=dvisrag has pages and queries in dataset.path alone")
        report = ValidationReport()
        documents: dict[str, Document] = {}
        questions: list[Question] = []
        for folder in _subsets(Path(params.path)):
            domain = readable(folder.resolve().name)
            if params.domains and domain not in params.domains:
                continue
            own = _documents(folder, domain, params.cache / "dvisrag", report)
            documents |= {document.doc_id: document for document in own.values()}
            questions += _questions(folder, domain, own, report)
        asked_questions = validate_questions(
            questions,
            documents,
            report,
            without_evidence={question.qid: NO_EVIDENCE for question in questions},
        )
        without = {page.ref: NO_TEXT for doc in documents.values() for page in doc.pages}
        dataset = Dataset(
            documents.values(),
            asked_questions,
            kind=self.name,
            root=Path(params.path),
            report=report,
            without_truth=without,
        )
        return finish(dataset, strict=params.strict)


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


def _documents(
    folder: Path, domain: str, cache: Path, report: ValidationReport
) -> dict[str, Document]:
    """Image id -> document; the images are unpacked under the digest of their bytes."""
    documents: dict[str, Document] = {}
    seen: set[str] = set()
    for row in _rows(folder / "corpus"):
        try:
            corpus_id = next(_ids(row), "")
        except ValueError as error:
            report.add("unreadable_document", f"{domain}: {error}")
            continue
        image = row.get("image")
        data = image.get("bytes") if isinstance(image, Mapping) else image
        if not corpus_id or not isinstance(data, bytes) or not data:
            report.add("unreadable_document", f"{domain}: {corpus_id or 'a row'} has no image")
            continue
        doc_id = f"{domain}/{corpus_id.replace('/', '_')}"
        if doc_id in seen:
            report.add("duplicate_document", f"{domain}: {corpus_id}: only the first is read")
            continue
        seen.add(doc_id)
        file = cache / f"{digest(data)}{_suffix(data)}"
        if not file.is_file():
            write_bytes(file, data)
        documents[corpus_id] = Document(doc_id, domain, [Page(PageRef(doc_id, 0), "", file)])
    return documents


def _ids(row: Mapping[str, Any]) -> Iterator[str]:
    """The ids of a row's image. Raises ValueError for an id that is no name."""
    for field in _ID:
        if row.get(field) is not None:
            yield name_of(row[field], field)


def _suffix(data: bytes) -> str:
    if data.startswith(b"\x89PNG"):
        return ".png"
    return ".webp" if data[8:12] == b"WEBP" else ".jpg"


def _questions(
    folder: Path, domain: str, documents: Mapping[str, Document], report: ValidationReport
) -> Iterator[Question]:
    """The queries whose pages are in the corpus; the others go into the report."""
    pages: dict[str, list[str]] = {}
    for number, row in enumerate(_rows(folder / "qrels", ("query-id", "corpus-id", "score"))):
        try:
            if float(text_of(row.get("score"), "score") or 0) > 0:
                query = name_of(row.get("query-id"), "query-id")
                pages.setdefault(query, []).append(name_of(row.get("corpus-id"), "corpus-id"))
        except ValueError as error:
            report.add("malformed_question", f"{domain}: row {number} of qrels: {reason_of(error)}")
    for number, row in enumerate(_rows(folder / "queries")):
        try:
            qid = text_of(row.get("query-id"), "query-id") or f"row {number}"
            text = text_of(row.get("query"), "query")
            answers = _answers(row.get("answer"), row.get("options"))
            direct = list(_ids(row))
        except ValueError as error:
            report.add(
                "malformed_question", f"{domain}: row {number} of queries: {reason_of(error)}"
            )
            continue
        named = pages.get(qid) or direct[:1]
        refs = [documents[name].pages[0].ref for name in named if name in documents]
        if not refs:
            why = f"its page {named[0]} is not in the corpus" if named else "no page is named"
            report.add("no_evidence_page", f"{domain}: {qid}: {why}")
            continue
        yield Question(
            qid=f"{domain}:{qid}",
            text=text,
            answers=answers,
            doc_id=refs[0].doc_id,
            domain=domain,
            evidence_pages=tuple(dict.fromkeys(refs)),
            evidence_text="",
            evidence_source="text",
        )


def _answers(answer: Any, options: Any) -> tuple[str, ...]:
    """The answers; for an option's letter, the option's text comes first."""
    answers = [text for text in texts_of(answer, "answer") if text]
    choices = texts_of(options, "options") if isinstance(options, list) else ()
    of_letter = dict(zip(ascii_uppercase, choices, strict=False))
    texts = [
        of_letter[text.strip().upper()] for text in answers if text.strip().upper() in of_letter
    ]
    return tuple(dict.fromkeys([*texts, *answers]))
