"""ColPali and its like: a vector for each patch of a page and each token of a question."""

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
from rag.retrievers._pooling import INSTALL, PoolingParams, pooled


class LateInteractionParams(PoolingParams, ModelParams):
    """``processor``: settings of the checkpoint's own image processor in place
    of those it comes with, such as ``{do_image_splitting: false}`` for a page in one tile, or
    ``{max_pixels: 602112}``. ``batch_size``: pages at once.
    """

    processor: dict[str, Any] = Field(default_factory=dict)
    batch_size: int = Field(4, ge=1, le=1024)


class LateInteraction(PackagedModel[LateInteractionParams], PageEncoder[LateInteractionParams]):
    """ColModernVBert, ColPali, ColQwen2 and whatever sentence-transformers loads as a
    MultiVectorEncoder: MaxSim over the vectors of patches (Faysse et al. 2024), exact.
    """

    name = "late_interaction"
    install = INSTALL
    model_class = "MultiVectorEncoder"
    outside_identity = LOCATION

    def __init__(self, params: LateInteractionParams) -> None:
        PageEncoder.__init__(self, params)

    def encode_pages(self, images: list[np.ndarray]) -> list[np.ndarray]:
        made = self._model.encode_document(
            [Image.fromarray(image) for image in images],
            batch_size=self.params.batch_size,
            convert_to_numpy=True,
            show_progress_bar=False,
        )
        return pooled(self.name, list(made), self.params.pool)

    def encode_queries(self, texts: list[str]) -> list[np.ndarray]:
        made = self._model.encode_query(
            texts,
            batch_size=self.params.batch_size,
            convert_to_numpy=True,
            show_progress_bar=False,
        )
        return [np.asarray(vectors, np.float32) for vectors in made]

    def scores(
        self, queries: Sequence[np.ndarray], pages: Sequence[np.ndarray]
    ) -> Iterator[np.ndarray]:
        return maxsim(queries, pages, mean=self._model.similarity_fn_name == "meanmaxsim")

    @cached_property
    def _model(self) -> Any:
        model = self._of_pictures(self.params.processor)
        if not is_saved(self._folder) and any(type(one).__name__ == "Dense" for one in model):
            raise MissingDependencyError(
                f"{self.name}: {self._folder} has no projection for late interaction: name a "
                "checkpoint that was trained for it, merged if it is an adapter"
            )
        _complete(model)
        return model


def _complete(model: Any) -> None:
    """Have ColModernVBert's processor take pages and questions as ColPali's and ColQwen2's do.

    Those add the prompt that stands around a picture, and a question's padding, whenever they are
    called; transformers' processor of ColModernVBert adds them in methods that the package, which
    calls all alike, does not know of.
    """
    processor = getattr(model[0], "processor", None)
    base: Any = type(processor)
    if "ColModernVBertProcessor" not in {one.__name__ for one in base.__mro__}:
        return

    class Complete(base):  # type: ignore[misc]
        inside = False

        def __call__(self, images: Any = None, text: Any = None, **options: Any) -> Any:
            if self.inside or (images is None) == (text is None):
                return super().__call__(images=images, text=text, **options)
            self.inside = True
            try:
                if text is None:
                    return self.process_images(images, **options)
                return self.process_queries(text, **options)
            finally:
                self.inside = False

    processor.__class__ = Complete
