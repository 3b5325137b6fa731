"""BGE-M3: dense, lexical and multi-vector retrieval from one model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal

import numpy as np
from pydantic import Field, field_validator

from ohr.errors import ConfigError, MissingDependencyError
from ohr.store.identity import digest, file_digest
from ohr.types import Chunk, Hit
from rag.retrievers._dense import DenseParams, stack
from rag.retrievers._hits import hit_of
from rag.retrievers._local import LocalEncoder, ModelParams
from rag.retrievers._sparse import SparseVectors

INSTALL = "pip install torch 'transformers>=5.23' FlagEmbedding"
HEADS = ("colbert_linear.pt", "sparse_linear.pt")


class BgeM3Params(DenseParams, ModelParams):
    """``mode``: which of the model's scores ranks chunks. ``multi_vector`` and ``all`` score the
    best ``candidates`` of the dense search, as the model's authors do; ``all`` is the weighted mean
    of the three. ``weights``: of dense, sparse and multi-vector scores, by default the authors'.
    ``max_tokens``: longer chunks are cut.
    """

    mode: Literal["dense", "sparse", "multi_vector", "all"] = "dense"
    weights: tuple[float, float, float] = (1.0, 0.3, 1.0)
    candidates: int = Field(200, ge=1)
    max_tokens: int = Field(8192, ge=4, le=8192)

    @field_validator("weights")
    @classmethod
    def _check_weights(cls, weights: tuple[float, float, float]) -> tuple[float, float, float]:
        if min(weights) < 0 or not any(weights):
            raise ValueError("weights must not be negative, nor all 0")
        return weights


class BgeM3(LocalEncoder[BgeM3Params]):
    """BGE-M3 through FlagEmbedding (Chen et al. 2024). Chunks of up to 8,192 tokens."""

    name = "bge_m3"
    stand_ins = {"onnx": "onnx_embeddings", "server": "openai_embeddings"}  # noqa: RUF012
    install = INSTALL
    ranking = frozenset({"mode", "weights", "candidates"})
    outside_identity = LocalEncoder.outside_identity | ranking

    @classmethod
    def stand_in(cls, params: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]] | None:
        """Dense retrieval alone is possible with a server or an ONNX file. Raises ConfigError."""
        other = super().stand_in(params)
        if other is None:
            return None
        name, rest = other[0], dict(other[1])
        if (mode := rest.pop("mode", "dense")) != "dense":
            raise ConfigError(
                f"{cls.name}: mode {mode!r} needs the folder of the checkpoint: {name} has only "
                "the vectors of whole texts (mode: dense)"
            )
        return name, ({"pooling": "cls"} if name == "onnx_embeddings" else {}) | rest

    def __init__(self, params: BgeM3Params) -> None:
        super().__init__(params)
        self._lexical = SparseVectors([])
        self._word_cache: dict[str, np.ndarray] = {}

    def identity(self) -> dict[str, object]:
        ranking = self.params.model_dump(mode="json", include=set(self.ranking))
        return super().identity() | {"ranking": ranking}

    def encoder_version(self) -> str:
        try:
            package = f"FlagEmbedding {version('FlagEmbedding')}"
        except PackageNotFoundError as error:
            raise MissingDependencyError(
                f"{self.name}: FlagEmbedding is not installed: {self.install}"
            ) from error
        if missing := [name for name in HEADS if not (self._folder / name).is_file()]:
            # FlagEmbedding would continue with random weights.
            raise MissingDependencyError(
                f"{self.name}: {self._folder} lacks {' and '.join(missing)}: "
                "fetch the checkpoint again"
            )
        heads = digest([file_digest(self._folder / name) for name in HEADS])
        return f"{package}, {self.model_version()}, heads {heads}"

    @property
    def _scores_words(self) -> bool:
        return self.params.mode in ("sparse", "all")

    def index(self, chunks: Sequence[Chunk]) -> None:
        super().index(chunks)
        if self._scores_words:
            self._lexical = SparseVectors(
                self._word_vectors("passages", [chunk.indexed_text for chunk in chunks])
            )

    def search_many(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        mode = self.params.mode
        if mode == "dense" or self._nearest is None or not len(self._chunks):
            return super().search_many(queries, k)
        if mode == "sparse":
            rankings = self._lexical.search(self._word_vectors("queries", queries), k)
        else:
            rankings = self._rescore(queries, k)
        return [
            [hit_of(self._chunks[i], score, rank) for rank, (i, score) in enumerate(hits)]
            for hits in rankings
        ]

    def _rescore(self, queries: Sequence[str], k: int) -> list[list[tuple[int, float]]]:
        assert self._nearest is not None
        vectors = self.collect("queries", queries, self.encode_queries)
        candidates = self._nearest.search(stack(vectors), max(k, self.params.candidates))
        indices = sorted({i for hits in candidates for i, _ in hits})
        texts = [self._chunks[i].indexed_text for i in indices]
        passages = self.collect("passages of many vectors", texts, self._encode_many_vectors)
        passage_vectors = dict(zip(indices, passages, strict=True))
        query_vectors = self.collect("queries of many vectors", queries, self._encode_many_vectors)
        words = None
        if self._scores_words:
            words = self._lexical.scores(self._word_vectors("queries", queries))
        dense, lexical, multi = self.params.weights
        rankings = []
        for index, hits in enumerate(candidates):
            scored = []
            for i, product in hits:
                # The mean over the query's tokens of the best match among the passage's.
                score = float((query_vectors[index] @ passage_vectors[i].T).max(axis=1).mean())
                if words is not None:
                    score = dense * product + lexical * float(words[index, i]) + multi * score
                    score /= dense + lexical + multi
                scored.append((i, score))
            rankings.append(sorted(scored, key=lambda hit: (-hit[1], hit[0]))[:k])
        return rankings

    def _word_vectors(self, kind: str, texts: Sequence[str]) -> list[np.ndarray]:
        return self.collect(f"{kind} in words", texts, self._encode_words)

    def encode_passages(self, texts: list[str]) -> list[np.ndarray]:
        return self._encode_dense(texts)

    def encode_queries(self, texts: list[str]) -> list[np.ndarray]:
        return self._encode_dense(texts)

    def _encode_dense(self, texts: list[str]) -> list[np.ndarray]:
        output = self._encode(texts, return_dense=True, return_sparse=self._scores_words)
        if self._scores_words:  # at no extra cost
            words = map(_word_array, output["lexical_weights"])
            self._word_cache.update(zip(texts, words, strict=True))
        return list(np.asarray(output["dense_vecs"], dtype=np.float32))

    def _encode_words(self, texts: list[str]) -> list[np.ndarray]:
        pending = [text for text in texts if text not in self._word_cache]
        if pending:
            word_weights = self._encode(pending, return_sparse=True)["lexical_weights"]
            self._word_cache.update(zip(pending, map(_word_array, word_weights), strict=True))
        return [self._word_cache.pop(text) for text in texts]

    def _encode_many_vectors(self, texts: list[str]) -> list[np.ndarray]:
        vectors = self._encode(texts, return_colbert_vecs=True)["colbert_vecs"]
        return [np.asarray(array, dtype=np.float32) for array in vectors]

    def _encode(self, texts: list[str], **outputs: bool) -> dict[str, Any]:
        flags = dict.fromkeys(("return_dense", "return_sparse", "return_colbert_vecs"), False)
        output: dict[str, Any] = self._model.encode(
            texts,
            batch_size=self.params.batch_size,
            max_length=self.params.max_tokens,
            **flags | outputs,
        )
        return output

    @cached_property
    def _model(self) -> Any:
        package = self._package("FlagEmbedding")
        with self._loading():
            return package.BGEM3FlagModel(
                str(self._folder),
                use_fp16=self._dtype == "float16",
                use_bf16=self._dtype == "bfloat16",
                devices=[self._device],
            )


def _word_array(weights: dict[str, float]) -> np.ndarray:
    """Token ids and their weights as two rows: float32 represents the ids exactly."""
    pairs = sorted((int(token), float(weight)) for token, weight in weights.items())
    return np.array(pairs, dtype=np.float32).reshape(-1, 2).T
