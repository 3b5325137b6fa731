"""The evidence pages themselves: the best possible retrieval."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel

from ohr.plugins import Oracle
from ohr.types import Chunk, Hit, PageRef
from rag.retrievers._pages import page_hit, whole_pages


class GoldPages(Oracle):
    """The whole pages of a question's evidence, as the knowledge base has them."""

    name = "oracle"

    def __init__(self, params: BaseModel | None = None) -> None:
        super().__init__(params)
        self._pages: dict[PageRef, Chunk] = {}

    def index(self, chunks: Sequence[Chunk]) -> None:
        self._pages = whole_pages(chunks)

    def look_up(self, pages: Sequence[PageRef], k: int) -> list[Hit]:
        known_pages = [self._pages[ref] for ref in dict.fromkeys(pages) if ref in self._pages][:k]
        return [page_hit(page, 1.0, rank) for rank, page in enumerate(known_pages)]
