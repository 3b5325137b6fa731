"""Prototypes that show whole documents, up to the limit of a model's context."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from pydantic import Field

from ohr.markup.outline.tree import DocumentTree
from rag.chunking.token_counter import cumulative_tokens
from rag.systems._language import Language
from rag.systems._passages import Passage, Piece, whole_document
from rag.systems._prototype import Prototype, PrototypeParams, Selection


class FullTextParams(PrototypeParams):
    """``max_context_tokens``: estimated; text beyond it is left out, and counted."""

    max_context_tokens: int = Field(8192, ge=16)


class FullText(Prototype[FullTextParams], abstract=True):
    """Shows the same for every question: all documents in order, up to the context's limit."""

    def select(
        self, questions: Sequence[str], trees: Sequence[DocumentTree], language: Language
    ) -> list[Selection]:
        passages = [passage for tree in trees if (passage := whole_document(tree)) is not None]
        selected, is_cut = cut(passages, self.params.max_context_tokens)
        n_pages = sum(len(passage.pieces) for passage in passages)
        n_shown = sum(len(passage.pieces) for passage in selected)
        trace = (f"shown: {n_shown} of {n_pages} pages",)
        usage = {"contexts_cut": 1.0} if is_cut else {}
        return [Selection(selected, trace, usage)] * len(questions)


def cut(passages: Sequence[Passage], budget: float) -> tuple[list[Passage], bool]:
    """Passages of up to ``budget`` tokens, the last page perhaps in part; whether any was cut."""
    selected: list[Passage] = []
    for passage in passages:
        pieces: list[Piece] = []
        for piece in passage.pieces:
            before = cumulative_tokens(piece.text)
            if before[-1] > budget:
                end = int(np.searchsorted(before, budget, side="right")) - 1
                if piece.text[:end].strip():
                    pieces.append(replace(piece, text=piece.text[:end]))
                if pieces:
                    selected.append(replace(passage, pieces=tuple(pieces)))
                return selected, True
            pieces.append(piece)
            budget -= float(before[-1])
        selected.append(passage)
    return selected, False
