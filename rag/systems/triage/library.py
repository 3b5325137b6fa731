"""The documents of a knowledge base as PDFTriage sees them: pages, trees, an index of chunks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from threading import Lock
from typing import TypeVar

from rapidfuzz import fuzz, utils

from ohr.markup.outline.numbering import number_of
from ohr.markup.outline.read import document_tree
from ohr.markup.outline.tree import DocumentTree, FigureNode, Section, TableNode
from ohr.plugins import Chunker, Retriever
from ohr.types import Document, Hit

DEPTH = 50
"""Chunks of a question's ranking that are looked at."""
ALIKE = 85
"""Titles and captions are alike from so much of 100 on (rapidfuzz's token set ratio)."""
LONGEST = 200
"""Characters of a title or a caption that are compared."""
AROUND = 600
"""Characters around a figure's caption that may be text of the figure."""

_SECTION = re.compile(
    r"(?:(?:section|sec\.|chapter|part|item|article|appendix|abschnitt|kapitel|§)\s*)?"
    r"#?(\d{1,4}(?:\.\d{1,3})*[a-z]?|[ivxlc]{1,7}|[a-z])\.?",
    re.IGNORECASE,
)
_NODE = re.compile(
    r"(?:(?:tables?|tab\.?|tabelle|exhibit|fig(?:ure|s)?\.?|abbildung|abb\.?|chart|diagramm?|graph)"
    r"\s*)?#?([a-z]?[-.]?\d{1,3}(?:[.–-]\d{1,3})*[a-z]?|[ivx]{1,5})[.:]?",
    re.IGNORECASE,
)

Node = TypeVar("Node", TableNode, FigureNode)
T = TypeVar("T")


class Shelf:
    """One document: its pages by their number, from 1, and its tree, made when first asked for."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.name = document.doc_id
        self.pages = {page.ref.page_no + 1: page for page in document.pages}
        self.last_page = max(self.pages, default=0)

    @cached_property
    def tree(self) -> DocumentTree:
        """Its tree, as the engine left it."""
        return document_tree(self.document)

    @cached_property
    def outermost(self) -> tuple[Section, ...]:
        """The sections that the document is made of. A first one that holds all others is its
        title, and those are of the level below.
        """
        sections = self.tree.sections
        inner = sections[1:]
        if inner and all(section.level > sections[0].level for section in inner):
            sections = inner
        least = min((section.level for section in sections), default=0)
        return tuple(section for section in sections if section.level == least)

    def is_title(self, section: Section) -> bool:
        """Whether a section's heading is the document's title: all others are inside."""
        return section.number == 1 and section not in self.outermost

    @cached_property
    def _sections(self) -> dict[str, Section]:
        """Sections by the number that their heading begins with, the first of each."""
        found: dict[str, Section] = {}
        for section in self.tree.sections:
            if number := number_of(section.title):
                found.setdefault(number.text.split()[-1].upper(), section)
        return found

    def section(self, wanted: str) -> Section | None:
        """The section of a number or of a title, as it is written or nearly so.

        Where no heading has a number, numbers count the sections of the outermost level.
        """
        wanted = " ".join(wanted.split())
        sections = self.tree.sections
        if match := _SECTION.fullmatch(wanted):
            if match[1].upper() in self._sections:
                return self._sections[match[1].upper()]
            if match[1].isdigit() and not self._sections:
                return _at(self.outermost, int(match[1]))
            # "Civil" and "C" are letters of Roman numbers, and titles.
            said = wanted.casefold()
            return next((one for one in sections if one.title.casefold() == said), None)
        return _nearest(wanted, sections, [_bare(section.title) for section in sections])

    def table(self, wanted: str) -> TableNode | None:
        """The table of a label or of a caption; where none has a label, numbers count them."""
        return _node(wanted, self.tree.tables)

    def figure(self, wanted: str) -> FigureNode | None:
        """The figure of a label or of a caption; where none has a label, numbers count them."""
        return _node(wanted, self.tree.figures)

    def around(self, node: FigureNode) -> str:
        """A figure's text, and the whole lines near it on its page."""
        text = self.tree.pages[node.start.page].text
        end = node.end.at if node.end.page == node.start.page else len(text)
        first, last = max(0, node.start.at - AROUND), min(len(text), end + AROUND)
        if first:
            first = text.find("\n", first, node.start.at) + 1 or node.start.at
        if last < len(text):
            last = max(text.rfind("\n", end, last), end)
        return text[first:last]


class Library:
    """All documents, and their chunks in an index."""

    def __init__(
        self, documents: Sequence[Document], chunker: Chunker, retriever: Retriever
    ) -> None:
        self.shelves = {document.doc_id: Shelf(document) for document in documents}
        self._retriever = retriever
        self._one_at_a_time = Lock()
        pages = ((page.ref, page.text) for document in documents for page in document.pages)
        retriever.index(chunker.chunks(pages))

    def rank(self, queries: Sequence[str]) -> list[list[Hit]]:
        """The chunks that each query finds in all documents, best first."""
        with self._one_at_a_time:
            return self._retriever.search_many(queries, DEPTH)


def nearest_documents(hits: Iterable[Hit]) -> list[str]:
    """Documents by their chunks in a ranking: each chunk adds 1 / (10 + its rank)."""
    gains: dict[str, float] = {}
    for hit in hits:
        gains[hit.ref.doc_id] = gains.get(hit.ref.doc_id, 0.0) + 1 / (10 + hit.rank)
    return sorted(gains, key=lambda name: (-gains[name], name))


def _node(wanted: str, nodes: Sequence[Node]) -> Node | None:
    wanted = " ".join(wanted.split())
    if match := _NODE.fullmatch(wanted):
        label = match[1].upper()
        for node in nodes:
            if node.label.upper() == label:
                return node
        if label.isdigit() and not any(node.label for node in nodes):
            return _at(nodes, int(label))
        return None
    return _nearest(wanted, nodes, [node.caption for node in nodes])


def _at(things: Sequence[T], number: int) -> T | None:
    return things[number - 1] if 1 <= number <= len(things) else None


def _nearest(wanted: str, things: Sequence[T], names: Sequence[str]) -> T | None:
    """The thing of the name that is most like what is wanted, the first of several."""
    said = utils.default_process(wanted)
    best, found = float(ALIKE), None
    if not said:
        return None
    for thing, name in zip(things, names, strict=True):
        other = utils.default_process(name[:LONGEST])
        # A name that has all of the words, and more, is a little less than the name itself.
        likeness = max(fuzz.ratio(said, other), 0.95 * fuzz.token_set_ratio(said, other))
        if len(other) > 2 and likeness > best:
            best, found = likeness, thing
    return found


def _bare(title: str) -> str:
    """A title without its number."""
    number = number_of(title)
    return title[number.title_at :] if number and number.title_at < len(title) else title
