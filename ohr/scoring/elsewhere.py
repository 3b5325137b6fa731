"""Hits of one knowledge base, read from another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ohr.types import Hit, KnowledgeBase


def move_hits(searched: KnowledgeBase, read: KnowledgeBase, hits: Sequence[Hit]) -> list[Hit]:
    """The hits, with the text in the same part of the same page of another knowledge base.

    A hit that covers a share of its page gets as large a share, extended to whole words. A page
    that the other knowledge base lacks, or that failed there, has no text.
    """
    return [_moved(searched.text(hit.ref), read.text(hit.ref), hit) for hit in hits]


def _moved(page: str, other: str, hit: Hit) -> Hit:
    start, end = hit.span
    if not page or (start, end) == (0, len(page)):
        return replace(hit, text=other, span=(0, len(other)))
    first = round(start / len(page) * len(other))
    last = round(end / len(page) * len(other))
    while first > 0 and not other[first - 1].isspace():
        first -= 1
    while last < len(other) and not other[last].isspace():
        last += 1
    return replace(hit, text=other[first:last], span=(first, last))
