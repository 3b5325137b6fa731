"""The hook of chunkers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np

from ohr.errors import PluginError
from ohr.markup.headings import Heading, headings, opened, titles
from ohr.plugins.base import P, Plugin
from ohr.store.text_cache import TextCache
from ohr.types import Chunk, PageRef

_FORM = "spans are pairs of numbers, (start, end)"


class Chunker(Plugin[P], ABC, abstract=True):
    """Splits page text into chunks."""

    @abstractmethod
    def spans(self, text: str) -> list[tuple[int, int]]:
        """The character spans ``(start, end)`` of a page's chunks, in order, within the text.

        They do not overlap, unless :attr:`overlaps` says so: then each starts and ends after the
        one before. Other spans raise PluginError in :meth:`split` and :meth:`chunks`.

        Args:
            text: The page text, Markdown as the engine or the ground truth has it; may be empty.
        """

    @property
    def overlaps(self) -> bool:
        """Whether chunks may overlap; set ``overlaps = True`` in a class whose chunks do."""
        return False

    def context(self, section: Sequence[str]) -> str:
        """Text to index together with a chunk, made from the headings above it; empty by default.

        ``section``: the headings, outermost first, without one that the chunk itself starts with.
        """
        return ""

    def spans_many(self, texts: Sequence[str]) -> Iterable[list[tuple[int, int]]]:
        """:meth:`spans` of several pages."""
        return map(self.spans, texts)

    def split(self, ref: PageRef, text: str, above: Sequence[Heading] = ()) -> list[Chunk]:
        """Chunks of one page's text. ``above``: headings still open from earlier pages."""
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

    def chunks(self, pages: Iterable[tuple[PageRef, str]], *, sections: bool = True) -> list[Chunk]:
        """Chunks of all pages, in index order; headings stay open to the end of their document.

        With ``sections=False``, chunks have no section unless the chunker needs it. This saves
        the search for headings, which takes as long as everything else.
        """
        pages = list(pages)
        spans = self._spans.many([text for _, text in pages])
        own = type(self)
        if not sections and own.context is Chunker.context and own.split is Chunker.split:
            return [
                Chunk(ref, start, end, text[start:end])
                for (ref, text), of_page in zip(pages, spans, strict=True)
                for start, end in of_page
            ]
        chunks: list[Chunk] = []
        document = ""
        above: tuple[Heading, ...] = ()
        for ref, text in pages:
            if ref.doc_id != document:
                document, above = ref.doc_id, ()
            chunks += self.split(ref, text, above)
            above = opened(above, self._headings(text))
        return chunks

    @cached_property
    def _spans(self) -> TextCache[list[tuple[int, int]]]:
        """Pages that a noisy knowledge base shares with the clean one are split once."""
        return TextCache(self._checked)

    def _checked(self, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        """:meth:`spans_many`. Raises PluginError for spans that break the contract."""
        every = list(self.spans_many(texts))
        if len(every) != len(texts):
            raise PluginError(
                f"chunker {self.name!r} returned spans of {len(every)} pages for {len(texts)}"
            )
        return [self._check(text, spans) for text, spans in zip(texts, every, strict=True)]

    def _check(self, text: str, spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
        pairs: list[tuple[int, int]] = []
        for span in spans if spans is not None else [None]:
            match span:
                case (int() | np.integer() as first, int() | np.integer() as last):
                    start, end = int(first), int(last)
                case _:
                    raise PluginError(f"chunker {self.name!r} returned the span {span!r}: {_FORM}")
            before = pairs[-1] if pairs else None
            problem = ""
            if not 0 <= start <= end <= len(text):
                problem = f"leaves the page, which has {len(text)} characters"
            elif before is None:
                pass
            elif self.overlaps and not (start > before[0] and end > before[1]):
                problem = f"does not start and end after the one before, {before}"
            elif not self.overlaps and start < before[1]:
                problem = f"overlaps the one before, {before}, or comes before it; if that is meant"
                problem += ", set overlaps = True in the class"
            if problem:
                raise PluginError(f"chunker {self.name!r}: the span {(start, end)} {problem}")
            pairs.append((start, end))
        return pairs

    @cached_property
    def _headings(self) -> TextCache[list[Heading]]:
        return TextCache.from_function(headings)
