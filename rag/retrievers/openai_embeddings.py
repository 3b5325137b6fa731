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
from rag.retrievers._dense import DenseParams, DenseRetriever

PROBE = "word"
"""What a server is asked to embed where it has embedded nothing yet and fails at a text."""


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

    A request that fails is sent again in halves, down to the one text that the server cannot
    embed, as one that is too long. That text, and one whose vector is all zeros or not finite, is
    left out and counted; the others are ranked.
    """

    name = "openai_embeddings"
    version = "2"
    argument = "model"
    outside_identity = TRANSPORT | {"batch_size"}

    def __init__(self, params: OpenAiEmbeddingsParams) -> None:
        super().__init__(params)
        self._works = False
        """Whether the server has embedded anything in this run."""

    def encoder_version(self) -> str:
        """The user's ``revision``: a server does not tell which checkpoint it runs."""
        return str(self.params.revision)

    def encode_passages(self, texts: list[str]) -> list[np.ndarray | None]:
        return self._encode(texts, self.params.passage_prompt)

    def encode_queries(self, texts: list[str]) -> list[np.ndarray | None]:
        return self._encode(texts, self.params.query_prompt)

    def _encode(self, texts: list[str], prompt: str) -> list[np.ndarray | None]:
        """A vector of length 1 for each text, None with a reason for one that has none.

        What failed in this run is not tried again. Raises EngineError for a server that embeds
        nothing, and MissingDependencyError.
        """
        vectors: list[np.ndarray | None] = []
        for start in range(0, len(texts), self.params.batch_size):
            batch = texts[start : start + self.params.batch_size]
            to_send = [text for text in batch if text not in self._reasons]
            # Servers refuse an empty text.
            found = self._embedded([prompt + text or " " for text in to_send])
            by_text = dict(zip(to_send, found, strict=True))
            for text, one in by_text.items():
                if isinstance(one, str):
                    self._reasons[text] = one
            results = (by_text.get(text) for text in batch)
            vectors += [None if isinstance(one, str) else one for one in results]
        lengths = sorted({len(vector) for vector in vectors if vector is not None})
        if len(lengths) > 1:
            raise self._unequal(*lengths[:2])
        return vectors

    def _embedded(self, texts: list[str], *, halved: bool = False) -> list[np.ndarray | str]:
        """The vector of each text that is sent, or why there is none."""
        if not texts:
            return []
        found = self._asked(texts, halved=halved)
        if not isinstance(found, str):
            self._works |= any(not isinstance(one, str) for one in found)
            if len(texts) > 1:  # a vector may be bad for its company alone
                return [
                    self._embedded([text], halved=True)[0] if isinstance(one, str) else one
                    for text, one in zip(texts, found, strict=True)
                ]
            [reason] = found
        elif len(texts) > 1:
            half = len(texts) // 2
            parts = texts[:half], texts[half:]
            return [one for part in parts for one in self._embedded(part, halved=True)]
        else:
            reason = found
        if isinstance(reason, str):
            self._check_works(reason)
        return [reason]

    def _asked(self, texts: list[str], *, halved: bool) -> list[np.ndarray | str] | str:
        """One request: the vectors, or what became of it. Raises MissingDependencyError.

        What was sent before in more company has been tried often enough.
        """
        endpoint = self._endpoint()
        if halved:
            endpoint = replace(endpoint, retries=min(endpoint.retries, int(self._works)))
        try:
            return _vectors(endpoint.post(self._body(texts)), texts)
        except MissingDependencyError as error:
            raise MissingDependencyError(f"{self.name}: {error}") from error
        except EngineError as error:
            return " ".join(str(error).split())[:500]

    def _check_works(self, reason: str) -> None:
        """Raise EngineError for a server that has embedded nothing, not even a word, in this run
        or before: then a text that it does not embed is not to blame.
        """
        if self._works or any(map(len, self._vectors.values())):
            return
        found = self._asked([PROBE], halved=True)
        if isinstance(found, str) or isinstance(found[0], str):
            raise EngineError(
                f"{self.name}: {self._endpoint().url} embeds no text, not even {PROBE!r}: "
                f"{reason}: correct model, base_url or the other parameters"
            )
        self._works = True

    def _endpoint(self) -> Endpoint:
        params = self.params
        url = f"{params.base_url}/embeddings"
        return Endpoint(url, params.api_key_env, params.timeout_s, params.retries, params.retries)

    def _body(self, texts: list[str]) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.params.model,
            "input": texts,
            "encoding_format": "float",
        }
        if self.params.dimensions is not None:
            body["dimensions"] = self.params.dimensions
        return body


def _vectors(answer: Any, texts: Sequence[str]) -> list[np.ndarray | str]:
    """The answer's vectors, of length 1, in the order of the texts; in place of one that nothing
    can be compared with, what is wrong with it. Raises EngineError for no list of embeddings.
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
    """A vector of length 1, or what is wrong with it. That of a ``blank`` text may be zero."""
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
