"""Chunks of one section each, with the headings above it stored beside the text."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from ohr.markup.headings import headings
from ohr.plugins import Chunker, Params
from rag.chunking._pieces import Span, split_spans
from rag.chunking.tokens import TokenChunker, TokenChunkerParams


class HeadingChunkerParams(Params):
    """``size``: most tokens per chunk; ``parents``: whether to index the headings above with it."""

    size: int = Field(default=1024, ge=1)
    parents: bool = True


class HeadingChunker(Chunker[HeadingChunkerParams]):
    """Cuts before each Markdown or LaTeX heading, and a long section as ``tokens`` does.

    Headings without text of their own go with the first text below them. A section that continues
    on the next page keeps its headings.
    """

    name = "headings"
    version = "2"

    def __init__(self, params: HeadingChunkerParams | None = None) -> None:
        super().__init__(params)
        self._tokens = TokenChunker(TokenChunkerParams(size=self.params.size))

    def identity(self) -> dict[str, object]:
        return super().identity() | {"tokens": self._tokens.identity()}

    def context(self, section: Sequence[str]) -> str:
        return "\n".join(section) if self.params.parents else ""

    def spans(self, text: str) -> list[Span]:
        marks = headings(text)
        cuts = [
            heading.start
            for heading, before in zip(marks, [None, *marks], strict=False)
            if before is None or text[before.end : heading.start].strip()
        ]
        return [
            (start + a, start + b)
            for start, end in split_spans(cuts, text)
            for a, b in self._tokens.spans(text[start:end])
        ]
