"""Shared by systems that answer many questions together."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence

from ohr.plugins import Retriever, System, SystemReply
from ohr.plugins.base import P
from ohr.store.artefacts import ArtefactStore
from ohr.types import Answer, Document, Outcome


class BatchSystem(System[P], abstract=True):
    """A system that answers many questions together, over documents that it indexes once."""

    retrievers: Sequence[Retriever] = ()
    """Its retrievers: they receive the same store as the system."""

    @abstractmethod
    def answer_many(
        self, questions: Sequence[str], documents: Sequence[Document]
    ) -> Iterator[SystemReply]:
        """Answers to many questions over the same documents, in any order, as they become ready."""

    def answer(self, question: str, documents: Sequence[Document]) -> Outcome[Answer]:
        """One answer; see :meth:`answer_many`."""
        [reply] = self.answer_many([question], documents)
        return reply.outcome

    def use_store(self, store: ArtefactStore) -> None:
        super().use_store(store)
        for retriever in self.retrievers:
            retriever.use_store(store)
