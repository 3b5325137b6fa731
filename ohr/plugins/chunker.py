"""The hook of chunkers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache

from ohr.markup.headings import Heading, headings, opened, titles
from ohr.plugins.base import P, Plugin
from ohr.types import Chunk, PageRef

_CACHED_PAGES = 65536


class Chunker(Plugin[P], ABC, abstract=True):
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
