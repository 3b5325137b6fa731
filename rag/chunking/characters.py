"""Chunks of a fixed number of characters, within a page."""

from __future__ import annotations

from pydantic import Field

from ohr.plugins import Chunker, Params
from rag.chunking._pieces import Span, split_spans


class CharacterChunkerParams(Params):
    """``size``: characters per chunk, white space included."""

    size: int = Field(default=1000, ge=1)


class CharacterChunker(Chunker[CharacterChunkerParams]):
    """Cuts after every ``size`` characters, even inside a word."""

    name = "characters"

    def spans(self, text: str) -> list[Span]:
        return split_spans(range(self.params.size, len(text), self.params.size), text)
