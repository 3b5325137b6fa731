"""The corpus of a seed: documents in groups, each document a function of seed and number alone.

Document ``number`` is of domain ``number % 7``; a group is the documents of one index over all
domains. They share their companies, so that questions over several documents stay inside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ohr.datasets.sample.asks import Ask
from ohr.datasets.sample.attributes import check_attributes, drawn_attributes, look_of
from ohr.datasets.sample.authors import AUTHORS
from ohr.datasets.sample.blocks import PageLayout
from ohr.datasets.sample.boxes import Continuation
from ohr.datasets.sample.looks import Look
from ohr.datasets.sample.questions import Answerable, Asked, ask
from ohr.datasets.sample.template import Candidate, WrittenPage, page_templates, write_document
from ohr.datasets.sample.world import World
from ohr.randomness import generator_for
from ohr.types import PageRef

PAGES_PER_DOCUMENT = 3


@dataclass(frozen=True, slots=True)
class Written:
    """A document before it is rendered; ``attributes`` are those it was asked to have."""

    number: int
    domain: str
    name: str
    title: str
    pages: tuple[WrittenPage, ...]
    layout: PageLayout
    attributes: tuple[str, ...] = ()

    @property
    def doc_id(self) -> str:
        return f"{self.domain}/{self.name}"

    @property
    def group(self) -> int:
        """The group of the document."""
        return self.number // len(AUTHORS)

    @property
    def look(self) -> Look:
        """The look of its domain and attributes."""
        return look_of(self.domain, self.attributes)


def groups(n_pages: int) -> Iterator[list[tuple[int, int]]]:
    """Documents of ``n_pages`` pages in all, by group: their numbers and numbers of pages.

    Each has three pages, the last perhaps fewer. A larger corpus begins with the documents of a
    smaller one.
    """
    step = len(AUTHORS) * PAGES_PER_DOCUMENT
    for group, first in enumerate(range(0, n_pages, step)):
        rest = min(step, n_pages - first)
        starts = range(0, rest, PAGES_PER_DOCUMENT)
        yield [
            (group * len(AUTHORS) + place, min(PAGES_PER_DOCUMENT, rest - start))
            for place, start in enumerate(starts)
        ]


def document(seed: int, number: int, length: int, attributes: Sequence[str] = ()) -> Written:
    """Document ``number`` of a seed, its first ``length`` pages.

    ``attributes`` are those that documents may have; each draws one of them, or none. Raises
    ConfigError for an attribute that is unknown or that this machine lacks the font for.
    """
    check_attributes(attributes)
    world = _world(seed)
    index, place = divmod(number, len(AUTHORS))
    domain = list(AUTHORS)[place]
    author = AUTHORS[domain](
        world, index, generator_for(seed, "sample.document", PageRef(domain, index))
    )
    doc_id = f"{domain}/{author.name}"
    pages = write_document(
        page_templates(domain)[:length],
        author.slots,
        author.tables,
        lambda page_no: generator_for(seed, "sample.page", PageRef(doc_id, page_no)),
    )
    drawn = drawn_attributes(seed, number, attributes)
    return Written(number, domain, author.name, author.title, pages, getattr(author, "layout", PageLayout()), drawn)


def documents(seed: int, n_pages: int, attributes: Sequence[str] = ()) -> list[Written]:
    """All documents of a corpus, in the order of their ids."""
    written = [
        document(seed, number, length, attributes)
        for group in groups(n_pages)
        for number, length in group
    ]
    return sorted(written, key=lambda document: document.doc_id)


def questions(seed: int, corpus: Sequence[Written], count: int) -> list[Asked]:
    """Questions by group, in each in page order, as many of a group as its share of the pages.

    Raises ConfigError if the pages cannot answer so many.
    """
    by_group: dict[int, list[Written]] = {}
    for one in sorted(corpus, key=lambda one: one.number):
        by_group.setdefault(one.group, []).append(one)
    total = sum(len(one.pages) for one in corpus)
    asked: list[Asked] = []
    pages = 0
    for members in by_group.values():
        pages += sum(len(one.pages) for one in members)
        share = count * pages // total - len(asked)
        asked += group_questions(seed, members, share)
    return asked


def group_questions(seed: int, members: Sequence[Written], count: int) -> list[Asked]:
    """Questions of the documents of one group."""
    rng = generator_for(seed, "sample.questions", PageRef("", members[0].group))
    return ask([Answerable(one.doc_id, one.pages) for one in members], count, rng)


def with_breaks(document: Written, breaks: Sequence[Continuation]) -> Written:
    """The document after its layout: what a column break cuts in two is about reading order."""
    by_page: dict[int, list[Continuation]] = {}
    for one in breaks:
        by_page.setdefault(one.page_no, []).append(one)
    pages = tuple(
        replace(
            page,
            candidates=tuple(_cut(candidate, by_page[page_no]) for candidate in page.candidates),
        )
        if page_no in by_page
        else page
        for page_no, page in enumerate(document.pages)
    )
    return replace(document, pages=pages)


def _cut(candidate: Candidate, breaks: Sequence[Continuation]) -> Candidate:
    if not isinstance(candidate.content, Ask) or candidate.source != "text":
        return candidate
    for one in breaks:
        (passage, *others) = candidate.evidence
        whole = f"{one.before} {one.after}"
        at = whole.find(passage)
        cut = len(one.before) - at
        if not others and at >= 0 and 0 < cut < len(passage):
            parts = (passage[:cut], passage[cut + 1 :])
            return replace(candidate, source="reading_order", evidence=parts)
    return candidate


_WORLDS: dict[int, World] = {}


def _world(seed: int) -> World:
    """The world of a seed, kept: drawing its names takes longer than writing a document."""
    if seed not in _WORLDS:
        _WORLDS.clear()
        _WORLDS[seed] = World(seed)
    return _WORLDS[seed]


DOMAINS: Mapping[str, int] = {domain: place for place, domain in enumerate(AUTHORS)}
"""Domain -> its place in a group."""
