"""The corpus of a seed: documents in index order, and the questions asked of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ohr.datasets.sample.finance import AnnualReport
from ohr.datasets.sample.law import SupplyAgreement
from ohr.datasets.sample.manual import OperatingManual
from ohr.datasets.sample.questions import Asked, choose
from ohr.datasets.sample.template import TableDraft, WrittenPage, page_templates, write_page
from ohr.datasets.sample.textbook import Chapter
from ohr.datasets.sample.world import World
from ohr.randomness import generator_for
from ohr.types import PageRef

PAGES_PER_DOCUMENT = 3


class Author(Protocol):
    """A kind of document: the values and tables that its page templates name."""

    domain: str
    name: str
    title: str
    slots: dict[str, str]
    tables: dict[str, TableDraft]

    def __init__(self, world: World, index: int, rng: np.random.Generator) -> None: ...


AUTHORS: Mapping[str, type[Author]] = {
    author.domain: author for author in (AnnualReport, SupplyAgreement, OperatingManual, Chapter)
}
"""Domain -> its kind of document."""


@dataclass(frozen=True, slots=True)
class Written:
    """A document before it is rendered."""

    domain: str
    name: str
    title: str
    pages: tuple[WrittenPage, ...]

    @property
    def doc_id(self) -> str:
        return f"{self.domain}/{self.name}"


@dataclass(frozen=True, slots=True)
class AskedOf:
    """A question and the page that answers it."""

    ref: PageRef
    asked: Asked


def documents(seed: int, n_pages: int) -> list[Written]:
    """Documents of ``n_pages`` pages in all, three each (the last may be shorter), by domain.

    Domains take turns, so a larger corpus contains the documents of a smaller one.
    """
    world = World(seed)
    written = []
    for number, first in enumerate(range(0, n_pages, PAGES_PER_DOCUMENT)):
        domain = list(AUTHORS)[number % len(AUTHORS)]
        length = min(PAGES_PER_DOCUMENT, n_pages - first)
        written.append(_document(world, domain, number // len(AUTHORS), length))
    return sorted(written, key=lambda document: (document.domain, document.name))


def questions(seed: int, corpus: list[Written], count: int) -> list[AskedOf]:
    """Questions in page order. Raises ConfigError if the pages cannot answer so many."""
    refs = [PageRef(doc.doc_id, page_no) for doc in corpus for page_no in range(len(doc.pages))]
    pages = [page.candidates for document in corpus for page in document.pages]
    rng = generator_for(seed, "sample.questions", PageRef("", count))
    return [AskedOf(refs[asked.page], asked) for asked in choose(pages, count, rng)]


def _document(world: World, domain: str, index: int, length: int) -> Written:
    author = AUTHORS[domain](
        world, index, generator_for(world.seed, "sample.document", PageRef(domain, index))
    )
    doc_id = f"{domain}/{author.name}"
    pages = tuple(
        write_page(
            page_templates(domain)[page_no],
            author.slots,
            author.tables,
            generator_for(world.seed, "sample.page", PageRef(doc_id, page_no)),
        )
        for page_no in range(length)
    )
    return Written(domain, author.name, author.title, pages)
