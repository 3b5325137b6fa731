"""Pages by their numbers, none of which may come twice."""

from __future__ import annotations

from collections.abc import Iterable

from ohr.markup.blocks import Block


def numbered(pages: Iterable[tuple[int, Iterable[Block]]]) -> dict[int, list[Block]]:
    """Blocks by page. Raises ValueError if a number comes twice: a page would be lost."""
    by_number: dict[int, list[Block]] = {}
    for number, blocks in pages:
        if number in by_number:
            raise ValueError(f"two pages have the number {number}")
        by_number[number] = list(blocks)
    return by_number
