"""The hooks of retrievers of text and of page images, and of the oracle that is none of them."""

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
    """What a retriever could do nothing with, each with the reason: ``chunks``, which are never
    found, and ``questions`` by their texts, which find nothing.
    """

    chunks: Mapping[Place, str] = field(default_factory=dict)
    questions: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.chunks or self.questions)

    def __or__(self, other: LeftOut) -> LeftOut:
        return LeftOut({**self.chunks, **other.chunks}, {**self.questions, **other.questions})


class Retriever(Plugin[P], ABC, abstract=True):
    """Ranks chunks for a question's text: :meth:`index`, and one of the two searches."""

    either = ("search", "search_many")
    whole_pages: bool = False
    """Whether its hits are whole pages in place of the chunks that it was given."""
    sees_images: bool = False
    """Whether it has parts that look at page images: :meth:`index_images` comes before
    :meth:`index` then."""
    splits: bool = False
    """Whether copies of it may each index and search some of a study's scopes in a process of
    their own: it has no model and no connection, and leaves nothing out."""
    reads_sections: bool = True
    """Whether it looks at the sections of the chunks that it is given; else they have none."""

    def index_images(self, pages: Sequence[PageImage]) -> Mapping[PageRef, str]:
        """As that of :class:`ImageRetriever`, for one that is made of others."""
        return {}

    @abstractmethod
    def index(self, chunks: Sequence[Chunk]) -> None:
        """Index chunks, replacing what was indexed before."""

    def search_many(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """The k best chunks for each query, best first; ties in index order."""
        return [self.search(query, k) for query in queries]

    def search(self, query: str, k: int) -> list[Hit]:
        """The k best chunks for one query, best first; ties in index order."""
        return self.search_many([query], k)[0]

    def left_out(self) -> LeftOut:
        """What the last :meth:`index` and the last search had to leave out; it is counted."""
        return LeftOut()

    def use_store(self, store: ArtefactStore) -> None:
        """Told where costly results, such as vectors, may be kept from run to run."""


class ImageRetriever(Plugin[P], ABC, abstract=True):
    """Ranks whole pages by their pictures for a question's text: :meth:`index_images`, and one of
    the two searches.

    It is handed the very pictures that the OCR engine of the same condition reads.
    """

    either = ("search", "search_many")
    whole_pages: bool = True
    sees_images: bool = True
    splits: bool = False
    reads_sections: bool = False

    @abstractmethod
    def index_images(self, pages: Sequence[PageImage]) -> Mapping[PageRef, str]:
        """Index pages, replacing what was indexed before.

        Returns the pages that could not be indexed, each with the reason: they are never found,
        and counted. ``load`` of a page draws it, :func:`ohr.types.load_images` several at once;
        what is kept under its ``digest`` needs no drawing.
        """

    def search_many(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """The k best pages for each query, best first; ties in index order.

        A hit's text is empty: the study puts in what was read on the page.
        """
        return [self.search(query, k) for query in queries]

    def search(self, query: str, k: int) -> list[Hit]:
        """The k best pages for one query, best first; ties in index order."""
        return self.search_many([query], k)[0]

    def use_store(self, store: ArtefactStore) -> None:
        """Told where costly results, such as vectors, may be kept from run to run."""


class Oracle(Plugin[P], ABC, abstract=True):
    """Knows where the evidence is: a ceiling for retrievers, and not one of them.

    A study hands it the pages of each question's evidence and no text. Retrievers, which are
    handed the text, have no such method.
    """

    sees_images: bool = False
    reads_sections: bool = True
    splits: bool = False

    @abstractmethod
    def index(self, chunks: Sequence[Chunk]) -> None:
        """Index chunks, replacing what was indexed before."""

    @abstractmethod
    def look_up(self, pages: Sequence[PageRef], k: int) -> list[Hit]:
        """At most k hits on the pages of one question's evidence."""
