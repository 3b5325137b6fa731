"""The hooks: one base class for each kind of plug-in.

A plug-in is a class with a ``name``, a ``version`` that changes whenever its output may
change, and its parameters beside it: ``Params``, a subclass of :class:`Params` below.
:meth:`Plugin.identity` is what the artefact store keys on. :mod:`ohr.registry` finds plug-ins
by name.
"""

from __future__ import annotations

import contextlib
import inspect
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from pydantic import BaseModel, ConfigDict

from ohr.errors import ConfigError, MissingDependencyError, StoreError
from ohr.markup.headings import Heading, headings, opened, titles
from ohr.store.artefacts import ArtefactStore
from ohr.store.identity import digest, file_digest
from ohr.types import Answer, Chunk, Document, Hit, KnowledgeBase, Outcome, PageRef

if TYPE_CHECKING:
    from ohr.datasets.dataset import Dataset

X = TypeVar("X")
_CACHED_PAGES = 65536
PROJECT = frozenset({"ohr", "perturb", "ocr_backends", "rag", "experiments"})
"""Packages whose plug-ins are told apart by their ``version`` alone."""
_SOURCES: WeakKeyDictionary[type, dict[str, str]] = WeakKeyDictionary()


class Params(BaseModel):
    """Parameters of a plug-in: immutable, no unknown names, no infinity or NaN."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Plugin:
    """Base of every plug-in; subclasses declare a ``Params`` model of their own."""

    name: ClassVar[str]
    version: ClassVar[str] = "1"
    argument: ClassVar[str | None] = None
    """The parameter that ``name:value`` sets, as in ``precomputed:MinerU``."""

    Params: ClassVar[type[BaseModel]] = Params

    def __init__(self, params: BaseModel | None = None) -> None:
        self.params: Any = params if params is not None else self.Params()

    def identity(self) -> dict[str, object]:
        """Name, version and parameters as plain JSON; equal identities give equal output."""
        return {
            "name": self.name,
            "version": self.version,
            "params": self.params.model_dump(mode="json"),
            **source_of(type(self)),
        }


def source_of(cls: type) -> dict[str, str]:
    """Module and digest of the source of a class from outside the project, else nothing.

    So an edited plug-in of one's own never returns what it made before, whatever its ``version``.
    Modules that it imports are not looked at. Of a class in a notebook, its functions are.
    """
    if cls.__module__.partition(".")[0] in PROJECT:
        return {}
    if cls not in _SOURCES:  # as it was when the class was first used, not as it is edited now
        _SOURCES[cls] = {"module": cls.__module__, "source": _source_digest(cls)}
    return _SOURCES[cls]


def _source_digest(cls: type) -> str:
    file = getattr(sys.modules.get(cls.__module__), "__file__", None)
    if file is not None and Path(file).is_file():
        return file_digest(Path(file))
    functions = [value for value in vars(cls).values() if inspect.isfunction(value)]
    sources = []
    for function in functions:
        with contextlib.suppress(OSError, TypeError):
            sources.append(inspect.getsource(function))
    return digest(sources)


@dataclass(frozen=True, slots=True)
class Applied(Generic[X]):
    """A perturbed value and the record (plain JSON) that replays it to the same bytes."""

    value: X
    record: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Level:
    """What a named level of a perturbation stands for."""

    intensity: float
    params: Mapping[str, Any] = field(default_factory=dict)
    """Parameters that the level sets, for levels that differ in kind (a mixture's)."""


class Perturbation(Plugin, ABC, Generic[X]):
    """Noise on a page image (uint8, ``(h, w)`` grey or ``(h, w, 3)`` RGB) or on a text."""

    kind: ClassVar[str]
    """``semantic`` (acts on images) or ``formatting`` (acts on text)."""
    levels: ClassVar[Mapping[str, Level]] = {
        "mild": Level(0.25),
        "moderate": Level(0.5),
        "severe": Level(1.0),
    }
    """Named levels, mildest first; mixtures have their own."""

    @abstractmethod
    def apply(self, x: X, *, intensity: float, rng: np.random.Generator) -> Applied[X]:
        """Perturb ``x``; intensity 0 returns equal bytes. Raises ValueError outside [0, 1]."""

    @abstractmethod
    def replay(self, x: X, record: Mapping[str, Any]) -> X:
        """The value that :meth:`apply` returned with this record, to the byte."""


class ImagePerturbation(Perturbation[np.ndarray], ABC):
    """A page distortion: same size and dtype out as in; boxes move with the pixels."""

    kind = "semantic"

    @abstractmethod
    def move(self, boxes: np.ndarray, record: Mapping[str, Any]) -> np.ndarray:
        """Move ``(n, 4)`` float boxes (x0, y0, x1, y1; pixels, origin top left) likewise.

        A moved box is the upright hull of the distorted one, clipped to the page.
        """


class TextPerturbation(Perturbation[str], ABC):
    """Formatting noise on Markdown/LaTeX."""

    kind = "formatting"

    @abstractmethod
    def undo(self, value: str, record: Mapping[str, Any]) -> str:
        """The text before :meth:`apply`, to the byte."""


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


class Chunker(Plugin, ABC):
    """Cuts pages into chunks."""

    @abstractmethod
    def spans(self, text: str) -> list[tuple[int, int]]:
        """Character spans of a page's chunks, in order, without overlap."""

    def context(self, section: Sequence[str]) -> str:
        """Text that is indexed with a chunk, from the headings above its own; here nothing."""
        return ""

    def split(self, ref: PageRef, text: str, above: Sequence[Heading] = ()) -> list[Chunk]:
        """Chunks of one page's text. ``above`` are headings still open from earlier pages."""
        path, coming, chunks = tuple(above), list(self._headings(text)), []
        for start, end in self._spans(text):
            own = False
            while coming and coming[0].start <= start:
                own = coming[0].start == start
                path = opened(path, [coming.pop(0)])
            section = titles(path)
            context = self.context(section[:-1] if own else section)
            chunks.append(Chunk(ref, start, end, text[start:end], section, context))
        return chunks

    def chunks(self, pages: Iterable[tuple[PageRef, str]]) -> list[Chunk]:
        """Chunks of pages in index order; headings stay open to the end of their document."""
        found: list[Chunk] = []
        document = ""
        above: tuple[Heading, ...] = ()
        for ref, text in pages:
            if ref.doc_id != document:
                document, above = ref.doc_id, ()
            found += self.split(ref, text, above)
            above = opened(above, self._headings(text))
        return found

    @cached_property
    def _spans(self) -> Callable[[str], list[tuple[int, int]]]:
        """Pages that a noisy knowledge base shares with the clean one are cut once."""
        return lru_cache(maxsize=_CACHED_PAGES)(self.spans)

    @cached_property
    def _headings(self) -> Callable[[str], list[Heading]]:
        return lru_cache(maxsize=_CACHED_PAGES)(headings)


class Retriever(Plugin, ABC):
    """Ranks chunks for a question's text."""

    whole_pages: bool = False
    """Whether its hits are whole pages in place of the chunks that it was given."""

    @abstractmethod
    def index(self, chunks: Sequence[Chunk]) -> None:
        """Index chunks, replacing what was indexed before."""

    @abstractmethod
    def search_many(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """The k best chunks for each query, best first; ties in index order."""

    def search(self, query: str, k: int) -> list[Hit]:
        """The k best chunks for one query."""
        return self.search_many([query], k)[0]

    def use_store(self, store: ArtefactStore) -> None:
        """Told where costly results, such as vectors, may be kept from run to run."""


class Oracle(Plugin, ABC):
    """Knows where the evidence is: a ceiling for retrievers, and not one of them.

    A study hands it the pages of each question's evidence and no text. Retrievers, which are
    handed the text, have no such method.
    """

    @abstractmethod
    def index(self, chunks: Sequence[Chunk]) -> None:
        """Index chunks, replacing what was indexed before."""

    @abstractmethod
    def look_up(self, pages: Sequence[PageRef], k: int) -> list[Hit]:
        """At most k hits on the pages of one question's evidence."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A reader's outcome for the question of that index, and what it took."""

    index: int
    outcome: Outcome[str]
    usage: Mapping[str, float] = field(default_factory=dict)
    """What a run adds up: ``prompt_tokens``, ``completion_tokens``, ``cost``, ``contexts_cut``."""


class Reader(Plugin, ABC):
    """Answers a question from retrieved text, or from nothing."""

    note: ClassVar[str] = ""
    """What must be known of its answers' scores: it stands below every table and figure."""

    @abstractmethod
    def answer(self, question: str, context: Sequence[Hit]) -> Outcome[str]:
        """The answer in a few words. An empty context asks what the reader guesses."""

    def answer_many(
        self, questions: Sequence[str], contexts: Sequence[Sequence[Hit]]
    ) -> Iterator[Reply]:
        """Answers to many questions, each with its context, in any order, as they are ready.

        One after the other, unless a reader that can work on several at once overrides this.
        What :meth:`answer` raises is that answer's error outcome, except for ConfigError,
        MissingDependencyError and StoreError, which are no question's fault.
        """
        for index, (question, context) in enumerate(zip(questions, contexts, strict=True)):
            yield Reply(index, self.answer_or_error(question, context))

    def answer_or_error(self, question: str, context: Sequence[Hit]) -> Outcome[str]:
        """:meth:`answer`, or an error outcome."""
        try:
            return self.answer(question, context)
        except (ConfigError, MissingDependencyError, StoreError):
            raise
        except Exception as error:
            return Outcome.error(" ".join(f"{type(error).__name__}: {error}".split())[:500])


class System(Plugin, ABC):
    """A whole published system: documents in, answer out."""

    @abstractmethod
    def answer(self, question: str, documents: Sequence[Document]) -> Outcome[Answer]:
        """Answer a question over documents."""


class Metric(Plugin, ABC):
    """A score in [0, 1] of a prediction against a reference."""

    missing: ClassVar[float]
    """The worst value: what a failed or empty prediction scores."""
    higher_is_better: ClassVar[bool] = True

    @abstractmethod
    def score(self, prediction: str, reference: str) -> float:
        """Score one pair."""
