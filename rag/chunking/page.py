"""One chunk per page."""

from __future__ import annotations

from ohr.plugins import Chunker
from rag.chunking._pieces import Span, split_spans


class PageChunker(Chunker):
    """Leaves pages whole."""

    name = "page"

    def spans(self, text: str) -> list[Span]:
        return split_spans([], text)
