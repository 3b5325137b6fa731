"""What is scored: pages and questions of a dataset, the scope of a search, and the protocol."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from ohr.collection import GROUND_TRUTH, Dataset, is_answered
from ohr.datasets.holes import questions_in_holes
from ohr.metrics.formulas import page_formulas
from ohr.metrics.holes import known_truth
from ohr.metrics.protocol import Protocol
from ohr.metrics.regions import region_words, regions
from ohr.metrics.scores import SCORING
from ohr.plugins.metric import Of, Scoring
from ohr.types import PageRef, Question

Scope = Literal["domain", "document"]
"""What is searched for a question: all documents of its domain, or its document only."""

ON_PAGE: dict[str, Callable[[str], bool]] = {
    "text": lambda truth: bool(region_words(regions(truth), "text")),
    "table": lambda truth: any(region.kind == "table" for region in regions(truth)),
    "formula": lambda truth: bool(page_formulas(truth)),
}
"""Whether a page's ground truth has what a metric needs."""


@dataclass(frozen=True)
class Units:
    """Pages and questions that are scored together, in order, against one dataset."""

    dataset: Dataset
    questions: tuple[Question, ...]
    pages: tuple[PageRef, ...]
    """The pages whose text is compared with the truth."""
    protocol: Protocol = "default"
    scope: Scope = "domain"

    @property
    def scoring(self) -> Scoring:
        """The functions of the protocol."""
        return SCORING[self.protocol]

    @cached_property
    def folds_case(self) -> bool:
        """Whether pages are compared in small letters, since the truth has only capitals; never
        under the reference protocol.
        """
        return self.protocol == "default" and not self.dataset.case_known

    def count(self, of: Of) -> int:
        """The number of cases of a kind: one per page, or one per question."""
        return len(self.pages if of == "page" else self.questions)

    # --- where a question searches ---------------------------------------------------------

    def scope_of(self, question: Question) -> str:
        """The scope that a question searches: its domain, or its document."""
        return question.doc_id if self.scope == "document" else question.domain

    def scope_of_document(self, doc_id: str) -> str:
        """The scope, a domain or a document, that a document belongs to."""
        return doc_id if self.scope == "document" else self.dataset.documents[doc_id].domain

    @cached_property
    def scopes(self) -> tuple[str, ...]:
        """Scopes (domains or documents) with questions, in index order."""
        used = {self.scope_of(question) for question in self.questions}
        available = dict.fromkeys(map(self.scope_of_document, self.dataset.documents))
        return tuple(name for name in available if name in used)

    # --- what a metric needs ---------------------------------------------------------------

    @cached_property
    def doubtful_questions(self) -> dict[str, str]:
        """Ids of questions whose evidence is where the truth is not known, with the reason."""
        return questions_in_holes(self.dataset, self.questions)

    def has_evidence(self, question: Question) -> bool:
        """Whether metrics of evidence apply to a question."""
        # The published evaluation also scores questions without an evidence text.
        published = self.protocol == "reference" and self.dataset.truth == GROUND_TRUTH
        return (
            bool(question.evidence_pages)
            and (published or bool(question.evidence_text.strip()))
            and question.qid not in self.doubtful_questions
        )

    def has(self, of: Of, need: str) -> list[bool]:
        """Whether each page or question has what a metric needs."""
        if of == "page":
            return [self._page_has(ref, need) for ref in self.pages]
        return [self._question_has(question, need) for question in self.questions]

    def _page_has(self, ref: PageRef, need: str) -> bool:
        dataset = self.dataset
        if need == "order":
            return dataset.has_order(ref)
        holes, text = dataset.holes.get(ref), dataset.pages[ref].text
        if holes is not None and holes.doubtful:
            text = known_truth(text, holes)
        if need == "truth":
            nothing_known = holes is not None and bool(holes.doubtful) and not text.strip()
            return dataset.has_truth(ref) and not nothing_known
        return need not in ON_PAGE or ON_PAGE[need](text)

    def _question_has(self, question: Question, need: str) -> bool:
        if need == "answer":
            return is_answered(question)
        if need == "several answers":
            return len(question.answers) > 1
        if need == "page":
            return bool(question.evidence_pages)
        if need == "fact":
            return bool(question.fact)
        return need != "evidence" or self.has_evidence(question)
