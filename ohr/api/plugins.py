"""Plug-ins by name, ready for use: ``ohr.engine("tesseract")`` and similar functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, overload

import numpy as np

from ohr import registry
from ohr.collection import Dataset
from ohr.documents.images import load_image
from ohr.documents.pdf import render
from ohr.errors import ConfigError, did_you_mean
from ohr.ocr.noise import choose_level
from ohr.plugins import (
    Applied,
    Chunker,
    ImagePerturbation,
    Level,
    Metric,
    OcrBackend,
    Reader,
    Retriever,
    System,
    TextPerturbation,
)
from ohr.plugins.metric import F, Of
from ohr.plugins.metric import metric as declare_metric
from ohr.plugins.randomness import generator_for
from ohr.registry import PluginSpec, PluginValue
from ohr.types import Outcome, PageRef

if TYPE_CHECKING:
    from ohr.registry import Mitigation

ANY_PAGE = PageRef("", 0)
"""The page whose random generator is used if no page is named."""


class LoadedEngine:
    """An engine that reads page images, image files and PDFs."""

    def __init__(self, backend: OcrBackend) -> None:
        self.backend = backend
        """The engine itself."""

    def __repr__(self) -> str:
        return f"LoadedEngine({self.backend.name!r})"

    def read(
        self, page: np.ndarray | Path | str, page_no: int = 0, *, dpi: int = 150
    ) -> Outcome[str]:
        """The text of a page, Markdown or plain text; failures are outcomes.

        ``page`` is an array (uint8, ``(h, w)`` grey or ``(h, w, 3)`` RGB), or the path of a PDF or
        an image. ``page_no`` (from 0) and ``dpi`` are for PDFs. Raises MissingDependencyError,
        ConfigError for an input that the engine does not accept, and EngineError for a file that
        cannot be opened.
        """
        if isinstance(page, str | Path):
            if "image" not in self.backend.accepts:
                [(_, outcome)] = self.backend.transcribe(Path(page), [page_no])
                return outcome
            page = page_image(page, page_no, dpi=dpi)
        elif "image" not in self.backend.accepts:
            raise ConfigError(f"{self.backend.name} reads PDFs, not page images: give it a path")
        [(_, outcome)] = self.backend.transcribe([page], [0])
        return outcome


class LoadedNoise:
    """Noise on page images (uint8, grey or RGB) or on texts (Markdown with LaTeX)."""

    def __init__(self, spec: PluginSpec) -> None:
        self._spec = spec
        self.perturbation: ImagePerturbation | TextPerturbation = registry.create(
            "perturbation", spec
        )
        """The plug-in itself."""

    def __repr__(self) -> str:
        return f"LoadedNoise({self.perturbation.name!r})"

    @property
    def levels(self) -> Mapping[str, Level]:
        """Level name -> intensity and parameters, mildest first."""
        return self.perturbation.levels

    @overload
    def __call__(
        self,
        page: np.ndarray,
        *,
        intensity: float | None = None,
        level: str = "",
        seed: int = 0,
        ref: PageRef = ANY_PAGE,
    ) -> Applied[np.ndarray]: ...
    @overload
    def __call__(
        self,
        page: str,
        *,
        intensity: float | None = None,
        level: str = "",
        seed: int = 0,
        ref: PageRef = ANY_PAGE,
    ) -> Applied[str]: ...
    def __call__(
        self,
        page: np.ndarray | str,
        *,
        intensity: float | None = None,
        level: str = "",
        seed: int = 0,
        ref: PageRef = ANY_PAGE,
    ) -> Applied[Any]:
        """Add noise to a page; returns the noisy page and its record.

        Give either an ``intensity`` in [0, 1] or a named ``level``. Intensity 0 changes nothing.
        A study with the same seed makes the same bytes of the page ``ref``; at another resolution
        than 150 dpi only if the perturbation has the same parameter ``dpi``. Raises ConfigError,
        and ValueError for an intensity outside [0, 1] or a wrong kind of page.
        """
        if (intensity is None) == (not level):
            raise ConfigError("give either intensity=0.5 or level='severe'")
        perturbation: Any = self.perturbation
        if intensity is None:
            noise = choose_level(self._spec, level)
            intensity = noise.intensity
            perturbation = registry.create("perturbation", noise.operator or self._spec)
        rng = generator_for(seed, perturbation.name, ref)
        applied: Applied[Any] = perturbation.apply(page, intensity=intensity, rng=rng)
        return applied

    @overload
    def replay(self, page: np.ndarray, record: Mapping[str, Any]) -> np.ndarray: ...
    @overload
    def replay(self, page: str, record: Mapping[str, Any]) -> str: ...
    def replay(self, page: np.ndarray | str, record: Mapping[str, Any]) -> np.ndarray | str:
        """Make the noisy page again, to the byte, from the clean page and the record.

        Raises ValueError for a record that does not fit.
        """
        perturbation: Any = self.perturbation
        noisy: np.ndarray | str = perturbation.replay(page, record)
        return noisy

    def move(self, boxes: np.ndarray, record: Mapping[str, Any]) -> np.ndarray:
        """Where the distortion moves boxes: ``(n, 4)``, x0, y0, x1, y1 in pixels.

        Raises ConfigError for noise on texts, ValueError for another shape or a bad record.
        """
        if not isinstance(self.perturbation, ImagePerturbation):
            raise ConfigError(f"noise {self.perturbation.name!r} rewrites text: it moves no boxes")
        return self.perturbation.move(boxes, record)

    def undo(self, text: str, record: Mapping[str, Any]) -> str:
        """The clean text, to the byte.

        Raises ConfigError for noise on images, ValueError for a record that does not fit.
        """
        if not isinstance(self.perturbation, TextPerturbation):
            raise ConfigError(f"noise {self.perturbation.name!r} distorts images: it has no undo")
        return self.perturbation.undo(text, record)


def engine(name: PluginValue, **params: Any) -> LoadedEngine:
    """An OCR engine. Raises ConfigError, also for wrong parameters, and UnknownPluginError."""
    return LoadedEngine(registry.ocr_engine(_spec(name, params)))


def perturbation(name: PluginValue, **params: Any) -> LoadedNoise:
    """Noise: a distortion of page images, or formatting noise in text. Raises ConfigError."""
    return LoadedNoise(_spec(name, params))


def chunker(name: PluginValue, **params: Any) -> Chunker:
    """A chunker, which splits page text into chunks. Raises ConfigError."""
    return registry.create("chunker", _spec(name, params))


def retriever(name: PluginValue, **params: Any) -> Retriever:
    """A retriever, which ranks chunks for a question.

    Raises ConfigError, also for the oracle and for retrievers that look at page images.
    """
    search = registry.create("retriever", _spec(name, params))
    if search.sees_images:
        raise ConfigError(
            f"retriever {search.name!r} needs page images: use it in a study, which draws them"
        )
    if not isinstance(search, Retriever):
        raise ConfigError(
            f"retriever {search.name!r} is an oracle: it is given the evidence and searches nothing"
        )
    return search


def reader(name: PluginValue, **params: Any) -> Reader:
    """A reader, which answers questions from hits. Raises ConfigError."""
    return registry.create("reader", _spec(name, params))


@overload
def metric(
    *, of: Of = "answer", title: str = "", higher_is_better: bool = True, **declared: Any
) -> Callable[[F], F]: ...
@overload
def metric(name: PluginValue, **params: Any) -> Metric: ...
def metric(name: Any = "", **options: Any) -> Any:
    """A metric by name, or the decorator that declares one.

    ``ohr.metric("f1")`` is a metric: called with (prediction, reference), it returns a score in
    [0, 1]. Options are its parameters.

    ``@ohr.metric(of="page", title="Numbers found")`` above ``def numbers(text, truth) -> float``
    declares a function of two texts, or of one case, as a metric of a ``page``, a question's
    ``evidence``, the ``hits`` for a question or an ``answer`` (the default). Options are attributes
    of :class:`ohr.plugins.Metric`. The function itself is unchanged; name it in a study by its
    dotted path. Raises ConfigError for an unknown metric, PluginError for a wrong declaration.
    """
    if name == "" or name in get_args(Of):
        return declare_metric(**({"of": name} if name else {}), **options)
    return registry.create("metric", _spec(name, options))


def load_metric(name: PluginValue, **params: Any) -> Metric:
    """:func:`metric` by name, under its earlier name."""
    return registry.create("metric", _spec(name, params))


def system(name: PluginValue, **params: Any) -> System:
    """A system, which answers questions from documents. Raises ConfigError."""
    return registry.create("system", _spec(name, params))


def mitigation(name: PluginValue, **params: Any) -> Mitigation:
    """A mitigation: a repair of page images or texts, a fusion of texts, or a change of a search.

    Raises ConfigError.
    """
    return registry.create("mitigation", _spec(name, params))


def dataset(kind: str = "sample", **params: Any) -> Dataset:
    """Load a dataset: documents and questions. Raises ConfigError, DatasetError."""
    return registry.create("dataset", {"name": kind, "params": params}).load()


def known(kind: str) -> list[str]:
    """The names of the plug-ins of a kind: ``engine``, ``perturbation``, ``retriever`` and so on.

    Raises ConfigError for an unknown kind.
    """
    if kind not in registry.KINDS:
        raise ConfigError(f"unknown kind of plug-in {kind!r}; {did_you_mean(kind, registry.KINDS)}")
    return registry.known(kind)


def page_image(path: Path | str, page_no: int = 0, *, dpi: int = 150) -> np.ndarray:
    """A page of a PDF (counted from 0, drawn at ``dpi``) or an image file, as uint8 RGB or grey.

    Raises EngineError for a file that cannot be opened or has no such page.
    """
    path = Path(path)
    return render(path, page_no, dpi) if path.suffix.lower() == ".pdf" else load_image(path)


def _spec(name: PluginValue, params: Mapping[str, Any]) -> PluginSpec:
    spec = PluginSpec.parse(name)
    return spec.model_copy(update={"params": {**spec.params, **params}})
