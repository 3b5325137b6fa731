"""The hooks of OCR engines, and of readings that exist already."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np

from ohr.dataset import Dataset
from ohr.errors import ConfigError
from ohr.plugins.base import Plugin
from ohr.types import KnowledgeBase, Outcome


class OcrBackend(Plugin, ABC):
    """Reads pages into Markdown. It never sees ground-truth text."""

    accepts: frozenset[str] = frozenset({"image"})
    """What it reads: ``image`` (page images), ``pdf`` (a PDF file), or both. Its parameters may
    decide. A study gives it page images wherever it reads them, so that its clean pages are read
    as its distorted ones are."""
    license: ClassVar[str] = ""
    """Licence of the engine and its models."""
    languages: ClassVar[tuple[str, ...]] = ()
    """Languages that it was made for (ISO 639-1); empty where its parameters or models decide."""
    returns: ClassVar[Literal["text", "markdown"]] = "text"
    """Plain text, or Markdown with tables and formulas."""
    install: ClassVar[str] = ""
    """The command that installs it."""

    @abstractmethod
    def transcribe(
        self, source: Path | Sequence[np.ndarray], page_nos: Sequence[int]
    ) -> Iterator[tuple[int, Outcome[str]]]:
        """Read pages of a PDF, or page images (uint8, grey or RGB), in the order given.

        ``page_nos`` are page numbers of the PDF; for images, the number of each image.
        """

    def reads(self) -> tuple[str, ...]:
        """Languages that it reads with these parameters (ISO 639-1); empty where unknown."""
        return self.languages

    def check_languages(self, wanted: Iterable[str]) -> None:
        """Raise ConfigError for a language (ISO 639-1) that the engine is known not to read."""
        known = self.reads()
        for language in wanted:
            if known and language not in known:
                raise ConfigError(
                    f"engine {self.name!r} does not read {language!r}; it reads {', '.join(known)}"
                )

    def engine_version(self) -> str:
        """Version of the engine and its models, part of the identity. May be slow."""
        return ""

    def identity(self) -> dict[str, object]:
        return super().identity() | {"engine_version": self.engine_version()}


class KnowledgeBaseSource(Plugin, ABC):
    """An engine whose reading already exists: ground truth, or output made elsewhere."""

    @abstractmethod
    def knowledge_base(self, dataset: Dataset) -> KnowledgeBase:
        """Pages of the dataset's documents, in index order. Raises DatasetError."""

    def check(self, dataset: Dataset) -> None:
        """Raise DatasetError if what it reads is not there, before anything costly happens."""
