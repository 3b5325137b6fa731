"""Any sentence-transformers model on this machine."""

from __future__ import annotations

from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from pydantic import Field

from ohr.errors import MissingDependencyError
from ohr.store.identity import digest, file_digest
from rag.retrievers._dense import DenseParams
from rag.retrievers._local import LocalEncoder, ModelParams

INSTALL = "pip install torch sentence-transformers"


class SentenceTransformersParams(DenseParams, ModelParams):
    """``query_prompt``, ``passage_prompt``: put before each text, as some models want.
    ``max_tokens``: where longer texts are cut, by default where the model cuts them.
    """

    query_prompt: str = ""
    passage_prompt: str = ""
    normalise: bool = True
    max_tokens: int | None = Field(None, ge=2)


class SentenceTransformers(LocalEncoder[SentenceTransformersParams]):
    """Bi-encoder (Reimers and Gurevych 2019); cosine similarity unless ``normalise`` is off."""

    name = "sentence_transformers"
    install = INSTALL

    def encoder_version(self) -> str:
        try:
            package = f"sentence-transformers {version('sentence-transformers')}"
        except PackageNotFoundError as error:
            raise MissingDependencyError(
                f"{self.name}: sentence-transformers is not installed: {self.install}"
            ) from error
        # Pooling and further layers lie in folders of their own.
        parts = sorted(path for path in self._folder.glob("*/*") if path.is_file())
        modules = digest([[path.name, file_digest(path)] for path in parts])
        return f"{package}, {self.model_version()}, modules {modules}"

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

    @cached_property
    def _model(self) -> Any:
        package = self._package("sentence_transformers")
        with self._loading():
            model = package.SentenceTransformer(
                str(self._folder),
                device=self._device,
                local_files_only=True,
                model_kwargs={"dtype": self._dtype},
            )
        if self.params.max_tokens is not None:
            model.max_seq_length = min(self.params.max_tokens, model.max_seq_length)
        return model
