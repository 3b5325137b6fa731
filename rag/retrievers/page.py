"""Whole pages, ranked by their best chunk."""

from __future__ import annotations

from collections.abc import Sequence

from ohr.plugins import Params, Retriever
from ohr.plugins.retriever import LeftOut
from ohr.registry import PluginSpec
from ohr.store.artefacts import ArtefactStore
from ohr.types import Chunk, Hit, PageRef
from rag.retrievers._nested import Spec, create
from rag.retrievers._pages import page_hit, whole_pages


class PageRetrieverParams(Params):
    """``retriever``: what ranks the chunks."""

    retriever: Spec = PluginSpec(name="bm25")


class PageRetriever(Retriever[PageRetrieverParams]):
    """The k pages with the best chunks; the reader gets whole pages."""

    name = "page"
    whole_pages = True

    def __init__(self, params: PageRetrieverParams | None = None) -> None:
        super().__init__(params)
        self._inner = create(self.params.retriever)
        self.reads_sections, self.splits = self._inner.reads_sections, self._inner.splits
        self._pages: dict[PageRef, Chunk] = {}
        self._most_chunks = 1

    def identity(self) -> dict[str, object]:
        return super().identity() | {"retriever": self._inner.identity()}

    def use_store(self, store: ArtefactStore) -> None:
        self._inner.use_store(store)

    def index(self, chunks: Sequence[Chunk]) -> None:
        counts: dict[PageRef, int] = {}
        for chunk in chunks:
            counts[chunk.ref] = counts.get(chunk.ref, 0) + 1
        self._most_chunks = max(counts.values(), default=1)
        self._pages = whole_pages(chunks)
        self._inner.index(chunks)

    def search_many(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        # This many chunks are on at least k pages.
        depth = (k - 1) * self._most_chunks + 1
        return [self._page_hits(hits, k) for hits in self._inner.search_many(queries, depth)]

    def left_out(self) -> LeftOut:
        return self._inner.left_out()

    def _page_hits(self, hits: Sequence[Hit], k: int) -> list[Hit]:
        best: dict[PageRef, float] = {}
        for hit in hits:
            best.setdefault(hit.ref, hit.score)
        ranked = list(best.items())[:k]
        return [page_hit(self._pages[ref], score, rank) for rank, (ref, score) in enumerate(ranked)]
