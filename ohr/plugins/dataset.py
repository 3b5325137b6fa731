"""The hook of datasets."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path

from pydantic import ConfigDict
from typing_extensions import TypeVar

from ohr.collection import Dataset
from ohr.plugins.base import Params, Plugin


class DatasetParams(Params):
    """What every kind of dataset may be told; a kind that cannot use a field refuses it."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    path: Path | None = None
    """Folder of the documents."""
    questions: Path | None = None
    """File of the questions."""
    pdfs: Path | None = None
    """Folder of the documents' PDFs, where they lie elsewhere."""
    domains: tuple[str, ...] = ()
    """Domains whose documents are loaded; empty: all of them."""
    strict: bool = False
    """Stop on any problem, where it would be reported and passed over."""
    seed: int = 0
    """What is generated is drawn with it."""
    cache: Path = Path(".ohr-cache")
    """Folder in which what is generated is kept."""


P = TypeVar("P", bound=DatasetParams, covariant=True, default=DatasetParams)


class DatasetSource(Plugin[P], ABC, abstract=True):
    """Reads or makes a dataset."""

    @abstractmethod
    def load(self) -> Dataset:
        """The dataset, validated. Raises DatasetError; strict datasets on any problem."""
