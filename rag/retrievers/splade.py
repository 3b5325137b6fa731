"""Learned sparse retrieval: texts as weighted terms of a masked language model's vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from pydantic import Field

from ohr.types import Chunk, Hit
from rag.retrievers._encoded import EncodedRetriever
from rag.retrievers._hits import hit_of
from rag.retrievers._local import LOCATION, ModelParams
from rag.retrievers._packaged import PackagedModel
from rag.retrievers._sparse import SparseVectors

INSTALL = "pip install torch 'sentence-transformers>=6.2'"


class SpladeParams(ModelParams):
    """``top_terms``: only this many terms of greatest weight count in each text; by default all.
    ``max_tokens``: longer texts are cut at this length, by default the model's own.
    ``batch_size``: each text needs memory for all its tokens times the whole vocabulary.
    """

    batch_size: int = Field(4, ge=1, le=1024)
    top_terms: int | None = Field(None, ge=1)
    max_tokens: int | None = Field(None, ge=2)


class Splade(PackagedModel[SpladeParams], EncodedRetriever[SpladeParams]):
    """SPLADE with maximum pooling (Formal et al. 2021, arXiv 2109.10086), searched exactly.

    A term's weight is the maximum over the text's tokens of log(1 + relu(logit)). It takes any
    checkpoint of a masked language model, and any SparseEncoder of sentence-transformers.
    """

    name = "splade"
    install = INSTALL
    model_class = "SparseEncoder"
    outside_identity = LOCATION
    of_search = frozenset({"top_terms"})

    def __init__(self, params: SpladeParams) -> None:
        EncodedRetriever.__init__(self, params)
        self._chunks: Sequence[Chunk] = ()
        self._index = SparseVectors([])

    def index(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = chunks
        texts = [chunk.indexed_text for chunk in chunks]
        vectors = self.collect("passages", texts, self.encode_passages)
        self._index = SparseVectors([self._heaviest(vector) for vector in vectors])

    def search_many(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        vectors = self.collect("queries", queries, self.encode_queries)
        return [
            [hit_of(self._chunks[i], score, rank) for rank, (i, score) in enumerate(hits)]
            for hits in self._index.search([self._heaviest(vector) for vector in vectors], k)
        ]

    def encode_passages(self, texts: list[str]) -> list[np.ndarray]:
        return self._encode(self._model.encode_document, texts)

    def encode_queries(self, texts: list[str]) -> list[np.ndarray]:
        return self._encode(self._model.encode_query, texts)

    def _encode(self, encode: Any, texts: list[str]) -> list[np.ndarray]:
        """Ids and weights of each text's terms, float32 ``(2, n)``, by id."""
        rows = encode(
            texts,
            batch_size=self.params.batch_size,
            show_progress_bar=False,
            convert_to_tensor=True,
            save_to_cpu=True,
        ).coalesce()
        (text_numbers, terms), weights = rows.indices().numpy(), rows.values().float().numpy()
        ends = np.searchsorted(text_numbers, np.arange(1, len(texts)))
        return np.split(np.stack([terms, weights]).astype(np.float32), ends, axis=1)

    def _heaviest(self, vector: np.ndarray) -> np.ndarray:
        """A vector's ``top_terms``; equal weights in order of their ids."""
        most = self.params.top_terms
        if most is None or most >= vector.shape[1]:
            return vector
        return vector[:, np.sort(np.argsort(-vector[1], kind="stable")[:most])]
