"""The hook of datasets."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path

from pydantic import ConfigDict
from typing_extensions import TypeVar

from ohr.collection import Dataset
from ohr.plugins.base import Params, Plugin


class DatasetParams(Params):
    """Options of all kinds of datasets; a kind refuses the options that it cannot use."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    path: Path | None = None
    """Folder of the documents."""
    questions: Path | None = None
    """File of the questions."""
    pdfs: Path | None = None
    """Folder of the documents' PDFs, if it is another one."""
    domains: tuple[str, ...] = ()
    """Domains whose documents are loaded; empty means all of them."""
    strict: bool = False
    """Stop on any problem, instead of reporting it and going on."""
    seed: int = 0
    """Random seed of generated data."""
    cache: Path = Path(".ohr-cache")
    """Folder for generated data."""


P = TypeVar("P", bound=DatasetParams, covariant=True, default=DatasetParams)


def _ignore(what: str, done: int, total: int) -> None:
    """Report to nobody."""


class DatasetSource(Plugin[P], ABC, abstract=True):
    """Loads or generates a dataset."""

    def __init__(self, params: P | None = None) -> None:
        super().__init__(params)
        self.progress: Callable[[str, int, int], None] = _ignore
        """Gets what is being done, how many pages of it are done, and of how many."""

    @abstractmethod
    def load(self) -> Dataset:
        """Return the validated dataset. Raises DatasetError; if ``strict``, on any problem."""
