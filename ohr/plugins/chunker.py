"""The hook of chunkers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import cached_property

from ohr.markup.headings import Heading, headings, opened, titles
from ohr.plugins.base import P, Plugin
from ohr.store.text_cache import TextCache
from ohr.types import Chunk, PageRef


class Chunker(Plugin[P], ABC, abstract=True):
    """Splits page text into chunks."""

    @abstractmethod
    def spans(self, text: str) -> list[tuple[int, int]]:
        """The character spans ``(start, end)`` of a page's chunks, in order, without overlap."""

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
        return TextCache(self.spans_many)

    @cached_property
    def _headings(self) -> TextCache[list[Heading]]:
        return TextCache.of(headings)
