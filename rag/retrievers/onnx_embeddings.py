"""Sentence encoders in ONNX files: dense retrieval without torch."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal

import numpy as np
from pydantic import Field

from ohr.errors import ConfigError
from ohr.models.onnx_models import OnnxModel
from rag.retrievers._dense import DenseParams, DenseRetriever
from rag.retrievers._local import encode_batches

POOLING = "1_Pooling/config.json"


class OnnxEmbeddingsParams(DenseParams):
    """``model``: an ONNX file, or a folder with one; ``tokenizer.json`` is beside it or one folder
    above. ``pooling``: how the vectors of tokens become one: ``auto`` is as ``1_Pooling`` beside
    the model says. ``query_prompt``, ``passage_prompt``: text before each query or passage.
    ``max_tokens``: longer texts are cut, by default where the tokenizer's files say.
    """

    model: str = Field(min_length=1)
    pooling: Literal["auto", "mean", "cls"] = "auto"
    query_prompt: str = ""
    passage_prompt: str = ""
    normalise: bool = True
    max_tokens: int | None = Field(None, ge=2)
    batch_size: int = Field(32, ge=1, le=1024)


class OnnxEmbeddings(DenseRetriever[OnnxEmbeddingsParams]):
    """Bi-encoder in an ONNX file; cosine similarity unless ``normalise`` is off.

    An output ``sentence_embedding`` or ``dense_vecs``, or one of two dimensions, is the vector;
    otherwise the first output's vectors of tokens are pooled.
    """

    name = "onnx_embeddings"
    argument = "model"
    outside_identity = frozenset({"model", "batch_size"})

    def encoder_version(self) -> str:
        limit = self.params.max_tokens or self._model.own_limit
        return f"{self._model.model_version()}, pooling {self._pooling}, {limit} tokens"

    def encode_passages(self, texts: list[str]) -> list[np.ndarray]:
        return self._encode(texts, self.params.passage_prompt)

    def encode_queries(self, texts: list[str]) -> list[np.ndarray]:
        return self._encode(texts, self.params.query_prompt)

    @cached_property
    def _model(self) -> OnnxModel:
        params = self.params
        return OnnxModel(self.name, params.model, params.max_tokens, ("onnx",))

    @cached_property
    def _pooling(self) -> str:
        """``mean``, ``cls``, or ``""`` where nothing says which."""
        if self.params.pooling != "auto":
            return self.params.pooling
        config = self._model.json_beside(POOLING)
        modes = [key for key in config if key.startswith("pooling_mode_") and config[key] is True]
        if len(modes) > 1:  # vectors of several kinds, one after the other
            return ""
        for name, key in (("mean", "pooling_mode_mean_tokens"), ("cls", "pooling_mode_cls_token")):
            if config.get(key) is True or config.get("pooling_mode") == name:
                return name
        return ""

    def _encode(self, texts: list[str], prompt: str) -> list[np.ndarray]:
        prompted = [prompt + text for text in texts]
        return encode_batches(prompted, self.params.batch_size, self._vectors_of_batch)

    def _vectors_of_batch(self, texts: list[str]) -> np.ndarray:
        outputs = self._model.run(texts)
        vectors: np.ndarray = self._pooled(outputs).astype(np.float32)
        if self.params.normalise:
            norms = np.linalg.norm(vectors, axis=1, keepdims=True)
            vectors /= np.where(norms > 0, norms, 1)
        return vectors

    def _pooled(self, outputs: list[np.ndarray]) -> np.ndarray:
        for name in ("sentence_embedding", "dense_vecs"):
            if (vectors := self._model.output(outputs, name)) is not None:
                return vectors
        tokens, mask = outputs[0], outputs[-1]
        if tokens.ndim == 2:
            return tokens
        if tokens.ndim != 3 or tokens.shape[:2] != mask.shape:
            raise ConfigError(
                f"{self.name}: {self._model.path} gives no vectors of texts or tokens"
            )
        if self._model.has_dense_layer:
            raise ConfigError(
                f"{self.name}: {self._model.path} gives vectors of tokens, and modules.json names "
                "a further layer, which is not in it: export the whole model"
            )
        if not self._pooling:
            raise ConfigError(
                f"{self.name}: {self._model.path} gives vectors of tokens, and no {POOLING} beside "
                "it says how they become one: name pooling: mean or cls"
            )
        if self._pooling == "cls":
            return np.asarray(tokens[:, 0])
        weights: Any = mask[:, :, None].astype(np.float32)
        return np.asarray((tokens * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1))
