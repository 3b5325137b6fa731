"""Chunks of a fixed number of words, within a page: dense retrieval uses passages of 100 words."""

from __future__ import annotations

import re
from itertools import islice

from pydantic import Field

from ohr.plugins import Chunker, Params
from rag.chunking._pieces import Span, split_spans

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_CJK}]|[^\s{_CJK}]+")


class WordChunkerParams(Params):
    """``size``: words per chunk."""

    size: int = Field(default=100, ge=1)


class WordChunker(Chunker[WordChunkerParams]):
    """Cuts after every ``size`` words (Karpukhin et al. 2020). An ideograph counts as a word."""

    name = "words"

    def spans(self, text: str) -> list[Span]:
        starts = (match.start() for match in _WORD.finditer(text))
        return split_spans(islice(starts, self.params.size, None, self.params.size), text)
