"""P4: sections found by their text, their keywords or their summary (MC-Indexing)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import Any

from pydantic import Field

from ohr.errors import EngineError
from ohr.models.threads import submitted
from ohr.plugins import Chat, Plugin, Retriever
from ohr.plugins.system import Stage
from ohr.types import Hit
from rag.systems._language import Language
from rag.systems._parts import Spec, chat_of
from rag.systems._passages import Passage
from rag.systems._retrieving import Key, key_of, size_of
from rag.systems._views import views_by_model, views_by_statistics
from rag.systems.p3 import SectionRetrieval, SectionsParams

DEPTH = 10
"""Hits of each view that are considered, per passage shown."""


class P4Params(SectionsParams):
    """``views``: the model that writes keywords and summaries; without one they are taken
    from the section by statistics. ``n_keywords``, ``n_sentences``: how many of each.
    """

    views: Spec | None = None
    n_keywords: int = Field(12, ge=1, le=100)
    n_sentences: int = Field(3, ge=1, le=20)


class P4(SectionRetrieval[P4Params]):
    """P3 with three views of a section, each in an index of its own: its text, its keywords and
    its summary. The sections found by any of them are shown as raw text.

    A section's rank is its best one in any view; ties are decided by the sum of 1 / (60 + rank)
    over the views. Views that a model fails to write are empty, and counted as ``views_failed``.
    Sources: Noe, Breier and Nuredini; Dong et al. 2024, Multi-view Content-aware Indexing.
    """

    name = "p4"
    outside_identity = SectionRetrieval.outside_identity | {"views"}
    n_views = 3

    def __init__(self, params: P4Params | None = None) -> None:
        super().__init__(params)
        self._writer: Chat | None = None
        self._writer_identity: dict[str, object] = {}
        if self.params.views is not None:
            self._writer = chat = chat_of(self.params.views)
            if isinstance(chat, Plugin):
                self._writer_identity = chat.identity()

            def written(
                writer: dict[str, object], text: str, n_keywords: int, n_sentences: int
            ) -> dict[str, Any]:
                return views_by_model(chat, text, n_keywords, n_sentences)

            self._write_views = Stage(written, "2")

    def identity(self) -> dict[str, object]:
        return super().identity() | {"views": self._writer_identity or "statistics"}

    def rank_passages(
        self,
        questions: Sequence[str],
        passages: Sequence[Passage],
        retrievers: Sequence[Retriever],
        language: Language,
    ) -> tuple[list[list[Hit]], dict[str, float]]:
        raw = [passage.chunk for passage in passages]
        views, views_usage = self._views(passages, language)
        indexed = [raw] + [
            [
                replace(chunk, text=view[index])
                for chunk, view in zip(raw, views, strict=True)
                if view[index]
            ]
            for index in (0, 1)
        ]
        depth = self.params.top_k * DEPTH
        by_view = []
        for retriever, chunks in zip(retrievers, indexed, strict=True):
            retriever.index(chunks)
            by_view.append(retriever.search_many(questions, depth))
        order = {key_of(passage): index for index, passage in enumerate(passages)}
        usage = size_of(chunk.indexed_text for chunks in indexed for chunk in chunks)
        rankings = [self._fuse(hits, order) for hits in zip(*by_view, strict=True)]
        return rankings, usage | views_usage

    def _fuse(self, by_view: Iterable[Sequence[Hit]], order: dict[Key, int]) -> list[Hit]:
        """The hits of all views, best first."""
        best: dict[Key, Hit] = {}
        gain: dict[Key, float] = {}
        for hits in by_view:
            for hit in hits:
                key = (hit.ref, *hit.span)
                gain[key] = gain.get(key, 0.0) + 1 / (60 + hit.rank + 1)
                if key not in best or hit.rank < best[key].rank:
                    best[key] = hit
        ranked = sorted(best, key=lambda key: (best[key].rank, -gain[key], order[key]))
        return [
            replace(best[key], rank=rank) for rank, key in enumerate(ranked[: self.params.top_k])
        ]

    def _views(
        self, passages: Sequence[Passage], language: Language
    ) -> tuple[list[list[str]], dict[str, float]]:
        """Keywords and summary of each passage, and the cost of a model that writes them."""
        counts = (self.params.n_keywords, self.params.n_sentences)
        views: list[list[str]] = []
        if self._writer is None:
            for _, of_document in groupby(
                passages, key=lambda passage: passage.pieces[0].ref.doc_id
            ):
                texts = [passage.text for passage in of_document]
                document_views = self.once(views_by_statistics, texts, language, *counts)
                views += document_views
            return views, {}
        writer = self._writer_identity
        calls = [
            partial(self.once, self._write_views, writer, passage.text, *counts)
            for passage in passages
        ]
        usage: Counter[str] = Counter()
        futures = submitted(calls, self._writer.at_once)
        try:
            for future in futures:
                try:
                    written = future.result()
                except EngineError:
                    views.append(["", ""])
                    usage["views_failed"] += 1
                else:
                    views.append(written["views"])
                    usage.update({f"views_{name}": n for name, n in written["usage"].items()})
        finally:
            for future in futures:
                future.cancel()
        return views, dict(usage)
