"""The ranking of every question, made once and kept in the artefact store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from experiments.plan import Plan
from ohr.identity import digest, pages_digest
from ohr.plugins import Oracle
from ohr.store import ArtefactStore
from ohr.types import Hit, KnowledgeBase, PageRef, Question


@dataclass
class Rankings:
    """Makes rankings for a plan; equal pages, plug-ins and queries are ranked once."""

    plan: Plan
    store: ArtefactStore

    def __post_init__(self) -> None:
        for retriever in self.plan.retrievers.values():
            if not isinstance(retriever, Oracle):
                retriever.use_store(self.store)

    def of_domain(
        self,
        kb: KnowledgeBase,
        chunker: str,
        name: str,
        domain: str,
        questions: Sequence[Question],
    ) -> list[list[Hit]]:
        """Hits for each question from one domain's pages, as many as any stage looks at.

        A retriever is given the questions' texts, an oracle the pages of their evidence.
        """
        retriever, cutter = self.plan.retrievers[name], self.plan.chunkers[chunker]
        k = max(self.plan.config.cutoffs)
        documents = self.plan.dataset.documents
        texts = {  # a page that could not be read is not even an empty chunk
            ref: outcome.value
            for ref, outcome in kb.pages.items()
            if outcome.value is not None and documents[ref.doc_id].domain == domain
        }
        asked: list[str] | list[tuple[PageRef, ...]]
        if isinstance(retriever, Oracle):
            asked = [question.evidence_pages for question in questions]
        else:
            asked = [question.text for question in questions]
        key = {
            "pages": pages_digest(texts.items()),
            "chunker": cutter.identity(),
            "retriever": retriever.identity(),
            "queries": digest(asked),
            "k": k,
        }
        stored = self.store.get("retrieval", key)
        if stored is None:
            retriever.index(cutter.chunks(texts.items()))
            if isinstance(retriever, Oracle):
                found = [retriever.look_up(question.evidence_pages, k) for question in questions]
            else:
                found = retriever.search_many([question.text for question in questions], k)
            stored = [
                [[h.ref.doc_id, h.ref.page_no, *h.span, h.score] for h in hits] for hits in found
            ]
            self.store.put("retrieval", key, stored)
        return [
            [
                Hit(ref := PageRef(doc_id, page_no), texts[ref][a:b], score, rank, (a, b))
                for rank, (doc_id, page_no, a, b, score) in enumerate(hits)
            ]
            for hits in stored
        ]
