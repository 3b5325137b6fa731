"""Reads QASPER: papers, and questions with several annotators' answers.

``path`` is a train, dev or test file as published (Dasigi et al. 2021), or rows as the Hub gives
them: JSON, JSON Lines or Parquet. A paper is a document, with
its sections as pages, since a paper has no others: page 0 is title and abstract, then a page a
section that has text, and last the captions of figures and tables. All papers are in one domain,
``qasper``; a question is asked of its own paper with ``scope=document``.

A question's ``answers`` are those of all annotators, its evidence that of the first who names some,
its answer form the first annotator's type: extractive, abstractive, boolean or none.
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
    """What of QASPER is asked."""

    unanswerable: bool = True
    """Whether answers that there is none count; without them, questions with no other are not
    asked."""


class Qasper(DatasetSource[QasperParams]):
    """QASPER's files; pages are sections."""

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
            for asked in paper.questions:
                question = _question(asked, document, unanswerable=params.unanswerable)
                if question is None:
                    report.skipped.append(f"question {asked.qid}: unanswerable")
                    continue
                if not question.evidence_text:
                    without_evidence[question.qid] = NO_EVIDENCE
                questions.append(question)
        kept = validate_questions(questions, documents, report, without_evidence=without_evidence)
        dataset = Dataset(
            documents.values(), kept, kind=self.name, root=params.path.parent, report=report
        )
        return finish(dataset, strict=params.strict)


def document_id(paper_id: str) -> str:
    """The document of a paper; old ids have a slash."""
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


def _question(asked: PaperQuestion, document: Document, *, unanswerable: bool) -> Question | None:
    references = [one for one in asked.references if unanswerable or one.type != "none"]
    if not references:
        return None
    pages, evidence = _evidence(references, document)
    kinds = {"table" if _caption(text).startswith("Table") else "chart" for text in evidence}
    floats = bool(evidence) and all(text.startswith(FLOAT) for text in evidence)
    return Question(
        qid=asked.qid,
        text=asked.text,
        answers=tuple(dict.fromkeys(one.answer for one in references)),
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
    """The first annotator's evidence that is there, and its pages; page 0 where none is."""
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
    """Evidence as it stands on its page: a figure's or table's as its caption."""
    return text.removeprefix(f"{FLOAT}: ") if text.startswith(FLOAT) else text
