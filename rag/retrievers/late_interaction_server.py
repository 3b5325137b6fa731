"""Vectors of patches and tokens from a server with vLLM's pooling interface."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from PIL import Image
from pydantic import Field

from ohr.errors import EngineError, MissingDependencyError
from ohr.models.chat import TRANSPORT, ServerParams
from ohr.models.error_bodies import quoted
from ohr.models.origins import note_embedding
from ohr.models.pictures import data_url
from ohr.models.threads import submitted
from rag.retrievers._maxsim import maxsim
from rag.retrievers._page_images import PageEncoder
from rag.retrievers._pooling import PoolingParams, pool_vectors

QUERIES = 64
"""Questions per request."""


class LateInteractionServerParams(PoolingParams, ServerParams):
    """``query_prompt``: text before each question, ``query_suffix`` after it, ``page_prompt`` after
    the picture, as in the model's training. ``concurrency``: requests at the same time.
    """

    query_prompt: str = ""
    query_suffix: str = ""
    page_prompt: str = "Describe the image."
    concurrency: int = Field(8, ge=1, le=256)


class LateInteractionServer(PageEncoder[LateInteractionServerParams]):
    """MaxSim over the vectors that ``vllm serve MODEL --runner pooling`` gives for each token,
    normalised to unit length. Pages leave the machine, as PNG, unless the server
    runs on it.
    """

    name = "late_interaction_server"
    argument = "model"
    outside_identity = TRANSPORT | {"concurrency"}

    def encoder_version(self) -> str:
        """The user's ``revision``, since a server does not report its checkpoint."""
        return str(self.params.revision)

    def encode_pages(self, images: list[np.ndarray]) -> list[np.ndarray | str]:
        """The vectors of each picture, or the server's error.

        Raises MissingDependencyError (no server, no key, no such model).
        """
        calls = [partial(self._encode_page, image) for image in images]
        futures = submitted(calls, self.params.concurrency)
        try:
            return [future.result() for future in futures]
        except MissingDependencyError as error:
            raise MissingDependencyError(f"{self.name}: {error}") from error
        finally:
            for future in futures:
                future.cancel()

    def encode_queries(self, texts: list[str]) -> list[np.ndarray]:
        params, vectors = self.params, list[np.ndarray]()
        inputs = [f"{params.query_prompt}{text}{params.query_suffix}" or " " for text in texts]
        try:
            for start in range(0, len(inputs), QUERIES):
                batch = inputs[start : start + QUERIES]
                vectors += self._request({"input": batch}, len(batch))
        except (EngineError, MissingDependencyError) as error:
            raise type(error)(f"{self.name}: {error}") from error
        return vectors

    def scores(
        self, queries: Sequence[np.ndarray], pages: Sequence[np.ndarray]
    ) -> Iterator[np.ndarray]:
        """Raises EngineError for vectors of unequal length."""
        lengths = sorted({array.shape[1] for array in (*queries, *pages)})
        if len(lengths) > 1:
            raise EngineError(
                f"{self.name}: vectors of {lengths[0]} and of {lengths[1]} numbers, which cannot "
                "be compared: the server gave vectors of two models; name another revision"
            )
        return maxsim(queries, pages)

    def _encode_page(self, image: np.ndarray) -> np.ndarray | str:
        picture = {"url": data_url(Image.fromarray(image))}
        content: list[dict[str, Any]] = [{"type": "image_url", "image_url": picture}]
        if self.params.page_prompt:
            content.append({"type": "text", "text": self.params.page_prompt})
        try:
            [vectors] = self._request({"messages": [{"role": "user", "content": content}]}, 1)
        except EngineError as error:
            return f"{self.name}: {error}"[:500]
        [pooled] = pool_vectors(self.name, [vectors], self.params.pool)
        return pooled

    def _request(self, fields: dict[str, Any], n: int) -> list[np.ndarray]:
        params = self.params
        url = f"{params.base_url.removesuffix('/v1')}/pooling"
        endpoint = replace(params.endpoint(params.retries, content="data"), url=url)
        body = {"model": params.model, "encoding_format": "float", **fields}
        answer = endpoint.post(body)
        note_embedding(params.model, answer)
        return _token_vectors(answer, n)


def _token_vectors(answer: Any, n: int) -> list[np.ndarray]:
    """The vectors of each input, ``(tokens, d)``, of unit length. Raises EngineError."""
    try:
        by_index = {
            int(item["index"]): np.array(item["data"], dtype=np.float32) for item in answer["data"]
        }
        vectors = [by_index[index] for index in range(n)]
        if any(
            vector.ndim != 2 or not vector.size or not np.isfinite(vector).all()
            for vector in vectors
        ):
            raise ValueError("not a list of vectors")
        if not all(vector.any() for vector in vectors):
            raise ValueError("nothing but zeros")
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        message = f"an answer that is not the vectors of {n} inputs ({error!r}): {quoted(answer)}"
        raise EngineError(message) from error
    norms = (np.linalg.norm(vector, axis=1, keepdims=True) for vector in vectors)
    return [
        vector / np.where(norm > 0, norm, 1) for vector, norm in zip(vectors, norms, strict=True)
    ]
