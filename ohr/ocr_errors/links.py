"""Finds the words between equal words that stand for each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ohr.metrics.alignment import LIKE, MOST_CELLS
from ohr.metrics.character_places import character_places


def runs_of(numbers: Sequence[int]) -> Iterator[list[int]]:
    """Runs of consecutive numbers."""
    run: list[int] = []
    for number in numbers:
        if run and number != run[-1] + 1:
            yield run
            run = []
        run.append(number)
    if run:
        yield run


def link_words(
    texts: Sequence[str], reads: Sequence[str]
) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """The runs of words on both sides that stand for each other by their characters."""
    expected, read = " ".join(texts), " ".join(reads)
    if not texts or not reads or len(expected) * len(read) > MOST_CELLS:
        return
    places, equal = character_places(expected, read)
    owners = [i for i, text in enumerate(reads) for _ in range(len(text) + 1)]
    groups: list[list[int]] = []  # first and after on both sides, and equal characters
    start = 0
    for number, text in enumerate(texts):
        shared: dict[int, int] = {}
        for position in range(start, start + len(text)):
            if equal[position + 1] > equal[position]:
                own = owners[places[position]]
                shared[own] = shared.get(own, 0) + 1
        start += len(text) + 1
        for own, count in shared.items():
            if 2 * count < min(len(text), len(reads[own])):
                continue
            last = groups[-1] if groups else None
            if last is not None and (number < last[1] or own < last[3]):
                last[1], last[3] = number + 1, max(last[3], own + 1)
                last[4] += count
            else:
                groups.append([number, number + 1, own, own + 1, count])
    for a, b, c, d, count in groups:
        length = sum(map(len, texts[a:b])) + sum(map(len, reads[c:d]))
        if 2 * count >= LIKE * length:
            yield (a, b), (c, d)
