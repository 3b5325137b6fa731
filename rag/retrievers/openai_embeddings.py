"""Embeddings of an OpenAI-compatible server (vLLM, llama.cpp, a provider ...)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from pydantic import Field

from ohr.errors import EngineError, MissingDependencyError
from ohr.models.chat import TRANSPORT, ServerParams, not_understood
from ohr.models.error_bodies import quoted
from ohr.models.http import Endpoint
from ohr.models.origins import note_embedding
from ohr.models.spending import check_affordable, note_spending
from ohr.models.token_counts import tokens_read
from rag.chunking.token_counter import count_tokens
from rag.retrievers._dense import DenseParams, DenseRetriever

PROBE = "word"
"""A text to test a server that failed at a text and has embedded nothing yet."""


class OpenAiEmbeddingsParams(DenseParams, ServerParams):
    """``dimensions``: of the vectors, for models that support fewer. ``query_prompt``,
    ``passage_prompt``: text before each query or passage. ``batch_size``: texts per request.
    ``prompt_price``: the price of a million tokens, in any currency.
    """

    dimensions: int | None = Field(None, ge=1)
    query_prompt: str = ""
    passage_prompt: str = ""
    batch_size: int = Field(64, ge=1, le=256)
    prompt_price: float = Field(0.0, ge=0)


class OpenAiEmbeddings(DenseRetriever[OpenAiEmbeddingsParams]):
    """Cosine similarity of the server's vectors. Texts leave the machine unless the server runs on
    it.

    A request that fails is sent again in halves, down to the single text that the server cannot
    embed, such as one that is too long. That text, and one whose vector is all zeros or not finite,
    is left out and counted; the others are ranked.
    """

    name = "openai_embeddings"
    version = "2"
    argument = "model"
    outside_identity = TRANSPORT | {"batch_size", "prompt_price"}

    def __init__(self, params: OpenAiEmbeddingsParams) -> None:
        super().__init__(params)
        self._has_embedded = False
        """Whether the server has embedded anything in this run."""

    def encoder_version(self) -> str:
        """The user's ``revision``, since a server does not report its checkpoint."""
        return str(self.params.revision)

    def encode_passages(self, texts: list[str]) -> list[np.ndarray | None]:
        return self._encode(texts, self.params.passage_prompt)

    def encode_queries(self, texts: list[str]) -> list[np.ndarray | None]:
        return self._encode(texts, self.params.query_prompt)

    def _encode(self, texts: list[str], prompt: str) -> list[np.ndarray | None]:
        """A vector of length 1 for each text, or None with a recorded reason.

        Texts that failed in this run are not tried again. Raises EngineError for a server that
        embeds nothing, MissingDependencyError, and ConfigError for what would exceed ``max_cost``.
        """
        # All at once: vectors are stored when all are there, and a stop would lose paid ones.
        unsent = [text for text in texts if text not in self._failure_reasons]
        check_affordable(self.name, self._cost(_tokens([prompt + text for text in unsent])))
        vectors: list[np.ndarray | None] = []
        for start in range(0, len(texts), self.params.batch_size):
            batch = texts[start : start + self.params.batch_size]
            to_send = [text for text in batch if text not in self._failure_reasons]
            # Servers refuse an empty text.
            embedded = self._embed([prompt + text or " " for text in to_send])
            by_text = dict(zip(to_send, embedded, strict=True))
            for text, result in by_text.items():
                if isinstance(result, str):
                    self._failure_reasons[text] = result
            results = (by_text.get(text) for text in batch)
            vectors += [None if isinstance(result, str) else result for result in results]
        lengths = sorted({len(vector) for vector in vectors if vector is not None})
        if len(lengths) > 1:
            raise self._width_error(*lengths[:2])
        return vectors

    def _embed(self, texts: list[str], *, halved: bool = False) -> list[np.ndarray | str]:
        """The vector of each text, or why there is none."""
        if not texts:
            return []
        results = self._request(texts, halved=halved)
        if not isinstance(results, str):
            self._has_embedded |= any(not isinstance(result, str) for result in results)
            if len(texts) > 1:  # a vector may be bad only because of the other texts
                return [
                    self._embed([text], halved=True)[0] if isinstance(result, str) else result
                    for text, result in zip(texts, results, strict=True)
                ]
            [reason] = results
        elif len(texts) > 1:
            half = len(texts) // 2
            parts = texts[:half], texts[half:]
            return [result for part in parts for result in self._embed(part, halved=True)]
        else:
            reason = results
        if isinstance(reason, str):
            self._check_works(reason)
        return [reason]

    def _request(self, texts: list[str], *, halved: bool) -> list[np.ndarray | str] | str:
        """One request: the vectors, or its error. Raises MissingDependencyError.

        The parts of a halved request are retried less, since their texts have been tried before.
        """
        endpoint = self._endpoint()
        if halved:
            endpoint = replace(endpoint, retries=min(endpoint.retries, int(self._has_embedded)))
        try:
            answer = endpoint.post(self._body(texts))
            note_spending(self.name, self._cost(tokens_read(answer, lambda: _tokens(texts))))
            note_embedding(self.params.model, answer)
            return _vectors(answer, texts)
        except MissingDependencyError as error:
            raise MissingDependencyError(f"{self.name}: {error}") from error
        except EngineError as error:
            return " ".join(str(error).split())[:500]

    def _check_works(self, reason: str) -> None:
        """Raise EngineError for a server that has embedded nothing so far and fails at a single
        word too: then the cause is not the text.
        """
        if self._has_embedded or any(map(len, self._vectors.values())):
            return
        results = self._request([PROBE], halved=True)
        if isinstance(results, str) or isinstance(results[0], str):
            raise EngineError(
                f"{self.name}: {self._endpoint().url} embeds no text, not even {PROBE!r}: "
                f"{reason}: correct model, base_url or the other parameters"
            )
        self._has_embedded = True

    def _cost(self, tokens: float) -> float:
        return tokens * self.params.prompt_price / 1e6

    def _endpoint(self) -> Endpoint:
        return self.params.endpoint(self.params.retries, "embeddings", "data")

    def _body(self, texts: list[str]) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.params.model,
            "input": texts,
            "encoding_format": "float",
        }
        if self.params.dimensions is not None:
            body["dimensions"] = self.params.dimensions
        return body


def _tokens(texts: Sequence[str]) -> float:
    """About how many tokens texts have."""
    return float(sum(map(count_tokens, texts)))


def _vectors(answer: Any, texts: Sequence[str]) -> list[np.ndarray | str]:
    """The answer's vectors, of length 1, in the order of the texts, or what is wrong with one.

    Raises EngineError if the answer is not a list of embeddings.
    """
    n = len(texts)
    try:
        by_index = {int(item["index"]): item["embedding"] for item in answer["data"]}
        if not any(index in by_index for index in range(n)):
            raise IndexError("none of the texts")
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise not_understood(f"list of {n} embeddings", error, answer) from error
    return [
        _vector(by_index[index], blank=not text.strip())
        if index in by_index
        else "the answer has no vector of it"
        for index, text in enumerate(texts)
    ]


def _vector(numbers: Any, *, blank: bool) -> np.ndarray | str:
    """A vector of length 1, or what is wrong with it. A ``blank`` text may have a zero vector."""
    try:
        with np.errstate(over="ignore"):
            vector = np.array(numbers, dtype=np.float32)
    except (TypeError, ValueError):
        return f"no vector: {quoted(numbers)}"
    if vector.ndim != 1 or not len(vector):
        return f"no vector: {quoted(numbers)}"
    if not np.isfinite(vector).all():
        return f"a vector with {int((~np.isfinite(vector)).sum())} numbers that are not finite"
    norm = float(np.linalg.norm(vector))
    if not norm and not blank:
        return f"a vector of {len(vector)} zeros"
    return vector / np.float32(norm or 1.0)
