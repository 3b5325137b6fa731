"""The documents of a knowledge base, with its page text."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from functools import cached_property

from ohr.types import Document, KnowledgeBase, Page


class LazyDocuments(Mapping[str, Document]):
    """Documents by id, made by :meth:`make` when one is first used."""

    def __getitem__(self, doc_id: str) -> Document:
        return self._documents[doc_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._documents)

    def __len__(self) -> int:
        return len(self._documents)

    @cached_property
    def _documents(self) -> dict[str, Document]:
        return self.make()

    @abstractmethod
    def make(self) -> dict[str, Document]:
        """The documents, in order."""


class ReadDocuments(LazyDocuments):
    """Documents in the order of a knowledge base.

    They have no PDF, no image and no page that failed.
    """

    def __init__(self, kb: KnowledgeBase, documents: Mapping[str, Document]) -> None:
        self._kb, self._truth = kb, documents

    def make(self) -> dict[str, Document]:
        """The documents of the knowledge base."""
        pages: dict[str, list[Page]] = {}
        for ref, outcome in self._kb.pages.items():
            texts_of_document = pages.setdefault(ref.doc_id, [])
            if outcome.value is not None:
                texts_of_document.append(Page(ref, outcome.value))
        return {
            name: Document(name, self._truth[name].domain, tuple(document_pages))
            for name, document_pages in pages.items()
        }
