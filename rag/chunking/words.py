"""Chunks of so many words, within a page, as passages of 100 words in dense retrieval."""

from __future__ import annotations

import re
from itertools import islice

from pydantic import Field

from ohr.plugins import Chunker, Params
from rag.chunking._pieces import Span, between

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_CJK}]|[^\s{_CJK}]+")


class WordChunkerParams(Params):
    """``size``: words a chunk."""

    size: int = Field(default=100, ge=1)


class WordChunker(Chunker[WordChunkerParams]):
    """Cuts before every so many words (Karpukhin et al. 2020). An ideograph is a word."""

    name = "words"

    def spans(self, text: str) -> list[Span]:
        starts = (match.start() for match in _WORD.finditer(text))
        return between(islice(starts, self.params.size, None, self.params.size), text)
