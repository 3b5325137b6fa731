"""Any local model of sentence-transformers."""

from __future__ import annotations

import numpy as np
from pydantic import Field

from rag.retrievers._dense import DenseParams
from rag.retrievers._local import LocalEncoder, ModelParams
from rag.retrievers._packaged import PackagedModel

INSTALL = "pip install torch sentence-transformers"


class SentenceTransformersParams(DenseParams, ModelParams):
    """``query_prompt``, ``passage_prompt``: text before each query or passage, for models that need
    it. ``max_tokens``: longer texts are cut at this length, by default the model's own.
    """

    query_prompt: str = ""
    passage_prompt: str = ""
    normalise: bool = True
    max_tokens: int | None = Field(None, ge=2)


class SentenceTransformers(
    PackagedModel[SentenceTransformersParams], LocalEncoder[SentenceTransformersParams]
):
    """Bi-encoder (Reimers and Gurevych 2019); cosine similarity unless ``normalise`` is off."""

    name = "sentence_transformers"
    stand_ins = {"onnx": "onnx_embeddings", "server": "openai_embeddings"}  # noqa: RUF012
    install = INSTALL
    model_class = "SentenceTransformer"

    def encode_passages(self, texts: list[str]) -> list[np.ndarray]:
        return self._encode(texts, self.params.passage_prompt)

    def encode_queries(self, texts: list[str]) -> list[np.ndarray]:
        return self._encode(texts, self.params.query_prompt)

    def _encode(self, texts: list[str], prompt: str) -> list[np.ndarray]:
        rows = self._model.encode(
            [prompt + text for text in texts],
            batch_size=self.params.batch_size,
            normalize_embeddings=self.params.normalise,
            show_progress_bar=False,
            convert_to_numpy=True,
        )
        return list(np.asarray(rows, dtype=np.float32))
