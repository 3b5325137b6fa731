"""Shared by the retrievers with a local checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from pydantic import Field

from ohr.models.local import LocalModel
from ohr.plugins import Params
from rag.retrievers._dense import DenseRetriever, P

LOCATION = frozenset({"model", "revision", "device", "dtype", "batch_size"})
"""Parameters that the model's version covers, or that change only the speed."""


class DeviceParams(Params):
    """``device``: ``auto`` is the first GPU that torch finds, or else the CPU. ``dtype``: ``auto``
    is the checkpoint's own on a GPU and float32 on the CPU. ``batch_size``: texts at once;
    padding changes their vectors in the last digits.
    """

    device: str = Field("auto", pattern=r"^(auto|cpu|cuda(:\d+)?)$")
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    batch_size: int = Field(32, ge=1, le=1024)


class ModelParams(DeviceParams):
    """``model``: a folder with a checkpoint, or a hub name in the local cache; nothing is
    downloaded.
    """

    model: str = Field(min_length=1)
    revision: str | None = None


class LocalEncoder(LocalModel[P], DenseRetriever[P], abstract=True):
    """A dense retriever with a local checkpoint."""

    outside_identity = LOCATION

    def __init__(self, params: P) -> None:
        DenseRetriever.__init__(self, params)

    def encoder_version(self) -> str:
        return self.model_version()


def batch_by_length(texts: Sequence[str], size: int) -> list[list[int]]:
    """Indices of texts in batches of similar length, which saves padding."""
    order = sorted(range(len(texts)), key=lambda i: -len(texts[i]))
    return [order[start : start + size] for start in range(0, len(order), size)]


def encode_batches(
    texts: list[str], size: int, encode: Callable[[list[str]], np.ndarray]
) -> list[np.ndarray]:
    """A row for each text, from an encoder that takes a batch of texts."""
    rows: list[np.ndarray] = [np.zeros(0, np.float32)] * len(texts)
    for batch in batch_by_length(texts, size):
        for index, row in zip(batch, encode([texts[i] for i in batch]), strict=True):
            rows[index] = row
    return rows
