"""Finds other places in the documents that a question could mean, by its words."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Generic, TypeVar

from ohr.datasets import wording
from ohr.markup.page import read_page
from ohr.markup.strip import strip_markup
from ohr.questions.from_tables import heads
from ohr.questions.sentences import all_sentences
from ohr.types import PageRef

K = TypeVar("K")
_HASH = re.compile(r"[0-9a-f]{12,}")
_PART = re.compile(r"[^\W_]+(?:[.&'\u2019-][^\W_]+)*")
_LETTERS = re.compile(r"[^\W\d_]+")
_YEAR = re.compile(r"(?:19|20)\d\d")
_LEGAL_FORMS = frozenset("inc corp ltd llc co ex exhibit dude".split())
_NAMED = 0.05
"""Largest share of the documents that may have a word of a document's name."""
_TOPIC = re.compile(r"(?<![\w'\u2019-])[^\W\d_]{4,20}(?![\w'\u2019-])")
_TOPICS = 16
_SPREAD, _FEW_PAGES = 0.1, 2
"""A topic is on at most this share of all pages, or on so many pages."""
_WORD = re.compile(r"\w+")
_SPACE = re.compile(r"\W+|_")


class TermIndex(Generic[K]):
    """An index of sets of words by key, which finds sets with most of some given words."""

    def __init__(self) -> None:
        self._units: list[tuple[K, frozenset[str]]] = []
        self._postings: dict[str, list[int]] = defaultdict(list)

    def add(self, key: K, terms: frozenset[str]) -> None:
        """Add a set of words."""
        for term in terms:
            self._postings[term].append(len(self._units))
        self._units.append((key, terms))

    def covering(self, terms: frozenset[str], share: float) -> Iterator[K]:
        """The keys of the sets with at least this share of the words, in order."""
        if not terms:
            return
        need = max(1, math.ceil(share * len(terms) - 1e-9))
        rarest = sorted(terms, key=lambda term: (len(self._postings.get(term, ())), term))
        # A set without any of these has too few of the words.
        first = rarest[: len(terms) - need + 1]
        units = {unit for term in first for unit in self._postings.get(term, ())}
        for unit in sorted(units):
            key, own = self._units[unit]
            if len(terms & own) >= need:
                yield key


class Corpus:
    """The texts of all pages that a question may be mistaken for."""

    def __init__(self, texts: Mapping[PageRef, str]) -> None:
        self.texts = texts
        self._names: dict[str, str] = {}
        self.index: TermIndex[tuple[PageRef, int, int]] = TermIndex()
        self.cells: Counter[tuple[str, str]] = Counter()
        self.cells_of: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
        for ref, text in texts.items():
            for start, end, plain in _units(text):
                self.index.add((ref, start, end), wording.content_words(plain))
            on_page = list(heads(text))
            self.cells.update(on_page)
            self.cells_of[ref.doc_id].update(on_page)

    @cached_property
    def _squeezed(self) -> dict[str, str]:
        whole: dict[str, list[str]] = defaultdict(list)
        for ref, text in self.texts.items():
            whole[ref.doc_id].append(_SPACE.sub("", text).casefold())
        return {doc_id: "\n".join(parts) for doc_id, parts in whole.items()}

    @cached_property
    def _pages_of(self) -> dict[str, list[str]]:
        pages: dict[str, list[str]] = defaultdict(list)
        for ref, text in self.texts.items():
            pages[ref.doc_id].append(" ".join(text.casefold().split()))
        return dict(pages)

    @cached_property
    def pages_with(self) -> Counter[str]:
        """The number of pages with each word, as written."""
        return Counter(word for text in self.texts.values() for word in set(_LETTERS.findall(text)))

    def n_pages(self, doc_id: str) -> int:
        """The number of pages of a document."""
        return len(self._pages_of.get(doc_id, ()))

    def topics(self, ref: PageRef) -> list[str]:
        """The words that distinguish a page from others, the most distinctive first.

        By frequency times inverse page frequency; each word is on another page too.
        """
        n_pages = len(self.texts)
        most = max(_FEW_PAGES, _SPREAD * n_pages)
        weights = {
            word: count * math.log(n_pages / self.pages_with[word])
            for word, count in Counter(_TOPIC.findall(strip_markup(self.texts[ref]))).items()
            if 1 < self.pages_with[word] <= most and wording.content_words(word)
        }
        return sorted(weights, key=lambda word: (-weights[word], word))[:_TOPICS]

    def name(self, doc_id: str) -> str:
        """A document's name for questions: the words of its file name that are in its text.

        Empty if these are not a name, such as a number, or words that many documents have.
        """
        if doc_id not in self._names:
            self._names[doc_id] = self._name(doc_id)
        return self._names[doc_id]

    def _name(self, doc_id: str) -> str:
        stem = doc_id.rsplit("/", 1)[-1]
        text = self._squeezed.get(doc_id, "")
        parts = [
            part
            for part in _PART.findall(stem.replace("_", " "))
            if not _HASH.search(part)
            and (not part.isdigit() or _YEAR.fullmatch(part))
            and part.casefold() not in _LEGAL_FORMS
            and _SPACE.sub("", part).casefold() in text
        ]
        most = max(1, round(_NAMED * len(self._squeezed)))
        telling = [
            part
            for part in parts
            if not part.isdigit() and self.documents_with(part.casefold()) <= most
        ]
        return " ".join(parts) if telling else ""

    def elsewhere(
        self, terms: str, ref: PageRef, start: int, end: int, share: float, *, doc_id: str = ""
    ) -> PageRef | None:
        """A page with another place that has this share of the words of ``terms``, or None.

        With ``doc_id``, only in that document. The place itself, ``start`` to ``end`` on page
        ``ref``, and what overlaps it, does not count.
        """
        for other, a, b in self.index.covering(wording.content_words(terms), share):
            if doc_id and other.doc_id != doc_id:
                continue
            if other != ref or a >= end or b <= start:
                return other
        return None

    def share_of_pages(self, phrase: str, doc_id: str) -> float:
        """The share of a document's pages that have a phrase, in [0, 1]."""
        pages = self._pages_of.get(doc_id, [])
        folded = phrase.casefold()
        return sum(folded in page for page in pages) / len(pages) if pages else 0.0

    def documents_with(self, word: str) -> int:
        """The number of documents with a word."""
        return self._documents_with.get(word.casefold(), 0)

    @cached_property
    def _documents_with(self) -> Counter[str]:
        """The number of documents with each word."""
        return Counter(
            word
            for pages in self._pages_of.values()
            for word in {word for page in pages for word in _WORD.findall(page)}
        )


def _units(text: str) -> Iterable[tuple[int, int, str]]:
    """The sentences of a page, also incomplete ones, and the lines of its tables."""
    for sentence in all_sentences(text):
        yield sentence.start, sentence.end, sentence.plain
    for table in read_page(text).tables:
        position = table.span[0]
        for line in text[slice(*table.span)].splitlines(keepends=True):
            yield position, position + len(line), strip_markup(line)
            position += len(line)
