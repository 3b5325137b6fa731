"""Another retriever's hits, re-ranked by a cross-encoder in an ONNX file, without torch."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from pydantic import Field

from ohr.errors import ConfigError
from ohr.models.onnx_models import OnnxModel
from rag.retrievers._local import encode_batches
from rag.retrievers._reranked import DepthParams, Reranker, pair_scores


class RerankOnnxParams(DepthParams):
    """``model``: an ONNX file, or a folder with one; ``tokenizer.json`` is beside it or one folder
    above. ``retriever``: its best ``depth`` hits are re-ranked, then the next ``depth``, and so on.
    ``max_tokens``: in longer pairs of question and chunk, the chunk is cut.
    """

    model: str = Field(min_length=1)
    max_tokens: int = Field(512, ge=8)
    batch_size: int = Field(32, ge=1, le=1024)


class RerankOnnx(Reranker[RerankOnnxParams]):
    """A sequence classifier over pairs, run by ONNX Runtime; the score is as that of ``rerank``."""

    name = "rerank_onnx"
    argument = "model"

    def scorer_identity(self) -> dict[str, object]:
        return {
            "name": self.name,
            "version": self.version,
            "params": {"max_tokens": self.params.max_tokens},
            "model_version": self._model.model_version(),
        }

    def score(self, pairs: list[str]) -> Sequence[np.ndarray]:
        return encode_batches(pairs, self.params.batch_size, self._score_batch)

    def _score_batch(self, pairs: list[str]) -> np.ndarray:
        questions, texts = zip(*map(json.loads, pairs), strict=True)
        logits = self._model.run(questions, texts)[0]
        if logits.ndim != 2 or logits.shape[1] > 2:
            size = " x ".join(map(str, logits.shape[1:])) or "no"
            raise ConfigError(
                f"{self.name}: {self._model.path} gives {size} scores to a pair; "
                "a re-ranker gives one or two"
            )
        return pair_scores(logits.astype(np.float32))

    @cached_property
    def _model(self) -> OnnxModel:
        params = self.params
        return OnnxModel(self.name, params.model, params.max_tokens, ("onnx",))
