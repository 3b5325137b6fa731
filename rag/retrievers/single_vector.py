"""One vector per page and per question: DSE, CLIP and similar models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from PIL import Image
from pydantic import Field

from ohr.errors import MissingDependencyError
from rag.retrievers._local import LOCATION, ModelParams
from rag.retrievers._packaged import PackagedModel, is_saved
from rag.retrievers._page_images import PageEncoder, PageImageParams

INSTALL = "pip install torch 'sentence-transformers>=6.2'"
PAGES = 65536
"""Pages that are compared with the queries at once."""


class SingleVectorParams(PageImageParams, ModelParams):
    """``query_prompt``, ``page_prompt``: text before a question, and beside a picture; by default
    that of the checkpoint. ``processor``: settings of the checkpoint's image processor that replace
    its own. ``batch_size``: pages at once.
    """

    query_prompt: str | None = None
    page_prompt: str | None = None
    processor: dict[str, Any] = Field(default_factory=dict)
    batch_size: int = Field(4, ge=1, le=1024)


class SingleVector(PackagedModel[SingleVectorParams], PageEncoder[SingleVectorParams]):
    """Cosine similarity of a page image and a question, encoded by sentence-transformers:
    models of screenshots (DSE, Ma et al. 2024) and of pictures with captions (CLIP)."""

    name = "single_vector"
    install = INSTALL
    model_class = "SentenceTransformer"
    outside_identity = LOCATION

    def __init__(self, params: SingleVectorParams) -> None:
        PageEncoder.__init__(self, params)

    def encode_pages(self, images: list[np.ndarray]) -> list[np.ndarray]:
        pictures = [Image.fromarray(image) for image in images]
        encode = self._model.encode_document
        return self._encode(encode, pictures, self.params.page_prompt, np.float16)

    def encode_queries(self, texts: list[str]) -> list[np.ndarray]:
        encode = self._model.encode_query
        return self._encode(encode, texts, self.params.query_prompt, np.float32)

    def scores(
        self, queries: Sequence[np.ndarray], pages: Sequence[np.ndarray]
    ) -> Iterator[np.ndarray]:
        stacked = np.stack(queries).astype(np.float32)
        blocks = [
            stacked @ np.stack(pages[start : start + PAGES]).astype(np.float32).T
            for start in range(0, len(pages), PAGES)
        ]
        # Rounded so that equal pages tie: the last digits depend on the position in a block.
        yield from np.round(np.concatenate(blocks, axis=1), 6)

    def _encode(
        self, encode: Any, inputs: list[Any], prompt: str | None, dtype: type[np.floating]
    ) -> list[np.ndarray]:
        rows = encode(
            inputs,
            prompt=prompt,
            batch_size=self.params.batch_size,
            normalize_embeddings=True,
            show_progress_bar=False,
            convert_to_numpy=True,
        )
        return list(np.asarray(rows, dtype=dtype))

    @cached_property
    def _model(self) -> Any:
        model = self._load_vision_model(self.params.processor)
        if not is_saved(self._folder) and any(
            type(module).__name__ == "Pooling" for module in model
        ):
            raise MissingDependencyError(
                f"{self.name}: {self._folder} does not say how its tokens become one vector: name "
                "a checkpoint that sentence-transformers has saved"
            )
        return model
