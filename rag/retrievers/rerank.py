"""Another retriever's hits, re-ranked by a cross-encoder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from pydantic import Field

from ohr.errors import ConfigError
from ohr.models.local import LocalModel
from ohr.plugins import Retriever
from ohr.plugins.retriever import LeftOut
from ohr.registry import PluginSpec
from ohr.store.artefacts import ArtefactStore
from ohr.types import Chunk, Hit
from rag.retrievers._local import ModelParams, encode_batches
from rag.retrievers._nested import Spec, create
from rag.retrievers._vectors import VectorStore

INSTALL = "pip install torch 'transformers>=5.23'"


class RerankParams(ModelParams):
    """``retriever``: its best ``depth`` hits are re-ranked; if more are needed, the next ``depth``
    hits are re-ranked among themselves, and so on. ``max_tokens``: in longer pairs of question and
    chunk, the chunk is cut.
    """

    retriever: Spec = PluginSpec(name="bm25")
    depth: int = Field(50, ge=1)
    max_tokens: int = Field(512, ge=8)


class Rerank(LocalModel[RerankParams], Retriever[RerankParams]):
    """Any sequence classifier over pairs: ELECTRA and MiniLM cross-encoders, BGE re-rankers.

    The score is the single logit, or the second of two logits less the first.
    """

    name = "rerank"
    install = INSTALL

    def __init__(self, params: RerankParams) -> None:
        super().__init__(params)
        self._inner = create(params.retriever)
        self.whole_pages = self._inner.whole_pages
        self._scores = VectorStore()

    def identity(self) -> dict[str, object]:
        depth = self.params.depth
        params = {"depth": depth, "retriever": self._inner.identity(), "version": "2"}
        return self._scorer_identity() | {"ranking": params}

    def _scorer_identity(self) -> dict[str, object]:
        """What the score of a pair depends on."""
        return {
            "name": self.name,
            "version": self.version,
            "params": {"max_tokens": self.params.max_tokens},
            "model_version": self.model_version(),
        }

    def use_store(self, store: ArtefactStore) -> None:
        self._inner.use_store(store)
        self._scores = VectorStore(store.folder("pairs", self._scorer_identity()))

    def index(self, chunks: Sequence[Chunk]) -> None:
        self._inner.index(chunks)

    def search_many(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        depth = self.params.depth
        # Whole blocks, so that no hit depends on k.
        rankings = self._inner.search_many(queries, -(-k // depth) * depth)
        pairs = [
            json.dumps([query, hit.text], ensure_ascii=False)
            for query, hits in zip(queries, rankings, strict=True)
            for hit in hits
        ]
        scores = iter(self._scores.collect(pairs, self._score))
        reranked = []
        for hits in rankings:
            scored = [(float(next(scores)[0]), hit) for hit in hits]
            best = sorted(scored, key=lambda pair: (pair[1].rank // depth, -pair[0], pair[1].rank))[
                :k
            ]
            reranked.append(
                [
                    Hit(hit.ref, hit.text, score, rank, hit.span)
                    for rank, (score, hit) in enumerate(best)
                ]
            )
        return reranked

    def left_out(self) -> LeftOut:
        return self._inner.left_out()

    def _score(self, pairs: list[str]) -> list[np.ndarray]:
        return encode_batches(pairs, self.params.batch_size, self._score_batch)

    def _score_batch(self, pairs: list[str]) -> np.ndarray:
        model, tokenizer = self._loaded
        questions, texts = zip(*map(json.loads, pairs), strict=True)
        inputs = tokenizer(
            list(questions),
            list(texts),
            padding=True,
            truncation="only_second",
            max_length=self.params.max_tokens,
            return_tensors="pt",
        )
        with self._torch.inference_mode():
            logits = model(**inputs.to(model.device)).logits.float().cpu().numpy()
        scores = logits[:, 0] if logits.shape[1] == 1 else logits[:, 1] - logits[:, 0]
        return np.asarray(scores)[:, None]

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        with self._loading():
            tokenizer = self._transformers.AutoTokenizer.from_pretrained(
                self._folder, local_files_only=True
            )
            model = self._load("AutoModelForSequenceClassification")
        if model.config.num_labels > 2:
            raise ConfigError(
                f"{self.name}: {self._folder} gives {model.config.num_labels} scores to a pair; "
                "a re-ranker gives one or two"
            )
        return model, tokenizer
