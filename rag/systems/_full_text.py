"""Prototypes that show documents whole, as far as a model's context goes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from pydantic import Field

from ohr.markup.outline.tree import DocumentTree
from rag.chunking.token_counter import cumulative_tokens
from rag.systems._language import Language
from rag.systems._passages import Passage, Piece, whole
from rag.systems._prototype import Prototype, PrototypeParams, Shown


class FullTextParams(PrototypeParams):
    """``max_context_tokens``: estimated; what is beyond is left out, and counted."""

    max_context_tokens: int = Field(8192, ge=16)


class FullText(Prototype[FullTextParams], abstract=True):
    """Shows every question the same: all documents in order, up to the context's limit."""

    def shown(
        self, questions: Sequence[str], trees: Sequence[DocumentTree], language: Language
    ) -> list[Shown]:
        passages = [passage for tree in trees if (passage := whole(tree)) is not None]
        kept, left = cut(passages, self.params.max_context_tokens)
        pages = sum(len(passage.pieces) for passage in passages)
        there = sum(len(passage.pieces) for passage in kept)
        trace = (f"shown: {there} of {pages} pages",)
        usage = {"contexts_cut": 1.0} if left else {}
        return [Shown(kept, trace, usage)] * len(questions)


def cut(passages: Sequence[Passage], budget: float) -> tuple[list[Passage], bool]:
    """Passages up to so many tokens, the last page perhaps in part; whether any was left out."""
    kept: list[Passage] = []
    for passage in passages:
        pieces: list[Piece] = []
        for piece in passage.pieces:
            before = cumulative_tokens(piece.text)
            if before[-1] > budget:
                end = int(np.searchsorted(before, budget, side="right")) - 1
                if piece.text[:end].strip():
                    pieces.append(replace(piece, text=piece.text[:end]))
                if pieces:
                    kept.append(replace(passage, pieces=tuple(pieces)))
                return kept, True
            pieces.append(piece)
            budget -= float(before[-1])
        kept.append(passage)
    return kept, False
