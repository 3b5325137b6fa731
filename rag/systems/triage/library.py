"""The documents of a knowledge base for PDFTriage: pages, trees, and an index of chunks."""

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
"""Chunks in the ranking of a question."""
ALIKE = 85
"""Titles and captions match from this similarity on, out of 100 (rapidfuzz's token set ratio)."""
LONGEST = 200
"""Characters of a title or a caption that are compared."""
AROUND = 600
"""Characters before and after a figure's caption that may be text of the figure."""

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
    """One document: its pages by number, from 1, and its tree, which is built on first use."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.name = document.doc_id
        self.pages = {page.ref.page_no + 1: page for page in document.pages}
        self.last_page = max(self.pages, default=0)

    @cached_property
    def tree(self) -> DocumentTree:
        """Its tree, recovered from the page texts."""
        return document_tree(self.document)

    @cached_property
    def outermost(self) -> tuple[Section, ...]:
        """The document's top-level sections. If the first section contains all others, it is the
        document's title, and the level below counts.
        """
        sections = self.tree.sections
        inner = sections[1:]
        if inner and all(section.level > sections[0].level for section in inner):
            sections = inner
        least = min((section.level for section in sections), default=0)
        return tuple(section for section in sections if section.level == least)

    def is_title(self, section: Section) -> bool:
        """Whether a section's heading is the document's title: it contains all others."""
        return section.number == 1 and section not in self.outermost

    @cached_property
    def _sections(self) -> dict[str, Section]:
        """Number at the beginning of the heading -> the first section with it."""
        sections: dict[str, Section] = {}
        for section in self.tree.sections:
            if number := number_of(section.title):
                sections.setdefault(number.text.split()[-1].upper(), section)
        return sections

    def section(self, reference: str) -> Section | None:
        """The section with a number, or with a title that is the same or similar.

        If no heading has a number, numbers count the sections of the outermost level.
        """
        reference = " ".join(reference.split())
        sections = self.tree.sections
        if match := _SECTION.fullmatch(reference):
            if match[1].upper() in self._sections:
                return self._sections[match[1].upper()]
            if match[1].isdigit() and not self._sections:
                return _item(self.outermost, int(match[1]))
            # "Civil" and "C" consist of letters of Roman numerals, but may be titles.
            folded = reference.casefold()
            return next(
                (section for section in sections if section.title.casefold() == folded), None
            )
        return _nearest(reference, sections, [_bare(section.title) for section in sections])

    def table(self, reference: str) -> TableNode | None:
        """The table with a label or caption; if none has a label, numbers count the tables."""
        return _node(reference, self.tree.tables)

    def figure(self, reference: str) -> FigureNode | None:
        """The figure with a label or caption; if none has a label, numbers count the figures."""
        return _node(reference, self.tree.figures)

    def surroundings(self, node: FigureNode) -> str:
        """A figure's text, and the whole lines near it on its page."""
        text = self.tree.pages[node.start.page].text
        end = node.end.at if node.end.page == node.start.page else len(text)
        start, stop = max(0, node.start.at - AROUND), min(len(text), end + AROUND)
        if start:
            start = text.find("\n", start, node.start.at) + 1 or node.start.at
        if stop < len(text):
            stop = max(text.rfind("\n", end, stop), end)
        return text[start:stop]


class Library:
    """All documents, and their chunks in an index."""

    def __init__(
        self, documents: Sequence[Document], chunker: Chunker, retriever: Retriever
    ) -> None:
        self.shelves = {document.doc_id: Shelf(document) for document in documents}
        self._retriever = retriever
        self._lock = Lock()
        pages = ((page.ref, page.text) for document in documents for page in document.pages)
        retriever.index(chunker.chunks(pages))

    def rank(self, queries: Sequence[str]) -> list[list[Hit]]:
        """Each query's chunks from all documents, best first."""
        with self._lock:
            return self._retriever.search_many(queries, DEPTH)


def nearest_documents(hits: Iterable[Hit]) -> list[str]:
    """Documents, best first, by their chunks in a ranking: each adds 1 / (10 + its rank)."""
    gains: dict[str, float] = {}
    for hit in hits:
        gains[hit.ref.doc_id] = gains.get(hit.ref.doc_id, 0.0) + 1 / (10 + hit.rank)
    return sorted(gains, key=lambda name: (-gains[name], name))


def _node(reference: str, nodes: Sequence[Node]) -> Node | None:
    reference = " ".join(reference.split())
    if match := _NODE.fullmatch(reference):
        label = match[1].upper()
        for node in nodes:
            if node.label.upper() == label:
                return node
        if label.isdigit() and not any(node.label for node in nodes):
            return _item(nodes, int(label))
        return None
    return _nearest(reference, nodes, [node.caption for node in nodes])


def _item(items: Sequence[T], number: int) -> T | None:
    return items[number - 1] if 1 <= number <= len(items) else None


def _nearest(reference: str, items: Sequence[T], names: Sequence[str]) -> T | None:
    """The item with the name most similar to the reference; the first of several."""
    target = utils.default_process(reference)
    best, nearest = float(ALIKE), None
    if not target:
        return None
    for item, name in zip(items, names, strict=True):
        other = utils.default_process(name[:LONGEST])
        # A name with all words and further ones counts a little less than the exact name.
        likeness = max(fuzz.ratio(target, other), 0.95 * fuzz.token_set_ratio(target, other))
        if len(other) > 2 and likeness > best:
            best, nearest = likeness, item
    return nearest


def _bare(title: str) -> str:
    """A title without its number."""
    number = number_of(title)
    return title[number.title_at :] if number and number.title_at < len(title) else title
