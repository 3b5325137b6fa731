"""ColPali and similar models: one vector per patch of a page and per token of a question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from PIL import Image
from pydantic import Field

from ohr.errors import MissingDependencyError
from rag.retrievers._local import LOCATION, ModelParams
from rag.retrievers._maxsim import maxsim
from rag.retrievers._packaged import PackagedModel, is_saved
from rag.retrievers._page_images import PageEncoder
from rag.retrievers._pooling import INSTALL, PoolingParams, pool_vectors


class LateInteractionParams(PoolingParams, ModelParams):
    """``processor``: settings of the checkpoint's image processor that replace its own, such as
    ``{do_image_splitting: false}`` for a page in one tile, or ``{max_pixels: 602112}``.
    ``batch_size``: pages at once.
    """

    processor: dict[str, Any] = Field(default_factory=dict)
    batch_size: int = Field(4, ge=1, le=1024)


class LateInteraction(PackagedModel[LateInteractionParams], PageEncoder[LateInteractionParams]):
    """ColModernVBert, ColPali, ColQwen2 and any other model that sentence-transformers loads as a
    MultiVectorEncoder: MaxSim over the vectors of patches (Faysse et al. 2024), exact.
    """

    name = "late_interaction"
    stand_ins = {"server": "late_interaction_server"}  # noqa: RUF012
    install = INSTALL
    model_class = "MultiVectorEncoder"
    outside_identity = LOCATION

    def __init__(self, params: LateInteractionParams) -> None:
        PageEncoder.__init__(self, params)

    def encode_pages(self, images: list[np.ndarray]) -> list[np.ndarray]:
        vectors = self._model.encode_document(
            [Image.fromarray(image) for image in images],
            batch_size=self.params.batch_size,
            convert_to_numpy=True,
            show_progress_bar=False,
        )
        return pool_vectors(self.name, list(vectors), self.params.pool)

    def encode_queries(self, texts: list[str]) -> list[np.ndarray]:
        rows = self._model.encode_query(
            texts,
            batch_size=self.params.batch_size,
            convert_to_numpy=True,
            show_progress_bar=False,
        )
        return [np.asarray(vectors, np.float32) for vectors in rows]

    def scores(
        self, queries: Sequence[np.ndarray], pages: Sequence[np.ndarray]
    ) -> Iterator[np.ndarray]:
        return maxsim(queries, pages, mean=self._model.similarity_fn_name == "meanmaxsim")

    @cached_property
    def _model(self) -> Any:
        model = self._load_vision_model(self.params.processor)
        if not is_saved(self._folder) and any(type(module).__name__ == "Dense" for module in model):
            raise MissingDependencyError(
                f"{self.name}: {self._folder} has no projection for late interaction: name a "
                "checkpoint that was trained for it, merged if it is an adapter"
            )
        _adapt_processor(model)
        return model


def _adapt_processor(model: Any) -> None:
    """Make ColModernVBert's processor treat pages and questions as ColPali's and ColQwen2's do.

    Those add the prompt around a picture, and a question's padding, on every call. The processor
    of ColModernVBert in transformers adds them in separate methods, which sentence-transformers
    does not call.
    """
    processor = getattr(model[0], "processor", None)
    base: Any = type(processor)
    if "ColModernVBertProcessor" not in {cls.__name__ for cls in base.__mro__}:
        return

    class Adapted(base):  # type: ignore[misc]
        is_inside = False

        def __call__(self, images: Any = None, text: Any = None, **options: Any) -> Any:
            if self.is_inside or (images is None) == (text is None):
                return super().__call__(images=images, text=text, **options)
            self.is_inside = True
            try:
                if text is None:
                    return self.process_images(images, **options)
                return self.process_queries(text, **options)
            finally:
                self.is_inside = False

    processor.__class__ = Adapted
