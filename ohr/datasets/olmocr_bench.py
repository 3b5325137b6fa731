"""Reads olmOCR-Bench: PDFs, and facts about their pages that are true or false of a page text.

``path`` is the folder as published, ``bench_data``: ``*.jsonl`` with one test per line (``pdf``,
``page`` from 1, ``id``, ``type`` and the test's own fields), and ``pdfs`` with the PDFs. A PDF's
folder is its domain. Each test is a question whose :attr:`~ohr.types.Question.fact` the metrics of
:mod:`ohr.metrics.facts` check. Its text and evidence are what the test looks for, so that r_noise
and known-item search have a meaning; a text that should be absent is no evidence. There is no
ground-truth text (``without_truth``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ohr.collection import Dataset, ValidationReport, finish, validate_questions
from ohr.datasets.json_text import parse_json
from ohr.datasets.values import name_of
from ohr.documents.opening import file_facts
from ohr.errors import DatasetError
from ohr.files.bounded import read_bounded
from ohr.files.decoding import UndecodableError, decoded
from ohr.files.safe_text import readable, visible
from ohr.metrics.page_facts import FIELDS, make_fact
from ohr.plugins import DatasetParams, DatasetSource
from ohr.types import Document, Page, PageRef, Question

PDFS = "pdfs"
NO_TEXT = "the data state facts about the page, not its text"
ABSENT = "they name what should not be in the page's text"
DEFAULT_DOMAIN = "pages"
SOURCES = {"present": "text", "absent": "text", "order": "reading_order"}
SOURCES |= {"table": "table", "math": "formula"}
QUESTION_WORDS = 12
"""Words of what a test looks for that its question has."""


class OlmOcrBench(DatasetSource[DatasetParams]):
    """PDFs with facts about their pages: texts present and absent, order, cells, formulas."""

    name = "olmocr_bench"
    version = "1"

    def load(self) -> Dataset:
        params = self.params
        if params.path is None:
            raise DatasetError("dataset.kind=olmocr_bench needs dataset.path, its bench_data")
        if params.questions is not None or params.pdfs is not None:
            raise DatasetError("dataset.kind=olmocr_bench has its tests and PDFs in dataset.path")
        root, report = Path(params.path), ValidationReport()
        pdfs = _pdfs(root)
        tests = [
            test
            for test in _tests(root, pdfs, report)
            if not params.domains or _doc_id(test["pdf"]).split("/")[0] in params.domains
        ]
        documents = _documents({str(test["pdf"]): pdfs[str(test["pdf"])] for test in tests}, report)
        # Two PDFs may have one id, of which the first is read.
        sources = {doc_id: document.source for doc_id, document in documents.items()}
        questions = [
            _question(test)
            for test in tests
            if sources.get(_doc_id(test["pdf"])) == pdfs[str(test["pdf"])]
        ]
        if unread := len(tests) - len(questions):
            report.skipped.append(f"tests of PDFs that are not read: {unread}")
        valid = validate_questions(
            questions,
            documents,
            report,
            without_evidence={q.qid: ABSENT for q in questions if not q.evidence_text},
            answers_optional=True,
        )
        # What should be absent has no evidence by its nature: that is no problem of the data.
        expected = report.problems.pop("empty_evidence", [])
        if expected:
            report.notes.append(f"facts without evidence: {len(expected)}: {ABSENT}")
        pages = [page.ref for document in documents.values() for page in document.pages]
        dataset = Dataset(
            documents.values(),
            valid,
            kind=self.name,
            root=root,
            report=report,
            without_truth=dict.fromkeys(pages, NO_TEXT),
        )
        return finish(dataset, strict=params.strict)


def _pdfs(root: Path) -> dict[str, Path]:
    """Path below ``pdfs`` as tests name it -> PDF. Raises DatasetError."""
    folder = root / PDFS
    files = {
        readable(path.relative_to(folder).as_posix()): path
        for path in visible(folder, "**/*")
        if path.suffix.lower() == ".pdf"
    }
    if not files:
        raise DatasetError(f"no PDFs in {folder}: dataset.path is the folder bench_data")
    return files


def _tests(
    root: Path, pdfs: Mapping[str, Path], report: ValidationReport
) -> Iterator[dict[str, Any]]:
    """The tests of all files that can be run, with their ``fact``. Raises DatasetError."""
    files = visible(root, "*.jsonl")
    if not files:
        raise DatasetError(f"no *.jsonl with tests in {root}")
    others: Counter[str] = Counter()
    rejected = 0
    for file in files:
        for number, line in enumerate(_lines(file), start=1):
            if not line.strip():
                continue
            try:
                test = parse_json(line)
                if not isinstance(test, dict):
                    raise ValueError("it is no object")
                kind = str(test.get("type"))
                if kind not in FIELDS:
                    others[kind] += 1
                    continue
                if test.get("checked") == "rejected":
                    rejected += 1
                    continue
                test |= {"fact": make_fact(test), "id": name_of(test.get("id"), "id")}
                test["pdf"] = readable(name_of(test.get("pdf"), "pdf"))
                if type(test.get("page")) is not int or test["page"] < 1:
                    raise ValueError(f"page is {test.get('page')!r:.40}; give a number from 1")
            except (ValueError, RecursionError) as error:
                report.add("malformed_question", f"line {number} of {file.name}: {error}")
                continue
            if test["pdf"] not in pdfs:
                report.add("missing_document", f"{test['pdf']}, asked by {test['id']}")
                continue
            yield test
    for kind, count in sorted(others.items()):
        report.skipped.append(f"tests of the type {kind}, which no metric measures: {count}")
    if rejected:
        report.skipped.append(f"tests that the data mark as rejected: {rejected}")


def _lines(file: Path) -> list[str]:
    try:
        return decoded(read_bounded(file)).split("\n")
    except OSError as error:
        raise DatasetError(f"{file} cannot be read: {error}") from error
    except UndecodableError as error:
        raise DatasetError(f"{file} is {error}") from error


def _doc_id(pdf: str) -> str:
    """``arxiv_math/2503_pg4.pdf`` -> ``arxiv_math/2503_pg4``."""
    stem = pdf.rpartition(".")[0]
    domain, slash, rest = stem.partition("/")
    return f"{domain}/{rest.replace('/', '_')}" if slash else f"{DEFAULT_DOMAIN}/{stem}"


def _documents(pdfs: Mapping[str, Path], report: ValidationReport) -> dict[str, Document]:
    """The documents of the PDFs that tests name, by id."""
    facts = file_facts(pdfs.values())
    documents: dict[str, Document] = {}
    for name, path in pdfs.items():
        doc_id = _doc_id(name)
        if fault := facts[path].fault:
            report.add("unreadable_document", f"{name}: {fault}")
            continue
        if doc_id in documents:
            report.add("duplicate_document", f"{name}: only the first {doc_id} is read")
            continue
        pages = [Page(PageRef(doc_id, number), "") for number in range(facts[path].pages)]
        documents[doc_id] = Document(doc_id, doc_id.split("/")[0], pages, path)
    return documents


def _question(test: Mapping[str, Any]) -> Question:
    kind, doc_id = test["type"], _doc_id(test["pdf"])
    texts = [str(test[name]) for name in FIELDS[kind]]
    evidence = [f"${text}$" for text in texts] if kind == "math" else texts
    return Question(
        qid=test["id"],
        text=" ".join(" ".join(texts).split()[:QUESTION_WORDS]),
        answers=(),
        doc_id=doc_id,
        domain=doc_id.split("/")[0],
        evidence_pages=(PageRef(doc_id, test["page"] - 1),),
        evidence_text="" if kind == "absent" else "\n".join(evidence),
        evidence_source=SOURCES[kind],
        fact=test["fact"],
    )
