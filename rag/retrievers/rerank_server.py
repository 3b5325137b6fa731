"""Another retriever's hits, re-ranked by a server (vLLM, llama.cpp, Jina ...)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np
from pydantic import Field

from ohr.errors import EngineError, MissingDependencyError
from ohr.models.chat import ServerParams, not_understood
from ohr.models.origins import note_embedding
from ohr.models.threads import submitted
from rag.retrievers._reranked import DepthParams, Reranker


class RerankServerParams(DepthParams, ServerParams):
    """``retriever``: its best ``depth`` hits are re-ranked, then the next ``depth``, and so on.
    ``batch_size``: texts per request. ``concurrency``: requests at the same time.
    """

    batch_size: int = Field(64, ge=1, le=1024)
    concurrency: int = Field(4, ge=1, le=256)


class RerankServer(Reranker[RerankServerParams]):
    """The score is the server's ``relevance_score`` of question and text (``/v1/rerank``). Texts
    leave the machine unless the server runs on it.

    Raises EngineError for a request that fails after all retries: a ranking without one of its
    scores is none.
    """

    name = "rerank_server"
    argument = "model"

    def scorer_identity(self) -> dict[str, object]:
        params = self.params
        return {
            "name": self.name,
            "version": self.version,
            "params": {"model": params.model, "base_url": params.base_url},
            # The user's words, since a server does not report its checkpoint.
            "model_version": params.revision,
        }

    def score(self, pairs: list[str]) -> Sequence[np.ndarray]:
        """The scores of all pairs; the texts of one question travel together."""
        size = self.params.batch_size
        requests: list[tuple[str, list[str]]] = []
        for question, group in groupby(map(json.loads, pairs), key=lambda pair: pair[0]):
            texts = [text for _, text in group]
            requests += [
                (question, texts[start : start + size]) for start in range(0, len(texts), size)
            ]
        futures = submitted(
            [partial(self._request, *request) for request in requests], self.params.concurrency
        )
        try:
            return [np.array([score], np.float32) for each in futures for score in each.result()]
        except (EngineError, MissingDependencyError) as error:
            raise type(error)(f"{self.name}: {error}") from error
        finally:
            for future in futures:
                future.cancel()

    def _request(self, question: str, texts: list[str]) -> list[float]:
        params = self.params
        # Servers refuse an empty text.
        body = {
            "model": params.model,
            "query": question or " ",
            "documents": [text or " " for text in texts],
            "top_n": len(texts),
            "return_documents": False,
        }
        answer = params.endpoint(params.retries, "rerank", "results").post(body)
        note_embedding(params.model, answer)
        return _scores(answer, len(texts))


def _scores(answer: Any, n: int) -> list[float]:
    """The score of each text, in their order. Raises EngineError."""
    try:
        by_index = {
            int(item["index"]): float(item["relevance_score"]) for item in answer["results"]
        }
        scores = [by_index[index] for index in range(n)]
        if not np.isfinite(scores).all():
            raise ValueError("a score that is not finite")
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise not_understood(f"list of {n} scores", error, answer) from error
    return scores
