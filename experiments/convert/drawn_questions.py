"""A smaller benchmark: a few questions of each document, and the pages that they need."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from ohr.collection import Dataset
from ohr.plugins.randomness import generator_for
from ohr.types import Chunk, Document, Page, PageRef, Question
from rag.retrievers.bm25 import Bm25


def drawn_questions(dataset: Dataset, per_document: int, further_pages: int, seed: int) -> Dataset:
    """At most ``per_document`` questions of each document, with the pages of their evidence.

    A document's evidence sources take turns, in a drawn order, so that tables and formulas are
    asked for as often as its questions allow. Beside the evidence, ``further_pages`` of the
    document stay: those that BM25 finds best for its questions. Other pages, questions whose
    evidence is on no page, and documents without questions are left out. Page numbers stay. What
    is drawn of a document depends on nothing but ``seed``, the document and its questions.
    """
    of_document: dict[str, list[Question]] = defaultdict(list)
    for question in sorted(dataset.questions, key=lambda question: question.qid):
        refs = question.evidence_pages
        if refs and all(ref in dataset.pages and ref.doc_id == question.doc_id for ref in refs):
            of_document[question.doc_id].append(question)
    documents: list[Document] = []
    questions: list[Question] = []
    for doc_id, document in dataset.documents.items():
        drawn = _draw(of_document[doc_id], per_document, doc_id, seed)
        if not drawn:
            continue
        evidence = {ref for question in drawn for ref in question.evidence_pages}
        nearest = _nearest(document.pages, drawn, evidence, further_pages)
        pages = tuple(page for page in document.pages if page.ref in evidence | nearest)
        documents.append(replace(document, pages=pages))
        questions += drawn
    return Dataset(
        documents,
        questions,
        kind=dataset.kind,
        root=dataset.root,
        report=dataset.report,
        truth=dataset.truth,
        without_truth=dataset.without_truth,
        holes=dataset.holes,
    )


def _draw(questions: Sequence[Question], count: int, doc_id: str, seed: int) -> list[Question]:
    """``count`` of a document's questions, in turn from each evidence source."""
    rng = generator_for(seed, "typeset.questions", PageRef(doc_id, 0))
    of_source: dict[str, list[Question]] = defaultdict(list)
    for index in rng.permutation(len(questions)):
        of_source[questions[index].evidence_source].append(questions[index])
    sources = sorted(of_source)
    order = [sources[index] for index in rng.permutation(len(sources))]
    turns = max(map(len, of_source.values()), default=0)
    in_turn = [
        of_source[source][turn]
        for turn in range(turns)
        for source in order
        if turn < len(of_source[source])
    ]
    return in_turn[:count]


def _nearest(
    pages: Sequence[Page], questions: Sequence[Question], evidence: set[PageRef], count: int
) -> set[PageRef]:
    """The pages without evidence that BM25 finds best for the questions together."""
    others = [page for page in pages if page.ref not in evidence and page.text.strip()]
    if not others or not count:
        return set()
    retriever = Bm25()
    retriever.index([Chunk(page.ref, 0, len(page.text), page.text) for page in others])
    hits = retriever.search(" ".join(question.text for question in questions), count)
    return {hit.ref for hit in hits}
