"""The corpus of a seed: documents in groups, each document a function of seed and number alone.

Document ``number`` is of domain ``number % 7``; a group is the documents of one index over all
domains. They share their companies, so that questions over several documents stay inside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from ohr.plugins.randomness import generator_for
from ohr.sample.attributes import check_attributes, drawn_attributes, look_of
from ohr.sample.authors.all import AUTHORS, Author
from ohr.sample.authors.chinese import Bulletin
from ohr.sample.authors.naming import cite
from ohr.sample.authors.world import World
from ohr.sample.blocks import PageLayout
from ohr.sample.choices import DIFFICULTY, PAGES_PER_DOCUMENT, Difficulty
from ohr.sample.questions.asks import Ask
from ohr.sample.questions.questions import Answerable, GoldQuestion, ask
from ohr.sample.template import Candidate, WrittenPage, page_templates, write_document
from ohr.sample.typesetting.boxes import Continuation
from ohr.sample.typesetting.looks import Look
from ohr.types import PageRef

EDITIONS: dict[Difficulty, int] = {"easy": 1, "calibrated": 6, "hard": 12}
"""How hard pages are to tell apart -> of how many years a company has documents of each domain."""

DENSE_PAGES = {
    "finance": 3,
    "law": 3,
    "manual": 3,
    "textbook": 3,
    "newspaper": 2,
    "academic": 2,
    "administration": 3,
}
"""Domain -> how many ordinary pages a dense one holds."""


@dataclass(frozen=True, slots=True)
class Written:
    """A document before it is rendered; ``attributes`` are those it was asked to have."""

    seed: int
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
        """From 0: every author writes one document of a group, and questions stay inside it."""
        return self.number // len(AUTHORS)

    @property
    def look(self) -> Look:
        """The look of its domain and attributes."""
        return look_of(self.domain, self.attributes)


def groups(
    seed: int,
    n_pages: int,
    attributes: Sequence[str] = (),
    document_pages: int = PAGES_PER_DOCUMENT,
) -> Iterator[list[tuple[int, int]]]:
    """Documents of ``n_pages`` pages in all, by group: their numbers and numbers of pages.

    Each has ``document_pages`` pages (a dense one has one), the last perhaps fewer. A larger
    corpus begins with the documents of a smaller one.
    """
    number, remaining = 0, n_pages
    while remaining > 0:
        group = []
        for place in range(len(AUTHORS)):
            drawn = drawn_attributes(seed, number + place, attributes)
            length = min(1 if "dense" in drawn else document_pages, remaining)
            if length:
                group.append((number + place, length))
            remaining -= length
        number += len(AUTHORS)
        yield group


def document(
    seed: int,
    number: int,
    length: int,
    attributes: Sequence[str] = (),
    difficulty: Difficulty = DIFFICULTY,
) -> Written:
    """Document ``number`` of a seed, its first ``length`` pages.

    ``attributes`` are those that documents may have; each draws one of them, or none. Raises
    ConfigError for an attribute that is unknown or that this machine lacks the font for.
    """
    check_attributes(attributes)
    drawn = drawn_attributes(seed, number, attributes)
    world = _world(seed, EDITIONS[difficulty])
    index, place = divmod(number, len(AUTHORS))
    domain = list(AUTHORS)[place]
    rng = generator_for(seed, "sample.document", PageRef(domain, index))
    author: Author | Bulletin
    if "multilingual" in drawn:
        author, templates = Bulletin(world, number, rng), page_templates("chinese")
    else:
        author, templates = AUTHORS[domain](world, index, rng), page_templates(domain)
    layout: PageLayout = author.layout
    if domain == "newspaper" and not isinstance(author, Bulletin):
        layout = replace(layout, nameplate=True)
    if "dense" in drawn:
        templates = (_run_together(templates[: DENSE_PAGES[domain]]),)
        if layout.columns == 1 and "<<" not in templates[0]:
            layout = replace(layout, columns=2)
    doc_id = f"{domain}/{author.name}"
    pages = write_document(
        templates[:length],
        author.slots,
        author.tables,
        lambda page_no: generator_for(seed, "sample.page", PageRef(doc_id, page_no)),
    )
    if not isinstance(author, Bulletin):
        pages = cite(pages, author.naming)
    return Written(seed, number, domain, author.name, author.title, pages, layout, drawn)


def _run_together(templates: Sequence[str]) -> str:
    """Several pages as one; a sentence that ran on overleaf is whole again."""
    whole = templates[0].rstrip()
    for template in templates[1:]:
        whole += ("\n" if whole.endswith("\n~") else "\n\n") + template.rstrip()
    return whole


def documents(
    seed: int,
    n_pages: int,
    attributes: Sequence[str] = (),
    difficulty: Difficulty = DIFFICULTY,
    document_pages: int = PAGES_PER_DOCUMENT,
) -> list[Written]:
    """All documents of a corpus, in the order of their ids."""
    written = [
        document(seed, number, length, attributes, difficulty)
        for group in groups(seed, n_pages, attributes, document_pages)
        for number, length in group
    ]
    return sorted(written, key=lambda document: document.doc_id)


def questions(seed: int, corpus: Sequence[Written], count: int) -> list[GoldQuestion]:
    """Questions by group, in each in page order, as many of a group as its share of the pages.

    Raises ConfigError if the pages cannot answer so many.
    """
    by_group: dict[int, list[Written]] = {}
    for document in sorted(corpus, key=lambda document: document.number):
        by_group.setdefault(document.group, []).append(document)
    total = sum(len(document.pages) for document in corpus)
    answerable: list[GoldQuestion] = []
    pages = 0
    for members in by_group.values():
        pages += sum(len(document.pages) for document in members)
        share = count * pages // total - len(answerable)
        answerable += group_questions(seed, members, share)
    return answerable


def group_questions(seed: int, members: Sequence[Written], count: int) -> list[GoldQuestion]:
    """``count`` questions of one group's documents, in page order. Raises ConfigError for more
    than the pages can answer.
    """
    rng = generator_for(seed, "sample.questions", PageRef("", members[0].group))
    return ask([Answerable(document.doc_id, document.pages) for document in members], count, rng)


def apply_breaks(document: Written, breaks: Sequence[Continuation]) -> Written:
    """The document after its layout: what a column break cuts in two is about reading order."""
    by_page: dict[int, list[Continuation]] = {}
    for continuation in breaks:
        by_page.setdefault(continuation.page_no, []).append(continuation)
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
    for continuation in breaks:
        (passage, *rest) = candidate.evidence
        whole = f"{continuation.before} {continuation.after}"
        position = whole.find(passage)
        cut = len(continuation.before) - position
        if not rest and position >= 0 and 0 < cut < len(passage):
            parts = (passage[:cut], passage[cut + 1 :])
            return replace(candidate, source="reading_order", evidence=parts)
    return candidate


@lru_cache(maxsize=1)
def _world(seed: int, editions: int) -> World:
    """The world of a seed, kept: drawing its names takes longer than writing a document."""
    return World(seed, editions)
