"""Reads QASPER: papers, and questions with answers of several annotators.

``path`` is a train, dev or test file as published (Dasigi et al. 2021), or rows from the Hub: JSON,
JSON Lines or Parquet. A paper is a document. Its sections serve as pages, since the data have no
others: page 0 is title and abstract, then one page per section with text, and the last page has the
captions of figures and tables. All papers are in one domain, ``qasper``; with ``scope=document`` a
question is asked of its own paper.

A question's ``answers`` are those of all annotators. Its evidence is that of the first annotator
with any, and its answer form the first annotator's type: extractive, abstractive, boolean or none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ohr.collection import Dataset, ValidationReport, finish, validate_questions
from ohr.datasets.qasper_file import Paper, PaperQuestion, Section, read_papers
from ohr.errors import DatasetError
from ohr.metrics.qasper import FLOAT, Reference
from ohr.plugins import DatasetParams, DatasetSource
from ohr.types import Document, Page, PageRef, Question

DOMAIN = "qasper"
NO_EVIDENCE = "no annotator names a paragraph that is there"
_NESTED = " ::: "
_CAPTIONS = "Figures and tables"


class QasperParams(DatasetParams):
    """Parameters: which questions are asked."""

    unanswerable: bool = True
    """Whether "unanswerable" counts as an answer; if not, questions with no other answer are left
    out."""


class Qasper(DatasetSource[QasperParams]):
    """QASPER's files, with sections as pages."""

    name = "qasper"
    version = "2"

    def load(self) -> Dataset:
        params = self.params
        if params.path is None:
            raise DatasetError("dataset.kind=qasper needs dataset.path, a file of papers")
        if params.questions is not None or params.pdfs is not None:
            raise DatasetError("dataset.kind=qasper has questions and pages in dataset.path alone")
        if params.domains and DOMAIN not in params.domains:
            raise DatasetError(f"dataset.kind=qasper has one domain, {DOMAIN!r}")
        report = ValidationReport()
        documents: dict[str, Document] = {}
        questions: list[Question] = []
        without_evidence: dict[str, str] = {}
        for paper in read_papers(params.path, report):
            document = _document(paper)
            documents[document.doc_id] = document
            for paper_question in paper.questions:
                question = _question(paper_question, document, unanswerable=params.unanswerable)
                if question is None:
                    report.skipped.append(f"question {paper_question.qid}: unanswerable")
                    continue
                if not question.evidence_text:
                    without_evidence[question.qid] = NO_EVIDENCE
                questions.append(question)
        asked_questions = validate_questions(
            questions, documents, report, without_evidence=without_evidence
        )
        dataset = Dataset(
            documents.values(),
            asked_questions,
            kind=self.name,
            root=params.path.parent,
            report=report,
        )
        return finish(dataset, strict=params.strict)


def document_id(paper_id: str) -> str:
    """The document id of a paper; the slash in old ids is replaced."""
    return f"{DOMAIN}/{paper_id.replace('/', '_')}"


def _document(paper: Paper) -> Document:
    doc_id = document_id(paper.paper_id)
    pages = [Page(PageRef(doc_id, n), text) for n, text in enumerate(_pages(paper))]
    return Document(doc_id, DOMAIN, pages)


def _pages(paper: Paper) -> Iterator[str]:
    yield _markdown("#", paper.title, [paper.abstract])
    for section in paper.sections:
        if any(map(str.strip, section.paragraphs)):
            yield _section(section)
    if any(map(str.strip, paper.captions)):
        yield _markdown("##", _CAPTIONS, paper.captions)


def _section(section: Section) -> str:
    titles = section.name.split(_NESTED)
    return _markdown("#" * min(len(titles) + 1, 6), titles[-1], section.paragraphs)


def _markdown(signs: str, title: str, paragraphs: Sequence[str]) -> str:
    title = " ".join(title.split())
    heading = [f"{signs} {title}"] if title else []
    return "\n\n".join([*heading, *filter(str.strip, paragraphs)])


def _question(
    paper_question: PaperQuestion, document: Document, *, unanswerable: bool
) -> Question | None:
    references = [
        reference
        for reference in paper_question.references
        if unanswerable or reference.type != "none"
    ]
    if not references:
        return None
    pages, evidence = _evidence(references, document)
    kinds = {"table" if _caption(text).startswith("Table") else "chart" for text in evidence}
    floats = bool(evidence) and all(text.startswith(FLOAT) for text in evidence)
    return Question(
        qid=paper_question.qid,
        text=paper_question.text,
        answers=tuple(dict.fromkeys(reference.answer for reference in references)),
        doc_id=document.doc_id,
        domain=DOMAIN,
        evidence_pages=pages,
        evidence_text="\n".join(map(_caption, evidence)),
        evidence_source=kinds.pop() if floats and len(kinds) == 1 else "text",
        answer_form=references[0].type,
    )


def _evidence(
    references: Sequence[Reference], document: Document
) -> tuple[tuple[PageRef, ...], list[str]]:
    """The pages and the evidence of the first annotator whose evidence is found; page 0 if none."""
    for reference in references:
        located = {
            text: page.ref
            for text in reference.evidence
            if _caption(text).strip()
            for page in reversed(document.pages)
            if _caption(text) in page.text
        }
        if located:
            return tuple(sorted(set(located.values()))), list(located)
    return (document.pages[0].ref,), []


def _caption(text: str) -> str:
    """Evidence in the form that it has on its page: for a figure or table, its caption."""
    return text.removeprefix(f"{FLOAT}: ") if text.startswith(FLOAT) else text
