"""The hooks of retrievers of text, of retrievers of page images, and of the oracle."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ohr.plugins.base import P, Plugin
from ohr.store.artefacts import ArtefactStore
from ohr.types import Chunk, Hit, PageImage, PageRef

Place = tuple[PageRef, int, int]
"""A chunk by its page and span."""


@dataclass(frozen=True)
class LeftOut:
    """What a retriever had to leave out, each with the reason.

    ``chunks`` are never found. ``questions``, by their texts, find nothing.
    """

    chunks: Mapping[Place, str] = field(default_factory=dict)
    questions: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.chunks or self.questions)

    def __or__(self, other: LeftOut) -> LeftOut:
        return LeftOut({**self.chunks, **other.chunks}, {**self.questions, **other.questions})


class Retriever(Plugin[P], ABC, abstract=True):
    """Ranks chunks for a question's text.

    Define :meth:`index`, and one of :meth:`search` and :meth:`search_many`.
    """

    either = ("search", "search_many")
    whole_pages: bool = False
    """Whether its hits are whole pages instead of the indexed chunks."""
    sees_images: bool = False
    """Whether it has parts that look at page images: :meth:`index_images` is then called before
    :meth:`index`."""
    splits: bool = False
    """Whether copies of it may index and search different scopes in separate processes. Only for
    retrievers that hold no model and no connection, and leave nothing out."""
    reads_sections: bool = True
    """Whether it uses the sections of chunks; if not, the chunks have none."""

    def index_images(self, pages: Sequence[PageImage]) -> Mapping[PageRef, str]:
        """As in :class:`ImageRetriever`, for retrievers that combine others."""
        return {}

    @abstractmethod
    def index(self, chunks: Sequence[Chunk]) -> None:
        """Index chunks, replacing what was indexed before.

        Args:
            chunks: The chunks of one scope, in index order, which also decides ties.
        """

    def search_many(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """The k best chunks for each query, best first; ties in index order.

        Args:
            queries: The texts of questions.
            k: Most hits for each; at least 1.
        """
        return [self.search(query, k) for query in queries]

    def search(self, query: str, k: int) -> list[Hit]:
        """The k best chunks for one query, best first; ties in index order.

        Args:
            query: The text of a question.
            k: Most hits; at least 1.
        """
        return self.search_many([query], k)[0]

    def left_out(self) -> LeftOut:
        """What the last :meth:`index` and the last search left out; a study counts it."""
        return LeftOut()

    def use_store(self, store: ArtefactStore) -> None:
        """Receive the store that keeps costly results, such as vectors, from run to run."""


class ImageRetriever(Plugin[P], ABC, abstract=True):
    """Ranks whole pages by their pictures for a question's text.

    It receives the same pictures that the OCR engine of the same condition reads. Define
    :meth:`index_images`, and one of :meth:`search` and :meth:`search_many`.
    """

    either = ("search", "search_many")
    whole_pages: bool = True
    sees_images: bool = True
    splits: bool = False
    reads_sections: bool = False

    @abstractmethod
    def index_images(self, pages: Sequence[PageImage]) -> Mapping[PageRef, str]:
        """Index pages, replacing what was indexed before.

        Returns the pages that could not be indexed, each with the reason; they are never found,
        and are counted.

        Args:
            pages: The pages of one scope, in index order. ``load`` draws one,
                :func:`ohr.types.load_images` several at once; results stored under a page's
                ``digest`` need no drawing.
        """

    def search_many(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """The k best pages for each query, best first; ties in index order.

        A hit's text is empty: the study fills in the page text.

        Args:
            queries: The texts of questions.
            k: Most hits for each; at least 1.
        """
        return [self.search(query, k) for query in queries]

    def search(self, query: str, k: int) -> list[Hit]:
        """The k best pages for one query, best first; ties in index order.

        Args:
            query: The text of a question.
            k: Most hits; at least 1.
        """
        return self.search_many([query], k)[0]

    def use_store(self, store: ArtefactStore) -> None:
        """Receive the store that keeps costly results, such as vectors, from run to run."""


class Oracle(Plugin[P], ABC, abstract=True):
    """Knows where the evidence is: an upper bound for retrievers, not a retriever.

    A study gives it the pages of each question's evidence and no text. Retrievers get the text
    and never the pages.
    """

    sees_images: bool = False
    reads_sections: bool = True
    splits: bool = False

    @abstractmethod
    def index(self, chunks: Sequence[Chunk]) -> None:
        """Index chunks, replacing what was indexed before.

        Args:
            chunks: The chunks of one scope, in index order.
        """

    @abstractmethod
    def look_up(self, pages: Sequence[PageRef], k: int) -> list[Hit]:
        """At most k hits on the given pages.

        Args:
            pages: The pages of one question's evidence.
            k: Most hits; at least 1.
        """
