"""Embeddings of an OpenAI-compatible server (vLLM, llama.cpp, a provider ...)."""

from __future__ import annotations

from typing import Any

import numpy as np
from pydantic import Field

from ohr.errors import EngineError
from ohr.models.chat import TRANSPORT, ServerParams
from ohr.models.http import Endpoint
from rag.retrievers._dense import DenseParams, DenseRetriever


class OpenAiEmbeddingsParams(DenseParams, ServerParams):
    """``dimensions``: asked of models that can give fewer. ``query_prompt``, ``passage_prompt``:
    put before each text. ``batch_size``: texts a request.
    """

    dimensions: int | None = Field(None, ge=1)
    query_prompt: str = ""
    passage_prompt: str = ""
    batch_size: int = Field(64, ge=1, le=256)


class OpenAiEmbeddings(DenseRetriever[OpenAiEmbeddingsParams]):
    """Cosine similarity of the server's vectors. Texts leave the machine if the server is not
    on it.
    """

    name = "openai_embeddings"
    argument = "model"
    outside_identity = TRANSPORT | {"batch_size"}

    def encoder_version(self) -> str:
        """The user's ``revision``: a server does not tell which checkpoint it runs."""
        return str(self.params.revision)

    def encode_passages(self, texts: list[str]) -> list[np.ndarray]:
        return self._encode(texts, self.params.passage_prompt)

    def encode_queries(self, texts: list[str]) -> list[np.ndarray]:
        return self._encode(texts, self.params.query_prompt)

    def _encode(self, texts: list[str], prompt: str) -> list[np.ndarray]:
        params = self.params
        url = f"{params.base_url}/embeddings"
        endpoint = Endpoint(
            url, params.api_key_env, params.timeout_s, params.retries, params.retries
        )
        vectors: list[np.ndarray] = []
        for start in range(0, len(texts), params.batch_size):
            # Servers refuse an empty text.
            batch = [prompt + text or " " for text in texts[start : start + params.batch_size]]
            body: dict[str, Any] = {
                "model": params.model,
                "input": batch,
                "encoding_format": "float",
            }
            if params.dimensions is not None:
                body["dimensions"] = params.dimensions
            vectors += _vectors(endpoint.post(body), len(batch))
        if len({len(vector) for vector in vectors}) > 1:
            raise EngineError(f"{self.name}: vectors of different lengths")
        return vectors


def _vectors(answer: Any, n: int) -> list[np.ndarray]:
    """The answer's vectors, of length 1, in the order of the texts. Raises EngineError."""
    try:
        by_index = {
            int(item["index"]): np.array(item["embedding"], dtype=np.float32)
            for item in answer["data"]
        }
        vectors = [by_index[index] for index in range(n)]
        if any(v.ndim != 1 or not len(v) or not np.isfinite(v).all() for v in vectors):
            raise ValueError("not a vector")
    except (KeyError, TypeError, ValueError) as error:
        raise EngineError(f"an answer that is no list of {n} embeddings ({error!r})") from error
    norms = (float(np.linalg.norm(vector)) or 1.0 for vector in vectors)
    return [vector / np.float32(norm) for vector, norm in zip(vectors, norms, strict=True)]
