"""Another retriever's hits, re-ranked by a cross-encoder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from pydantic import Field

from ohr.errors import ConfigError
from ohr.models.checkpoints import is_causal
from ohr.models.local import LocalModel
from rag.retrievers._local import ModelParams, encode_batches
from rag.retrievers._reranked import DepthParams, Reranker, pair_scores
from rag.retrievers._yes_logits import yes_logits

INSTALL = "pip install torch 'transformers>=5.23'"


class RerankParams(DepthParams, ModelParams):
    """``retriever``: its best ``depth`` hits are re-ranked; if more are needed, the next ``depth``
    hits are re-ranked among themselves, and so on. ``max_tokens``: in longer pairs of question and
    chunk, the chunk is cut.
    """

    max_tokens: int = Field(512, ge=8)


class Rerank(LocalModel[RerankParams], Reranker[RerankParams]):
    """Any sequence classifier over pairs: ELECTRA and MiniLM cross-encoders, BGE re-rankers.

    The score is the single logit, or the second of two logits less the first. A language model
    (BGE's re-ranker of Gemma) is asked as FlagEmbedding asks it; the score is the logit of *Yes*.
    """

    name = "rerank"
    install = INSTALL
    stand_ins = {"onnx": "rerank_onnx", "server": "rerank_server"}  # noqa: RUF012

    def __init__(self, params: RerankParams) -> None:
        Reranker.__init__(self, params)

    def scorer_identity(self) -> dict[str, object]:
        return {
            "name": self.name,
            "version": self.version,
            "params": {"max_tokens": self.params.max_tokens},
            "model_version": self.model_version(),
        }

    def score(self, pairs: list[str]) -> Sequence[np.ndarray]:
        return encode_batches(pairs, self.params.batch_size, self._score_batch)

    def _score_batch(self, pairs: list[str]) -> np.ndarray:
        model, tokenizer = self._loaded
        questions, texts = zip(*map(json.loads, pairs), strict=True)
        limit = self.params.max_tokens
        if is_causal(self._folder):
            together = list(zip(questions, texts, strict=True))
            return yes_logits(self._torch, model, tokenizer, together, limit)
        inputs = tokenizer(
            list(questions),
            list(texts),
            padding=True,
            truncation="only_second",
            max_length=limit,
            return_tensors="pt",
        )
        with self._torch.inference_mode():
            logits = model(**inputs.to(model.device)).logits.float().cpu().numpy()
        return pair_scores(logits)

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        kind = "CausalLM" if is_causal(self._folder) else "SequenceClassification"
        with self._loading():
            tokenizer = self._transformers.AutoTokenizer.from_pretrained(
                self._folder, local_files_only=True
            )
            model = self._load(f"AutoModelFor{kind}")
        if kind != "CausalLM" and model.config.num_labels > 2:
            raise ConfigError(
                f"{self.name}: {self._folder} gives {model.config.num_labels} scores to a pair; "
                "a re-ranker gives one or two"
            )
        return model, tokenizer
