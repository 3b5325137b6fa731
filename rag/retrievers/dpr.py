"""Dense Passage Retrieval: one encoder for questions, another for passages."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from pydantic import Field

from ohr.models.local import LocalModel
from rag.retrievers._dense import DenseParams, DenseRetriever
from rag.retrievers._local import LOCATION, DeviceParams, ModelParams, encode_batches

INSTALL = "pip install torch 'transformers>=5.23'"


class DprParams(DenseParams, DeviceParams):
    """``question_model``, ``passage_model``: folders with the two checkpoints, or hub names in
    the local cache. ``max_tokens``: longer texts are cut.
    """

    question_model: str = Field(min_length=1)
    passage_model: str = Field(min_length=1)
    max_tokens: int = Field(256, ge=4, le=512)


class _Encoder(LocalModel[ModelParams]):
    name = "dpr"
    install = INSTALL

    def __init__(self, params: ModelParams, model_class: str) -> None:
        super().__init__(params)
        self._model_class = model_class

    def encode(self, texts: list[str], max_tokens: int) -> np.ndarray:
        model, tokenizer = self._loaded
        inputs = tokenizer(
            texts, padding=True, truncation=True, max_length=max_tokens, return_tensors="pt"
        )
        with self._torch.inference_mode():
            pooled = model(**inputs.to(model.device)).pooler_output
        return np.asarray(pooled.float().cpu().numpy())

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        with self._loading():
            tokenizer = self._transformers.AutoTokenizer.from_pretrained(
                self._folder, local_files_only=True
            )
            return self._load(self._model_class), tokenizer


class Dpr(DenseRetriever[DprParams]):
    """Dot product of the two encoders' vectors (Karpukhin et al. 2020); use chunks of ``words``."""

    name = "dpr"
    outside_identity = LOCATION | {"question_model", "passage_model"}

    def __init__(self, params: DprParams) -> None:
        super().__init__(params)
        shared = params.model_dump(include=set(DeviceParams.model_fields))
        self._questions, self._passages = (
            _Encoder(ModelParams(model=model, **shared), f"DPR{kind}Encoder")
            for model, kind in (
                (params.question_model, "Question"),
                (params.passage_model, "Context"),
            )
        )

    def encoder_version(self) -> str:
        return f"{self._questions.model_version()}; {self._passages.model_version()}"

    def encode_passages(self, texts: list[str]) -> list[np.ndarray]:
        return self._encode(self._passages, texts)

    def encode_queries(self, texts: list[str]) -> list[np.ndarray]:
        return self._encode(self._questions, texts)

    def _encode(self, encoder: _Encoder, texts: list[str]) -> list[np.ndarray]:
        params = self.params
        return encode_batches(
            texts, params.batch_size, lambda batch: encoder.encode(batch, params.max_tokens)
        )
