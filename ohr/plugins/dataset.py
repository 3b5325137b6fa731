"""The hook of datasets."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path

from typing_extensions import TypeVar

from ohr.collection import Dataset
from ohr.plugins.base import Params, Plugin


class DatasetParams(Params):
    """What every kind of dataset may be told; a kind that cannot use a field refuses it."""

    path: Path | None = None
    questions: Path | None = None
    pdfs: Path | None = None
    domains: tuple[str, ...] = ()
    strict: bool = False
    seed: int = 0
    cache: Path = Path(".ohr-cache")


P = TypeVar("P", bound=DatasetParams, covariant=True, default=DatasetParams)


class DatasetSource(Plugin[P], ABC, abstract=True):
    """Reads or makes a dataset."""

    @abstractmethod
    def load(self) -> Dataset:
        """The dataset, validated. Raises DatasetError; strict datasets on any problem."""
