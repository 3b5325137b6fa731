"""Divides a knowledge base by scope: by domain, or by document."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from ohr.scoring.documents import ReadDocuments
from ohr.scoring.units import Units
from ohr.types import Document, KnowledgeBase, PageImage, PageRef, Question

_AT_HAND = 2
"""Knowledge bases whose parts are kept: two are compared scope by scope."""


@dataclass(frozen=True)
class _Parts:
    """A knowledge base by scope, each in index order."""

    units: Units
    kb: KnowledgeBase

    @cached_property
    def pages(self) -> dict[str, list[PageRef]]:
        return self._divided(self.kb.pages)

    @cached_property
    def images(self) -> dict[str, list[PageImage]]:
        of = self._divided(self.kb.images)
        return {scope: [self.kb.images[ref] for ref in refs] for scope, refs in of.items()}

    @cached_property
    def documents(self) -> dict[str, list[Document]]:
        parts: dict[str, list[Document]] = {}
        for name, document in ReadDocuments(self.kb, self.units.dataset.documents).items():
            parts.setdefault(self.units.scope_of_document(name), []).append(document)
        return parts

    def _divided(self, refs: Iterable[PageRef]) -> dict[str, list[PageRef]]:
        parts: dict[str, list[PageRef]] = {}
        scopes: dict[str, str] = {}
        for ref in refs:
            if ref.doc_id not in scopes:
                scopes[ref.doc_id] = self.units.scope_of_document(ref.doc_id)
            parts.setdefault(scopes[ref.doc_id], []).append(ref)
        return parts


class Scopes:
    """The scopes of some units. There may be thousands, so they are all looked up at once."""

    def __init__(self, units: Units) -> None:
        self._units = units
        self._at_hand: deque[_Parts] = deque(maxlen=_AT_HAND)

    @cached_property
    def questions(self) -> dict[str, list[Question]]:
        """The questions of each scope; scopes in index order."""
        questions: dict[str, list[Question]] = {scope: [] for scope in self._units.scopes}
        for question in self._units.questions:
            questions[self._units.scope_of(question)].append(question)
        return questions

    def pages(self, kb: KnowledgeBase, scope: str) -> Sequence[PageRef]:
        """Pages of a scope in index order, also those that failed."""
        return self._parts(kb).pages.get(scope, [])

    def images(self, kb: KnowledgeBase, scope: str) -> Sequence[PageImage]:
        """Page images of a scope in index order."""
        return self._parts(kb).images.get(scope, [])

    def documents(self, kb: KnowledgeBase, scope: str) -> list[Document]:
        """Documents of a scope with their page text: no PDF, no page that failed."""
        return list(self._parts(kb).documents.get(scope, []))

    def _parts(self, kb: KnowledgeBase) -> _Parts:
        parts = next((recent for recent in self._at_hand if recent.kb is kb), None)
        if parts is None:
            parts = _Parts(self._units, kb)
            self._at_hand.append(parts)
        return parts
