"""Search by n-grams of characters instead of words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from ohr.errors import ConfigError
from ohr.plugins import Params, RetrieverChange


class NgramsParams(Params):
    """``n``: characters of an n-gram."""

    n: int = Field(4, ge=2, le=8)


class Ngrams(RetrieverChange[NgramsParams]):
    """BM25 over n-grams within words, of which a misread letter spoils only some."""

    name = "ngrams"

    def retriever(self, name: str, params: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        if name != "bm25":
            raise ConfigError(f"ngrams changes bm25, not the retriever {name!r}")
        return name, {**params, "terms": "ngrams", "n": self.params.n}
