"""The dataset: documents, questions, and a report of their problems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

from ohr.errors import DatasetError
from ohr.store.identity import digest, pages_digest
from ohr.types import EVIDENCE_SOURCES, Document, Holes, Page, PageRef, Question

GROUND_TRUTH = "ground truth"
FEWEST_CHARACTERS = 200
"""With fewer characters on pages in capitals, nothing is said of the truth's case."""
WITHOUT_SMALL = 0.95
"""Least share of pages without small letters in a truth that knows no case; the rest are slips."""
_SHOWN = 3


@dataclass
class ValidationReport:
    """The problems of a dataset by kind, one readable line each.

    ``skipped`` lists files and questions that were ignored because they are not part of the
    dataset, ``notes`` what else a reader of the results should know, such as how values were read.
    Neither counts as a problem.
    """

    problems: dict[str, list[str]] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, kind: str, line: str) -> None:
        """Record a problem; ``kind`` is a short name such as ``missing_document``."""
        self.problems.setdefault(kind, []).append(line)

    @property
    def counts(self) -> dict[str, int]:
        """Number of problems of each kind, sorted by kind."""
        return {kind: len(lines) for kind, lines in sorted(self.problems.items())}

    def __bool__(self) -> bool:
        return bool(self.problems)

    def summary(self) -> str:
        """One line: each kind with its count and its first cases."""
        return "; ".join(
            f"{len(lines)} x {kind} ({_first(lines)})"
            for kind, lines in sorted(self.problems.items())
        )

    def lines(self) -> list[tuple[str, str]]:
        """Every problem, everything skipped and every note: its kind and its line."""
        problems = [(kind, line) for kind, lines in sorted(self.problems.items()) for line in lines]
        skipped = [("skipped", line) for line in self.skipped]
        return problems + skipped + [("note", line) for line in self.notes]


def _first(lines: list[str]) -> str:
    more = len(lines) - _SHOWN
    return "; ".join(lines[:_SHOWN]) + (f"; and {more} more" if more > 0 else "")


class Dataset:
    """Documents in index order, and the questions about them.

    ``truth`` says what kind of text the pages have, such as ground truth. ``without_truth`` maps
    pages whose text does not match the page to the reason; their text is not used as ground truth.
    ``holes`` maps pages whose text is only partly known to what is not known of it; metrics leave
    that out.
    """

    def __init__(
        self,
        documents: Iterable[Document],
        questions: Iterable[Question],
        *,
        kind: str,
        root: Path | None = None,
        report: ValidationReport | None = None,
        truth: str = GROUND_TRUTH,
        without_truth: Mapping[PageRef, str] | None = None,
        holes: Mapping[PageRef, Holes] | None = None,
    ) -> None:
        self.documents: Mapping[str, Document] = {doc.doc_id: doc for doc in documents}
        self.questions = tuple(questions)
        self.kind = kind
        self.root = root
        self.report = report if report is not None else ValidationReport()
        self.truth = truth
        self.without_truth: Mapping[PageRef, str] = without_truth or {}
        self.holes: Mapping[PageRef, Holes] = holes or {}

    @cached_property
    def pages(self) -> Mapping[PageRef, Page]:
        """Every ground-truth page, in index order."""
        return {page.ref: page for doc in self.documents.values() for page in doc.pages}

    @cached_property
    def case_known(self) -> bool:
        """Whether the truth tells capitals from small letters.

        False if at least :data:`WITHOUT_SMALL` of its pages with letters of either case have only
        capitals, :data:`FEWEST_CHARACTERS` in all, as transcriptions of receipts do.
        """
        texts = [page.text for page in self.pages.values()]
        capitals = [text for text in texts if text.isupper()]
        if sum(map(len, capitals)) < FEWEST_CHARACTERS:
            return True
        small = sum(not text.isupper() and text != text.upper() for text in texts)
        return len(capitals) < WITHOUT_SMALL * (len(capitals) + small)

    @property
    def order_known(self) -> bool:
        """Whether the order of the words is known on every page that has a truth."""
        return all(holes.order_known for ref, holes in self.holes.items() if self.has_truth(ref))

    def has_truth(self, ref: PageRef) -> bool:
        """Whether a page has a truth that is all of its text, so that output can be compared."""
        holes = self.holes.get(ref)
        return ref not in self.without_truth and (holes is None or holes.is_complete)

    def has_order(self, ref: PageRef) -> bool:
        """Whether a page has such a truth, and the order of its words is known."""
        holes = self.holes.get(ref)
        return self.has_truth(ref) and (holes is None or holes.order_known)

    def digest(self) -> str:
        """Digest of all ground-truth text and all questions with their gold fields."""
        pages = pages_digest((ref, page.text) for ref, page in self.pages.items())
        parts = [pages, digest([_fields(question) for question in self.questions])]
        if self.without_truth:
            parts.append(digest([[ref, why] for ref, why in self.without_truth.items()]))
        if self.holes:
            parts.append(digest(["holes", *([ref, holes] for ref, holes in self.holes.items())]))
        return digest(parts)


_FIELDS = tuple(field.name for field in fields(Question))


def _fields(question: Question) -> dict[str, object]:
    """A question as a mapping, without the optional fields that are empty."""
    mapping = {name: getattr(question, name) for name in _FIELDS}
    mapping["evidence_pages"] = [
        {"doc_id": ref.doc_id, "page_no": ref.page_no} for ref in question.evidence_pages
    ]
    for optional in ("category", "headers", "written_for", "relevance", "fact"):
        if not mapping[optional]:
            del mapping[optional]
    return mapping


def validate_questions(
    questions: Iterable[Question],
    documents: Mapping[str, Document],
    report: ValidationReport,
    *,
    without_evidence: Mapping[str, str] = MappingProxyType({}),
    without_page: Collection[str] = (),
    answers_optional: bool = False,
) -> list[Question]:
    """Return the questions that can be asked, and report the problems of all of them.

    Dropped: a repeated id, an empty question, no answer, a missing document, no evidence
    page. Kept but reported: an evidence page that is not in its document, empty evidence, an
    evidence source that is not one of the paper's. ``without_evidence`` maps ids of questions
    without evidence to the reason. ``without_page`` has the ids of questions that are valid
    without a page. Both may be filled while ``questions`` is iterated. A question
    without an answer is kept if none has one, since such data are for retrieval alone, and with
    ``answers_optional``; a note counts them.
    """
    valid: list[Question] = []
    seen: Counter[str] = Counter()
    page_nos = {
        doc_id: {page.ref.page_no for page in doc.pages} for doc_id, doc in documents.items()
    }
    questions = list(questions)
    answers_optional = answers_optional or not any(map(is_answered, questions))
    for question in questions:
        seen[question.qid] += 1
        missing = [ref.doc_id for ref in question.evidence_pages if ref.doc_id not in documents]
        if question.doc_id not in documents:
            missing.insert(0, question.doc_id)
        if seen[question.qid] > 1:
            report.add("duplicate_question_id", question.qid)
        elif not question.text.strip():
            report.add("empty_question", question.qid)
        elif not answers_optional and not is_answered(question):
            report.add("empty_answer", question.qid)
        elif not question.evidence_pages and question.qid not in without_page:
            report.add("no_evidence_page", question.qid)
        elif missing:
            report.add("missing_document", f"{missing[0]}, asked by {question.qid}")
        else:
            for ref in question.evidence_pages:
                if ref.page_no not in page_nos[ref.doc_id]:
                    report.add(
                        "missing_evidence_page",
                        f"page_idx {ref.page_no} of {ref.doc_id}, asked by {question.qid}",
                    )
            if not question.evidence_text.strip():
                why = without_evidence.get(question.qid)
                report.add("empty_evidence", f"{question.qid}: {why}" if why else question.qid)
            if question.evidence_source not in EVIDENCE_SOURCES:
                report.add(
                    "unknown_evidence_source", f"{question.evidence_source!r} of {question.qid}"
                )
            valid.append(question)
    unanswered = sum(not is_answered(question) for question in valid)
    if unanswered:
        report.notes.append(
            f"{unanswered} of {len(valid)} questions have no answer: they count in the stages ocr "
            "and retrieval, and in no mean of answers"
        )
    return valid


def is_answered(question: Question) -> bool:
    """Whether a question has an accepted answer; data for retrieval alone have none."""
    return any(answer.strip() for answer in question.answers)


def finish(dataset: Dataset, *, strict: bool) -> Dataset:
    """Return the dataset if it can be used.

    Raises DatasetError if no document or no question is left, and with ``strict`` on any problem.
    """
    if strict and dataset.report:
        raise DatasetError(f"dataset fails strict validation: {dataset.report.summary()}")
    why = f": {dataset.report.summary()}" if dataset.report else ""
    if not dataset.documents:
        raise DatasetError(f"no documents under {dataset.root}{why}")
    if not dataset.questions:
        raise DatasetError(f"no questions can be asked{why or ': none is given'}")
    return dataset
