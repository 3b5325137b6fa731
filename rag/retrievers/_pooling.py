"""Fewer vectors per page: similar ones are averaged."""

from __future__ import annotations

import importlib
from collections.abc import Sequence

import numpy as np
from pydantic import Field

from ohr.errors import MissingDependencyError
from rag.retrievers._page_images import PageImageParams

INSTALL = "pip install torch 'sentence-transformers>=6.2'"


class PoolingParams(PageImageParams):
    """``pool``: by which factor the vectors of a page are reduced, to means of similar ones (Ward's
    clusters, Clavié et al. 2024); 1 keeps all.
    """

    pool: float = Field(1.0, ge=1, le=100)


def pool_vectors(name: str, pages: Sequence[np.ndarray], factor: float) -> list[np.ndarray]:
    """Each page's vectors, ``(n, d)`` of unit length, reduced by ``factor``; all if it is 1.

    Raises MissingDependencyError.
    """
    if factor == 1:
        return list(pages)
    try:
        torch = importlib.import_module("torch")
        modules = importlib.import_module("sentence_transformers.multi_vector_encoder.modules")
    except ImportError as error:
        raise MissingDependencyError(
            f"{name}: {error.name or error} cannot be imported, which pool needs: {INSTALL}"
        ) from error
    pooling = modules.HierarchicalTokenPooling(factor, num_protected_tokens=0)
    tensors = [torch.from_numpy(np.asarray(page, np.float32)) for page in pages]
    return [vectors.numpy() for vectors in pooling.pool(tensors)]
