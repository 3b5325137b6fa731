"""Chunks of a fixed number of sentences, within a page."""

from __future__ import annotations

import re
from itertools import islice

from pydantic import Field

from ohr.plugins import Chunker, Params
from rag.chunking._pieces import Span, sentence_ends, split_spans

_BREAK = re.compile(r"\n[ \t]*\n\s*")
_FULL_WIDTH_END = re.compile("[\u3002\uff01\uff1f][\u300d\u300f\u201d\u2019\uff09)]*\\s*")


class SentenceChunkerParams(Params):
    """``size``: sentences per chunk."""

    size: int = Field(default=5, ge=1)


class SentenceChunker(Chunker[SentenceChunkerParams]):
    """Cuts after every ``size`` sentences. A blank line always ends a sentence."""

    name = "sentences"

    def spans(self, text: str) -> list[Span]:
        ends = set(sentence_ends(text, 0, len(text)))
        ends.update(match.end() for match in _BREAK.finditer(text))
        ends.update(match.end() for match in _FULL_WIDTH_END.finditer(text))
        sentences = split_spans(sorted(ends), text)
        starts = islice(sentences, self.params.size, None, self.params.size)
        return split_spans([start for start, _ in starts], text)
