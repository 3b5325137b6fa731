"""What a knowledge base has of each scope: of each domain, or of each document."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from ohr.study.plan import Plan
from ohr.study.scoring.texts import ReadDocuments
from ohr.types import Document, KnowledgeBase, PageImage, PageRef, Question

_AT_HAND = 2
"""Knowledge bases whose parts are kept: one is held against another, scope by scope."""


@dataclass(frozen=True)
class _Parts:
    """A knowledge base by scope, each in index order."""

    plan: Plan
    kb: KnowledgeBase

    @cached_property
    def pages(self) -> dict[str, list[PageRef]]:
        return self._by_scope(self.kb.pages)

    @cached_property
    def images(self) -> dict[str, list[PageImage]]:
        of = self._by_scope(self.kb.images)
        return {scope: [self.kb.images[ref] for ref in refs] for scope, refs in of.items()}

    @cached_property
    def documents(self) -> dict[str, list[Document]]:
        parts: dict[str, list[Document]] = {}
        for name, document in ReadDocuments(self.kb, self.plan.dataset.documents).items():
            parts.setdefault(self.plan.in_scope(name), []).append(document)
        return parts

    def _by_scope(self, refs: Iterable[PageRef]) -> dict[str, list[PageRef]]:
        parts: dict[str, list[PageRef]] = {}
        scopes: dict[str, str] = {}
        for ref in refs:
            if ref.doc_id not in scopes:
                scopes[ref.doc_id] = self.plan.in_scope(ref.doc_id)
            parts.setdefault(scopes[ref.doc_id], []).append(ref)
        return parts


class Scopes:
    """The scopes of a plan: where each is a document there may be thousands, so what is in each
    is looked up once for all of them.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._at_hand: deque[_Parts] = deque(maxlen=_AT_HAND)

    @cached_property
    def questions(self) -> dict[str, list[Question]]:
        """The questions that are asked of each scope, the scopes in index order."""
        asked: dict[str, list[Question]] = {scope: [] for scope in self._plan.scopes}
        for question in self._plan.questions:
            asked[self._plan.scope_of(question)].append(question)
        return asked

    def pages(self, kb: KnowledgeBase, scope: str) -> Sequence[PageRef]:
        """Pages in index order, those that could not be read among them."""
        return self._parts(kb).pages.get(scope, [])

    def images(self, kb: KnowledgeBase, scope: str) -> Sequence[PageImage]:
        """Pictures of pages, in index order."""
        return self._parts(kb).images.get(scope, [])

    def documents(self, kb: KnowledgeBase, scope: str) -> list[Document]:
        """Documents as they were read: no PDF, no page that failed."""
        return list(self._parts(kb).documents.get(scope, []))

    def _parts(self, kb: KnowledgeBase) -> _Parts:
        parts = next((one for one in self._at_hand if one.kb is kb), None)
        if parts is None:
            parts = _Parts(self._plan, kb)
            self._at_hand.append(parts)
        return parts
