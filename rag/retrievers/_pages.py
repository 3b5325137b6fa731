"""Whole pages, put together from their chunks."""

from __future__ import annotations

from collections.abc import Iterable

from ohr.types import Chunk, Hit, PageRef


def whole_pages(chunks: Iterable[Chunk]) -> dict[PageRef, Chunk]:
    """Each page's text from its first chunk to its last, in index order.

    Chunks are separated by white space alone, which becomes line breaks.
    """
    pages: dict[PageRef, Chunk] = {}
    for chunk in chunks:
        before = pages.get(chunk.ref)
        if before is None:
            pages[chunk.ref] = chunk
            continue
        text = before.text + "\n" * max(0, chunk.start - before.end)
        text += chunk.text[max(0, before.end - chunk.start) :]
        end = max(before.end, chunk.end)
        pages[chunk.ref] = Chunk(chunk.ref, before.start, end, text, before.section)
    return pages


def page_hit(page: Chunk, score: float, rank: int) -> Hit:
    """A hit of all that the page's chunks cover, as its text and span; ranks count from 0."""
    return Hit(page.ref, page.text, score, rank, (page.start, page.end))
