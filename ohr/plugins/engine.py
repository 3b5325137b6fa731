"""The hooks of OCR engines, and of readings that exist already."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from ohr.collection import Dataset
from ohr.errors import ConfigError, EngineError, MissingDependencyError, StoreError
from ohr.plugins.base import P, Plugin
from ohr.types import KnowledgeBase, Outcome, Word


class OcrBackend(Plugin[P], ABC, abstract=True):
    """Reads pages into Markdown. It never sees ground-truth text.

    An engine of page images has :meth:`read`; one that reads PDFs, or does better with several
    pages at once, has :meth:`transcribe`.
    """

    either = ("read", "transcribe")
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
    self_contained: ClassVar[bool] = False
    """Whether it reads as it is installed: without weights to download, and without a server."""
    generative: bool = False
    """Whether it writes a page token by token, and so may repeat itself without end. Its parameters
    may decide."""
    has_confidence: ClassVar[bool] = False
    """Whether :meth:`words` says how sure it is of each word."""

    tunable: ClassVar[Mapping[str, tuple[Any, ...]]] = {}
    """Parameters that trade seconds for accuracy, each with the values that are worth measuring."""

    def read(self, image: np.ndarray) -> str | Outcome[str]:
        """The text of one page image: uint8, ``(h, w)`` grey or ``(h, w, 3)`` RGB, contiguous.

        What it raises is the page's error outcome, except for ConfigError, StoreError and
        MissingDependencyError, which are no page's fault; text of nothing but white space is an
        ``empty`` outcome.
        """
        [(_, outcome)] = self.transcribe([image], [0])
        return outcome

    def words(self, image: np.ndarray) -> tuple[Word, ...]:
        """The words that :meth:`read` recognises on a page image, each with its confidence.

        Only of an engine that ``has_confidence``; nothing where nothing is recognised. Raises
        ConfigError for another engine, and what :meth:`read` raises.
        """
        raise ConfigError(f"engine {self.name!r} does not say how sure it is of a word")

    def transcribe(
        self, source: Path | Sequence[np.ndarray], page_nos: Sequence[int]
    ) -> Iterator[tuple[int, Outcome[str]]]:
        """Read pages of a PDF, or page images (uint8, grey or RGB), in the order given.

        ``page_nos`` are page numbers of the PDF; for images, the number of each image. Raises
        ConfigError for a source that the engine does not accept, ValueError unless there is one
        number an image, and MissingDependencyError.
        """
        if isinstance(source, Path):
            raise ConfigError(
                f"{self.name} reads page images: render {source.name} to images first"
            )
        for page_no, image in zip(page_nos, source, strict=True):
            try:
                text = self.read(checked_image(image))
                outcome = text if isinstance(text, Outcome) else Outcome.of_text(text)
            except (ConfigError, MissingDependencyError, StoreError):
                raise
            except Exception as error:  # a stranger's engine: what it raises is one page's outcome
                outcome = failed_page(self.name, error)
            yield page_no, outcome

    def pages_together(self) -> int:
        """How many page images it reads best at a time, with these parameters.

        With more than one, a study hands so many to :meth:`transcribe`, of any documents, each
        with the number that it has in its own; pages that fail in company are read again alone.
        """
        return 1

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

    def taken(self) -> dict[str, float]:
        """What reading took since this was last asked, as numbers that add up over pages.

        Such as ``prompt_tokens``, ``completion_tokens``, ``cost``, or replies that were cut.
        Seconds are measured for every engine, so none has to say them.
        """
        return {}

    def identity(self) -> dict[str, object]:
        return super().identity() | {"engine_version": self.engine_version()}


def failed_page(engine: str, error: Exception) -> Outcome[str]:
    """The error outcome of a page on which an engine failed."""
    kind = "" if isinstance(error, EngineError) else f"{type(error).__name__}: "
    return Outcome.error(" ".join(f"{engine}: {kind}{error}".split())[:500])


def checked_image(image: np.ndarray) -> np.ndarray:
    """The image as ``(h, w)`` grey or ``(h, w, 3)`` RGB uint8. Raises EngineError."""
    if image.ndim == 3 and image.shape[2] == 1:
        image = image[:, :, 0]
    grey_or_rgb = image.ndim == 2 or (image.ndim == 3 and image.shape[2] == 3)
    if image.dtype != np.uint8 or not grey_or_rgb or image.size == 0:
        raise EngineError(f"not a page image: shape {image.shape}, {image.dtype}")
    return np.ascontiguousarray(image)


class KnowledgeBaseSource(Plugin[P], ABC, abstract=True):
    """An engine whose reading already exists: ground truth, or output made elsewhere."""

    @abstractmethod
    def knowledge_base(self, dataset: Dataset) -> KnowledgeBase:
        """Pages of the dataset's documents, in index order. Raises DatasetError."""

    def check(self, dataset: Dataset) -> None:
        """Raise DatasetError if what it reads is not there, before anything costly happens."""
