"""The study's vocabulary: small frozen types that every room shares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Literal, Protocol, TypeVar

from ohr.errors import EngineError

if TYPE_CHECKING:
    import numpy as np

T = TypeVar("T")

Runner = Literal["local", "ray"]
"""Where workers run: on this machine, or on the nodes of a Ray cluster."""

EVIDENCE_SOURCES = ("text", "table", "formula", "chart", "reading_order")
"""Evidence sources of OHR-Bench, in the order of the paper's table 2."""


class Status(StrEnum):
    """How an attempt ended. Only ``ok`` carries a value worth scoring."""

    OK = "ok"
    EMPTY = "empty"
    ERROR = "error"
    TIMEOUT = "timeout"

    @property
    def severity(self) -> int:
        """0 for ok up to 3 for timeout; the worst status of several is the largest."""
        return list(Status).index(self)


FAILED = frozenset({Status.ERROR, Status.TIMEOUT})
"""Statuses of attempts without a result. ``empty`` is not one of them: it is a result."""


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """A value, or the reason why there is none. ``detail`` is one readable line.

    ``confidence`` is how sure a reader or system is of its answer, in [0, 1]; of a page that
    another tool read, that tool's mean confidence in its words. None if none is said.
    """

    value: T | None
    status: Status = Status.OK
    detail: str = ""
    confidence: float | None = None

    @classmethod
    def error(cls, detail: str) -> Outcome[T]:
        return cls(None, Status.ERROR, detail)

    @classmethod
    def timeout(cls, detail: str) -> Outcome[T]:
        return cls(None, Status.TIMEOUT, detail)

    @staticmethod
    def of_text(text: str, detail: str = "", confidence: float | None = None) -> Outcome[str]:
        """``ok`` with the text, or ``empty`` when it is only white space."""
        return Outcome(text, Status.OK if text.strip() else Status.EMPTY, detail, confidence)


@dataclass(frozen=True, slots=True)
class Word:
    """A word as an engine recognised it, and how sure the engine was, in [0, 1].

    ``box`` is left, top, right and bottom in pixels of the page image.
    """

    text: str
    confidence: float
    box: tuple[int, int, int, int]


@dataclass(frozen=True, slots=True, order=True)
class PageRef:
    """A page: document id (``domain/name``) and page number, 0-based as in OHR-Bench."""

    doc_id: str
    page_no: int


class ImageSource(Protocol):
    """Draws page images."""

    def draw(self, refs: Sequence[PageRef]) -> list[Outcome[np.ndarray]]:
        """The images of some pages, in order: uint8 RGB ``(h, w, 3)``."""


@dataclass(frozen=True, slots=True)
class PageImage:
    """A page as a picture, drawn when :meth:`load` is called.

    ``digest`` covers the clean page and its distortion. Equal digests give equal pixels, so
    results that were computed from a picture can be found again without drawing it.
    """

    ref: PageRef
    digest: str
    source: ImageSource = field(compare=False, repr=False)

    def load(self) -> np.ndarray:
        """The picture, uint8 RGB ``(h, w, 3)``. Raises EngineError for a page that has none."""
        [outcome] = self.source.draw([self.ref])
        if outcome.value is None:
            raise EngineError(outcome.detail)
        return outcome.value


def load_images(images: Sequence[PageImage]) -> list[Outcome[np.ndarray]]:
    """Draw several pictures of one study together, in order; failures are outcomes."""
    return images[0].source.draw([image.ref for image in images]) if images else []


@dataclass(frozen=True, slots=True)
class Line:
    """A transcribed line of a page, and where it stands.

    ``box`` is left, top, right and bottom in pixels of the page image.
    """

    text: str
    box: tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Page:
    """Ground truth of one page: Markdown with LaTeX, and its image if it has one.

    ``lines`` are the transcribed lines in reading order, for data that say where they stand.
    """

    ref: PageRef
    text: str
    image: Path | None = None
    lines: tuple[Line, ...] = ()


LEAST_COVERED = 0.95
"""A text with less of the page's ink is not the whole text of the page: output that is compared
with it would be charged for text that it reads rightly."""


@dataclass(frozen=True, slots=True)
class Holes:
    """What is not known of a page's truth. By default, everything is known.

    ``doubtful``: start and end, in characters of the page's text, of words that may be wrong;
    sorted and disjoint. ``order_known``: whether the order of the page's words is known.
    ``covered``: the share of the page's ink that the text explains, in [0, 1].
    """

    doubtful: tuple[tuple[int, int], ...] = ()
    order_known: bool = True
    covered: float = 1.0

    @property
    def is_complete(self) -> bool:
        """Whether the text is all of the page's, but for less than :data:`LEAST_COVERED` allows."""
        return self.covered >= LEAST_COVERED


@dataclass(frozen=True, slots=True)
class Document:
    """A document: its ground-truth pages and, if it has one, their PDF (``source``)."""

    doc_id: str
    domain: str
    pages: Sequence[Page]
    source: Path | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its gold fields. Retrievers, readers and systems see ``text`` only.

    ``evidence_source`` is one of :data:`EVIDENCE_SOURCES`. ``evidence_text`` joins several
    contexts with a line break. ``answers`` are alternatives, of which the best counts.
    ``category`` is one of :data:`ohr.datasets.categories.CATEGORIES`, or empty. ``headers`` are
    the headers above the evidence, outermost first, if the data name them. ``written_for`` names
    the system for whose rules the question was written, if any; that system's score on it means
    nothing. ``evidence_pages`` is empty if the data name no page; metrics that need a page then
    leave the question out. ``answers`` is empty in data for retrieval alone; metrics of answers
    then leave it out. ``relevance`` is how relevant each of the ``evidence_pages`` is, above 0, in
    their order; empty if all are equally relevant. ``fact`` is what should be true of the page's
    text, as JSON (:mod:`ohr.metrics.page_facts`).
    """

    qid: str
    text: str
    answers: tuple[str, ...]
    doc_id: str
    domain: str
    evidence_pages: tuple[PageRef, ...]
    evidence_text: str
    evidence_source: str
    answer_form: str = ""
    task: str = ""
    category: str = ""
    headers: tuple[str, ...] = ()
    written_for: str = ""
    relevance: tuple[float, ...] = ()
    fact: str = ""

    @property
    def place(self) -> PageRef:
        """The first page of its evidence; page -1 of its document if no page is named."""
        return self.evidence_pages[0] if self.evidence_pages else PageRef(self.doc_id, -1)


@dataclass(frozen=True, slots=True)
class KnowledgeBase:
    """The page texts that one engine made of one dataset, perhaps distorted.

    ``origin`` names the engine and the noise. ``pages`` keeps the order in which documents and
    pages are indexed. ``images`` are the pictures of the pages, with the same distortion as those
    that the engine read; empty unless a study looks at pictures.
    """

    pages: Mapping[PageRef, Outcome[str]]
    origin: Mapping[str, object] = field(default_factory=dict)
    images: Mapping[PageRef, PageImage] = field(default_factory=dict)

    def text(self, ref: PageRef) -> str:
        """Text of a page; empty for a page that failed or is missing."""
        outcome = self.pages.get(ref)
        return (outcome.value or "") if outcome is not None else ""

    def status(self, ref: PageRef) -> Status:
        """Status of a page; ``error`` for a page that is missing."""
        outcome = self.pages.get(ref)
        return outcome.status if outcome is not None else Status.ERROR


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of one page: ``text == page_text[start:end]``, offsets in characters.

    ``section`` is the headings that its start falls under, outermost first. ``context`` is
    indexed together with the text, but is not part of it.
    """

    ref: PageRef
    start: int
    end: int
    text: str
    section: tuple[str, ...] = ()
    context: str = ""

    @property
    def indexed_text(self) -> str:
        """What a retriever indexes: the context, if there is any, and the text."""
        return f"{self.context}\n{self.text}" if self.context else self.text


@dataclass(frozen=True, slots=True)
class Hit:
    """A retrieved chunk. ``rank`` is 0-based; a higher ``score`` is better."""

    ref: PageRef
    text: str
    score: float
    rank: int
    span: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class ShownHit(Hit):
    """A hit with its page's picture, for readers that look at pages."""

    image: PageImage | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A system's answer and what it cites.

    ``quote`` is the passage that supports the answer, ``sources`` the pages that the quote comes
    from, and ``headers`` the headers above it, outermost first. ``trace`` lists the system's steps.
    """

    text: str
    quote: str = ""
    sources: tuple[PageRef, ...] = ()
    trace: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
