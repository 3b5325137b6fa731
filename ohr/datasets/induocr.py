"""Reads InduOCRBench's evaluation of RAG: Markdown documents, and pairs of question and answer.

``path`` is the folder of the benchmark, with ``RAG_eval/doc_md/*.md`` and
``RAG_eval/QA_pairs.jsonl``, or the folder of these two. The Markdown does not mark page ends, so a
document is one page. ``pdfs`` is the folder of the unpacked PDFs (``<document>.pdf``). A PDF of one
page is its document's source, which engines can read; for the others, only other tools' output of
whole documents can be measured (``precomputed``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ohr.collection import Dataset, ValidationReport, finish, validate_questions
from ohr.datasets.json_text import parse_json
from ohr.datasets.values import name_of, reason_of, text_of, texts_of
from ohr.documents.opening import file_facts
from ohr.errors import DatasetError
from ohr.files.bounded import read_bounded
from ohr.files.decoding import UndecodableError, decoded
from ohr.files.safe_text import readable, visible
from ohr.plugins import DatasetParams, DatasetSource
from ohr.types import Document, Page, PageRef, Question

DOCUMENTS, PAIRS = "doc_md", "QA_pairs.jsonl"
_NUMBER = re.compile(r"[_ -]?\d+$")
_TABLE = re.compile(r"<t[adhr]|\|[^|\n]*\|", re.IGNORECASE)
_UNSAFE = re.compile(r"[\\/\0]+")


class InduOcrParams(DatasetParams):
    """Parameters: which documents are loaded."""

    single_page: bool = False
    """Load only documents whose PDF has one page, which engines can read."""


class InduOcr(DatasetSource[InduOcrParams]):
    """Industrial documents with questions, by kind of challenge."""

    name = "induocr"
    version = "3"

    def load(self) -> Dataset:
        params = self.params
        if params.path is None:
            raise DatasetError("dataset.kind=induocr needs dataset.path, its folder")
        if params.questions is not None:
            raise DatasetError(f"dataset.kind=induocr has its questions in {PAIRS}")
        if params.single_page and params.pdfs is None:
            raise DatasetError("dataset.params.single_page needs dataset.pdfs")
        report = ValidationReport()
        root = _root(Path(params.path))
        pairs = list(_pairs(root / PAIRS, report))
        domains = {stem: domain for stem, domain, _ in pairs}
        sources = _single_pages(params.pdfs, report) if params.pdfs is not None else {}
        without_truth: dict[PageRef, str] = {}
        documents = {
            document.doc_id: document
            for path in visible(root / DOCUMENTS, "*.md")
            for document in [_document(path, domains, sources, report, without_truth)]
            if not params.domains or document.domain in params.domains
            if document.source is not None or not params.single_page
        }
        by_stem = {doc_id.partition("/")[2]: doc_id for doc_id in documents}
        questions = [
            _question(f"{stem}#{number}", pair, documents[by_stem[stem]])
            for number, (stem, domain, pair) in enumerate(pairs)
            if _is_loaded(stem, domain, by_stem, params, report)
        ]
        asked_questions = validate_questions(questions, documents, report)
        dataset = Dataset(
            documents.values(),
            asked_questions,
            kind=self.name,
            root=root,
            report=report,
            without_truth={
                ref: why for ref, why in without_truth.items() if ref.doc_id in documents
            },
        )
        return finish(dataset, strict=params.strict)


@dataclass(frozen=True, slots=True)
class Pair:
    """A question with its answers, evidence and category."""

    question: str
    answers: tuple[str, ...]
    evidence: str
    category: str


def _root(path: Path) -> Path:
    for place in (path, path / "RAG_eval"):
        if (place / DOCUMENTS).is_dir() and (place / PAIRS).is_file():
            return place
    raise DatasetError(f"no {DOCUMENTS}/ and {PAIRS} in {path}, nor in its RAG_eval/")


def _stem(name: str) -> str:
    """A document's name: its file name without folders and suffix."""
    return _UNSAFE.sub(
        "_", readable(name.replace("\\", "/").rpartition("/")[2].removesuffix(".md"))
    )


def _pairs(path: Path, report: ValidationReport) -> Iterator[tuple[str, str, Pair]]:
    """Document, domain and pair of each line; a malformed line goes into the report."""
    try:
        lines = decoded(read_bounded(path)).split("\n")
    except OSError as error:
        raise DatasetError(f"{path} cannot be read: {error}") from error
    except UndecodableError as error:
        raise DatasetError(f"{path} is {error}") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            entry = parse_json(line)
            stem = _stem(name_of(entry.get("filename") or entry["file_path"], "filename"))
            domain = _UNSAFE.sub("_", name_of(entry["doc_type"], "doc_type"))
            pair = Pair(
                text_of(entry["question"], "question"),
                texts_of(entry["answer"], "answer"),
                "\n".join(map(_unix, texts_of(entry.get("evidence"), "evidence"))),
                text_of(entry.get("question_category"), "question_category"),
            )
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            report.add("malformed_question", f"line {number} of {PAIRS}: {reason_of(error)}")
            continue
        yield stem, domain, pair


def _single_pages(folder: Path, report: ValidationReport) -> dict[str, Path]:
    """Name -> PDF, for PDFs of one page."""
    pdfs = [path for path in visible(folder, "**/*.pdf") if path.is_file()]
    if not pdfs:
        raise DatasetError(f"no PDFs in {folder}: unpack pdf.zip there")
    facts = file_facts(pdfs)
    several = [path for path in pdfs if facts[path].pages != 1]
    if several:
        report.skipped.append(
            f"{several[0].name} and {len(several) - 1} more PDFs of several pages: the truth does "
            "not say where a page ends"
        )
    return {_stem(path.stem): path for path in pdfs if facts[path].pages == 1}


def _document(
    path: Path,
    domains: Mapping[str, str],
    sources: Mapping[str, Path],
    report: ValidationReport,
    without_truth: dict[PageRef, str],
) -> Document:
    """A document; one that cannot be read or decoded is reported and has no truth."""
    stem = _stem(path.name)
    domain = domains.get(stem) or _NUMBER.sub("", stem) or stem
    doc_id = f"{domain}/{stem}"
    try:
        text = _unix(decoded(read_bounded(path)))
    except (OSError, UndecodableError) as error:
        why = f"{path.name} is {error}" if isinstance(error, UndecodableError) else str(error)
        report.add("unreadable_document", f"{doc_id}: {why}")
        without_truth[PageRef(doc_id, 0)] = why
        text = ""
    return Document(doc_id, domain, [Page(PageRef(doc_id, 0), text)], sources.get(stem))


def _is_loaded(
    stem: str,
    domain: str,
    documents: Mapping[str, str],
    params: InduOcrParams,
    report: ValidationReport,
) -> bool:
    if stem in documents:
        return True
    if not params.single_page and (not params.domains or domain in params.domains):
        report.add("missing_document", f"{stem}.md, asked by a pair of {domain}")
    return False


def _question(qid: str, pair: Pair, document: Document) -> Question:
    return Question(
        qid=qid,
        text=pair.question,
        answers=pair.answers,
        doc_id=document.doc_id,
        domain=document.domain,
        evidence_pages=(document.pages[0].ref,),
        evidence_text=pair.evidence,
        evidence_source="table" if _TABLE.search(pair.evidence) else "text",
        task=pair.category,
    )


def _unix(text: str) -> str:
    """The text with line feeds as line ends, as all parsers of pages expect."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
