"""The hooks of OCR engines, and of page texts that exist already."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from ohr.collection import Dataset
from ohr.errors import ConfigError, EngineError, MissingDependencyError, StoreError
from ohr.plugins.base import P, Plugin
from ohr.types import FAILED, KnowledgeBase, Outcome, Status, Word


class OcrBackend(Plugin[P], ABC, abstract=True):
    """Reads pages into Markdown. It never sees ground-truth text.

    An engine for page images defines :meth:`read`. One that reads PDFs, or works better on several
    pages at once, defines :meth:`transcribe`.
    """

    either = ("read", "transcribe")
    accepts: frozenset[str] = frozenset({"image"})
    """Its input: ``image`` (page images), ``pdf`` (a PDF file), or both; may depend on parameters.
    A study always gives page images to an engine that accepts them, so that clean pages are read
    in the same way as distorted ones."""
    license: ClassVar[str] = ""
    """Licence of the engine and its models."""
    languages: ClassVar[tuple[str, ...]] = ()
    """Languages that it supports (ISO 639-1); empty if they depend on parameters or models."""
    returns: ClassVar[Literal["text", "markdown"]] = "text"
    """Output: plain text, or Markdown with tables and formulas."""
    install: ClassVar[str] = ""
    """The command that installs it."""
    self_contained: ClassVar[bool] = False
    """Whether it works once installed, without downloading weights and without a server."""
    generative: bool = False
    """Whether it generates text token by token, and so may repeat itself without end. May depend
    on parameters."""
    has_confidence: ClassVar[bool] = False
    """Whether :meth:`words` returns a confidence for each word."""

    tunable: ClassVar[Mapping[str, tuple[Any, ...]]] = {}
    """Parameters that trade time for accuracy, each with the values worth measuring."""

    def read(self, image: np.ndarray) -> str | Outcome[str]:
        """The text of one page image: uint8, ``(h, w)`` grey or ``(h, w, 3)`` RGB, contiguous.

        An exception becomes the page's error outcome, except ConfigError, StoreError and
        MissingDependencyError, which no page causes. Text of white space alone becomes an
        ``empty`` outcome.

        Args:
            image: The page, clean or with noise; must not be changed.
        """
        [(_, outcome)] = self.transcribe([image], [0])
        return outcome

    def words(self, image: np.ndarray) -> tuple[Word, ...]:
        """The words that :meth:`read` recognises on a page image, each with its confidence.

        For engines with ``has_confidence``; empty if nothing is recognised. Raises ConfigError for
        other engines, and the exceptions of :meth:`read`.
        """
        raise ConfigError(f"engine {self.name!r} gives no confidence of words")

    def read_with_words(
        self, image: np.ndarray
    ) -> tuple[str | Outcome[str], tuple[Word, ...]] | None:
        """What :meth:`read` and :meth:`words` return, from one recognition of the page image.

        None if the engine has to recognise the page once for each, as by default.
        """
        return None

    def transcribe(
        self, source: Path | Sequence[np.ndarray], page_nos: Sequence[int]
    ) -> Iterator[tuple[int, Outcome[str]]]:
        """Read pages of a PDF, or page images (uint8, grey or RGB), in the order given.

        Yields (page number, outcome). Raises ConfigError for a source that the engine does not
        accept, ValueError if images and numbers differ in count, and MissingDependencyError.

        Args:
            source: A PDF file, or the page images themselves.
            page_nos: The pages of the PDF to read, from 0; for images, the number of each image.
        """
        if isinstance(source, Path):
            raise ConfigError(
                f"{self.name} reads page images: render {source.name} to images first"
            )
        for page_no, image in zip(page_nos, source, strict=True):
            try:
                outcome = read_with(self, image)
            except (ConfigError, MissingDependencyError, StoreError):
                raise
            except Exception as error:  # an engine may raise anything: it fails for this page only
                outcome = failed_page(self.name, error)
            yield page_no, outcome

    def pages_together(self) -> int:
        """The best number of page images per call of :meth:`transcribe`, with these parameters.

        If it is more than one, a study passes so many images at a time, from any documents, each
        with its page number in its document. Pages that fail in such a call are read again alone.
        """
        return 1

    def reads(self) -> tuple[str, ...]:
        """Languages that it reads with these parameters (ISO 639-1); empty if unknown."""
        return self.languages

    def alphabet(self) -> frozenset[str]:
        """The characters that it can write with these parameters; empty if unknown.

        On a page in a writing system of which it has no letters, its output is not assessed.
        Raises MissingDependencyError without its model.
        """
        return frozenset()

    def recognisers(self) -> frozenset[str]:
        """What recognises its letters: its name, with the models that its parameters name.

        Engines that share one make the same mistakes, so that none is a witness of the other.
        """
        models = (getattr(self.params, name, None) for name in ("model", "models"))
        return frozenset({" ".join([self.name, *(str(model) for model in models if model)])})

    def check_languages(self, languages: Iterable[str]) -> None:
        """Raise ConfigError for a language (ISO 639-1) that the engine does not read."""
        known_values = self.reads()
        for language in languages:
            if known_values and language not in known_values:
                raise ConfigError(
                    f"engine {self.name!r} does not read {language!r}; it reads "
                    f"{', '.join(known_values)}"
                )

    def engine_version(self) -> str:
        """Version of the engine and its models, part of the identity. May be slow."""
        return ""

    def install_command(self) -> str:
        """The command that installs what it needs with these parameters; empty if unknown."""
        return self.install

    def describe(self) -> str:
        """What a user should know about how it runs on this machine, in one line; else empty.

        ``ohr list engines`` prints it.
        """
        return ""

    def page_cost(self) -> float | None:
        """What reading a page costs at most, for an engine with a price per page; else None.

        With it, ``max_cost`` stops before the first page is paid.
        """
        return None

    def usage(self) -> dict[str, float]:
        """The cost of reading since the last call, as numbers that can be added up over pages.

        Examples are ``prompt_tokens``, ``completion_tokens``, ``cost`` and counts of replies that
        were cut off. Seconds are measured for every engine and do not belong here.
        """
        return {}

    def identity(self) -> dict[str, object]:
        return super().identity() | {"engine_version": self.engine_version()}


class CompositeEngine(OcrBackend[P], ABC, abstract=True):
    """An engine that reads page images with other engines, its ``parts``.

    It defines :meth:`read`, which reads with :attr:`read_part` and :attr:`read_part_with_words`
    alone. A study then stores each part's output as the part's own, so that no engine reads the
    same pixels twice.
    """

    parts: tuple[OcrBackend[Any], ...] = ()
    read_part: Callable[[OcrBackend[Any], np.ndarray], Outcome[str]]
    """Reads an image with a part: its output, stored or new."""
    read_part_with_words: Callable[
        [OcrBackend[Any], np.ndarray], tuple[Outcome[str], tuple[Word, ...] | None]
    ]
    """The same with the part's words; None of an engine that gives no confidence."""

    def use_parts(self, engines: Iterable[object]) -> None:
        """Read with these engines. Raises ConfigError for one that reads no page images."""
        for engine in engines:
            if not isinstance(engine, OcrBackend) or "image" not in engine.accepts:
                name = getattr(engine, "name", engine)
                raise ConfigError(f"{self.name}: engine {name!r} reads no page images")
            self.parts += (engine,)
        self.generative = any(part.generative for part in self.parts)
        self.read_part = read_with
        self.read_part_with_words = read_with_words

    def reads(self) -> tuple[str, ...]:
        """Languages that every part reads; empty if unknown."""
        known_values = [set(part.reads()) for part in self.parts if part.reads()]
        return tuple(sorted(set.intersection(*known_values))) if known_values else ()

    def alphabet(self) -> frozenset[str]:
        """What any part can write; empty if that of one is unknown."""
        of_parts = [part.alphabet() for part in self.parts]
        return frozenset().union(*of_parts) if all(of_parts) else frozenset()

    def recognisers(self) -> frozenset[str]:
        """Those of its parts."""
        return frozenset().union(*(part.recognisers() for part in self.parts))

    def check_languages(self, languages: Iterable[str]) -> None:
        wanted_languages = tuple(languages)
        for part in self.parts:
            part.check_languages(wanted_languages)

    def usage(self) -> dict[str, float]:
        """The sums of the parts'."""
        usages = [part.usage() for part in self.parts]
        names = dict.fromkeys(name for usage in usages for name in usage)
        return {name: sum(usage.get(name, 0.0) for usage in usages) for name in names}

    def engine_version(self) -> str:
        """The versions of the engines that read."""
        return "; ".join(dict.fromkeys(filter(None, (p.engine_version() for p in self.parts))))

    def identity(self) -> dict[str, object]:
        """Also the identities of the engines that read."""
        return super().identity() | {"reads_with": [part.identity() for part in self.parts]}


def read_with(engine: OcrBackend[Any], image: np.ndarray) -> Outcome[str]:
    """What :meth:`OcrBackend.read` returns for a page image, always as an outcome."""
    return make_outcome(engine.name, engine.read(checked_image(image)))


def make_outcome(engine: str, text: object, method: str = "read") -> Outcome[str]:
    """What a method of an engine returned, as an outcome.

    Raises EngineError for anything but a text or an outcome of one.
    """
    if isinstance(text, str):
        return Outcome.of_text(text)
    value = text.value if isinstance(text, Outcome) else text
    if isinstance(text, Outcome) and (
        isinstance(value, str) or (value is None and text.status is not Status.OK)
    ):
        return text
    what = "None" if value is None else f"a {type(value).__name__}"
    raise EngineError(
        f"{method} of the engine {engine!r} returned {what} in place of the page's text (return "
        '"" for a page without text)'
    )


def read_with_words(
    engine: OcrBackend[Any], image: np.ndarray
) -> tuple[Outcome[str], tuple[Word, ...] | None]:
    """The outcome of a page image and its words; None for an engine that gives no confidence.

    From one recognition where the engine can. A page that failed has no words.
    """
    image = checked_image(image)
    if not engine.has_confidence:
        return read_with(engine, image), None
    both = engine.read_with_words(image)
    if both is not None:
        text, words = both
        return make_outcome(engine.name, text, "read_with_words"), words
    outcome = read_with(engine, image)
    return outcome, () if outcome.status in FAILED else engine.words(image)


def failed_page(engine: str, error: Exception) -> Outcome[str]:
    """The error outcome of a page on which an engine failed."""
    kind = "" if isinstance(error, EngineError) else f"{type(error).__name__}: "
    return Outcome.error(" ".join(f"{engine}: {kind}{error}".split())[:500])


def checked_image(image: np.ndarray) -> np.ndarray:
    """The image as ``(h, w)`` grey or ``(h, w, 3)`` RGB uint8.

    Raises EngineError for an array that is no page image.
    """
    if image.ndim == 3 and image.shape[2] == 1:
        image = image[:, :, 0]
    grey_or_rgb = image.ndim == 2 or (image.ndim == 3 and image.shape[2] == 3)
    if image.dtype != np.uint8 or not grey_or_rgb or image.size == 0:
        raise EngineError(f"not a page image: shape {image.shape}, {image.dtype}")
    return np.ascontiguousarray(image)


class KnowledgeBaseSource(Plugin[P], ABC, abstract=True):
    """An engine whose page texts already exist: ground truth, or another tool's output."""

    @abstractmethod
    def knowledge_base(self, dataset: Dataset) -> KnowledgeBase:
        """The page texts of the dataset's documents, in index order. Raises DatasetError.

        Args:
            dataset: The documents of the study, with their ground truth.
        """

    def check(self, dataset: Dataset) -> None:
        """Raise DatasetError if its input is missing, before anything costly happens."""
