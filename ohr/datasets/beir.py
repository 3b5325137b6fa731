"""Reads retrieval sets in BEIR's form: passages of text, queries, and judgements of relevance.

``path`` is a folder with ``corpus.jsonl`` (``_id``, ``title``, ``text``), ``queries.jsonl``
(``_id``, ``text``) and ``qrels/<split>.tsv`` (``query-id``, ``corpus-id``, ``score``); or a folder
of such folders, one per domain. Files may be compressed (``.jsonl.gz``).

A passage is a document of one page: its title as a heading, and its text. The evidence of a query
is the text of all passages that are relevant for it. Queries have no answers, unless a query's
``metadata`` has an ``answer``.
"""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ohr.collection import Dataset, ValidationReport, finish, validate_questions
from ohr.datasets.json_text import parse_json
from ohr.datasets.qrels import Judgements, read_judgements, relevance_of
from ohr.datasets.values import name_of, reason_of, text_of, texts_of
from ohr.errors import DatasetError
from ohr.files.decoding import UndecodableError, decoded
from ohr.files.safe_text import readable, visible
from ohr.plugins import DatasetParams, DatasetSource
from ohr.types import Document, Page, PageRef, Question

CORPUS, QUERIES, QRELS = "corpus.jsonl", "queries.jsonl", "qrels"
SPLITS = ("test", "dev", "train")
"""The split that is read unless one is named: the first of these that there is."""


class BeirParams(DatasetParams):
    """Parameters: which judgements are read."""

    split: str = ""
    """The file of judgements without ``.tsv``; empty means the first of test, dev and train."""


class Beir(DatasetSource[BeirParams]):
    """Passages with queries and graded judgements, without answers."""

    name = "beir"
    version = "1"

    def load(self) -> Dataset:
        params = self.params
        if params.path is None:
            raise DatasetError("dataset.kind=beir needs dataset.path, its folder")
        if params.questions is not None or params.pdfs is not None:
            raise DatasetError("dataset.kind=beir has passages and queries in dataset.path alone")
        report = ValidationReport()
        documents: dict[str, Document] = {}
        questions: list[Question] = []
        for folder in _subsets(Path(params.path)):
            domain = readable(folder.resolve().name)
            if params.domains and domain not in params.domains:
                continue
            own = _passages(folder, domain, report)
            documents |= {document.doc_id: document for document in own.values()}
            questions += _questions(folder, domain, own, params.split, report)
        valid = validate_questions(questions, documents, report, answers_optional=True)
        dataset = Dataset(
            documents.values(), valid, kind=self.name, root=Path(params.path), report=report
        )
        return finish(dataset, strict=params.strict)


def _file(folder: Path, name: str) -> Path | None:
    """A file, or the same compressed; None if there is neither."""
    return next((p for p in (folder / name, folder / f"{name}.gz") if p.is_file()), None)


def _subsets(root: Path) -> list[Path]:
    """The folder itself, or the folders in it, that have a corpus. Raises DatasetError."""
    places = [root, *(path for path in visible(root, "*") if path.is_dir())]
    subsets = [place for place in places if _file(place, CORPUS)]
    if not subsets:
        raise DatasetError(f"no {CORPUS} in {root}, nor in a folder of it")
    return subsets[:1] if subsets[0] == root else subsets


def _lines(path: Path) -> Iterator[str]:
    """The lines of a text file, one in memory at a time. Raises DatasetError."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as stream:
            for line in stream:
                yield decoded(line)
    except (OSError, EOFError, zlib.error) as error:
        raise DatasetError(f"{path} cannot be read: {error}") from error
    except UndecodableError as error:
        raise DatasetError(f"{path} is {error}") from error


def _records(
    folder: Path, name: str, problem: str, report: ValidationReport
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The objects of a file with their lines; other lines go into the report as a ``problem``.

    Raises DatasetError for a file that is missing or cannot be read.
    """
    path = _file(folder, name)
    if path is None:
        raise DatasetError(f"no {name} in {folder}")
    for number, line in enumerate(_lines(path), start=1):
        if not line.strip():
            continue
        try:
            record = parse_json(line)
            if not isinstance(record, Mapping):
                raise ValueError("it is no object")
        except (ValueError, RecursionError) as error:
            report.add(problem, f"line {number} of {folder.name}/{path.name}: {error}")
            continue
        yield number, record


def _passages(folder: Path, domain: str, report: ValidationReport) -> dict[str, Document]:
    """Id of a passage -> its document."""
    passages: dict[str, Document] = {}
    seen: set[str] = set()
    for number, record in _records(folder, CORPUS, "unreadable_document", report):
        try:
            passage_id = name_of(record.get("_id"), "_id")
            title, text = (text_of(record.get(name), name) for name in ("title", "text"))
        except ValueError as error:
            report.add("unreadable_document", f"{domain}: line {number} of {CORPUS}: {error}")
            continue
        doc_id = f"{domain}/{readable(passage_id).replace('/', '_')}"
        if doc_id in seen:
            report.add("duplicate_document", f"{domain}: {passage_id}: only the first is read")
            continue
        seen.add(doc_id)
        heading = f"# {' '.join(title.split())}" if title.strip() else ""
        body = "\n\n".join(filter(None, (heading, text)))
        passages[passage_id] = Document(doc_id, domain, [Page(PageRef(doc_id, 0), body)])
    return passages


def _judgements(folder: Path, domain: str, split: str, report: ValidationReport) -> Judgements:
    """The judgements of a split. Raises DatasetError."""
    files = {path.stem: path for path in visible(folder / QRELS, "*.tsv")}
    first = next((name for name in SPLITS if name in files), "")
    chosen = split or first or (next(iter(files)) if len(files) == 1 else "")
    if chosen not in files:
        splits = ", ".join(sorted(files)) or "none"
        raise DatasetError(
            f"no {QRELS}/{split or 'test'}.tsv in {folder}; its splits are: {splits}: "
            'name one with "dataset.params={split: …}"'
        )
    if unread := sorted(files.keys() - {chosen}):
        report.skipped.append(f"{domain}: the split {chosen} is read, not {', '.join(unread)}")
    rows = list(csv.reader(_lines(files[chosen]), delimiter="\t", quoting=csv.QUOTE_NONE))
    header = [name.strip() for name in rows[0]] if rows else []
    if "query-id" not in header and "query_id" not in header:
        # TREC's form has no header: query, iteration, passage, grade.
        header = ["query-id", "iteration", "corpus-id", "score"]
        rows.insert(0, header)
        if len(rows) > 1 and len(rows[1]) == 3:
            header = ["query-id", "corpus-id", "score"]
    named = (dict(zip(header, row, strict=False)) for row in rows[1:] if row)
    return read_judgements(named, domain, report)


def _questions(
    folder: Path,
    domain: str,
    passages: Mapping[str, Document],
    split: str,
    report: ValidationReport,
) -> Iterator[Question]:
    """The judged queries; those of other splits are counted, and missing passages reported."""
    judgements = _judgements(folder, domain, split, report)
    unjudged = 0
    for number, record in _records(folder, QUERIES, "malformed_question", report):
        try:
            qid = name_of(record.get("_id"), "_id")
            text = text_of(record.get("text"), "text")
            about = record.get("metadata")
            answers = texts_of(about.get("answer"), "answer") if isinstance(about, Mapping) else ()
        except ValueError as error:
            why = f"{domain}: line {number} of {QUERIES}: {reason_of(error)}"
            report.add("malformed_question", why)
            continue
        if qid not in judgements:
            unjudged += 1
            continue
        grades = judgements[qid]
        if missing := [name for name in grades if name not in passages]:
            why = f"{domain}: {qid}: its passage {missing[0]} is not in the corpus"
            report.add("no_evidence_page", why)
        pages = {passages[name].pages[0]: grades[name] for name in grades if name in passages}
        if not pages:
            continue
        refs = [page.ref for page in pages]
        yield Question(
            qid=f"{domain}:{qid}",
            text=text,
            answers=tuple(filter(str.strip, answers)),
            doc_id=refs[0].doc_id,
            domain=domain,
            evidence_pages=tuple(refs),
            evidence_text="\n".join(page.text for page in pages),
            evidence_source="text",
            relevance=relevance_of(pages.values()),
        )
    if unjudged:
        report.skipped.append(f"{domain}: {unjudged} queries without a relevant passage")
