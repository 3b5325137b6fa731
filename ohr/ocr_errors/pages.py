"""Pages with what became of their words under an engine."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

from ohr.metrics.alignment import Alignment, Fate, align
from ohr.ocr_errors.model import SHARES
from ohr.ocr_errors.words import PageWords, page_words
from ohr.types import PageRef


@dataclass(frozen=True, slots=True)
class PagePair:
    """A page's truth and its OCR output under one condition (``level``)."""

    ref: PageRef
    domain: str
    level: str
    truth: str
    output: str


@dataclass(frozen=True, slots=True)
class AlignedPage:
    """A page with what became of its words; ``share`` is the edit distance of its content."""

    pair: PagePair
    words: PageWords
    output: PageWords
    alignment: Alignment
    share: float


def align_pair(pair: PagePair) -> AlignedPage:
    """Align a page with its OCR output, mark-up of both sides apart."""
    words, output = page_words(pair.truth), page_words(pair.output)
    alignment = align(words.words, output.words)
    return AlignedPage(pair, words, output, alignment, alignment.share(words.words))


def error_runs(fates: Sequence[Fate]) -> list[tuple[int, int]]:
    """The runs of words with errors, each from its first word to the one after its last."""
    wrong = [0, *(int(fate is not Fate.RIGHT) for fate in fates), 0]
    edges = [i for i, (a, b) in enumerate(pairwise(wrong)) if a != b]
    return list(zip(edges[::2], edges[1::2], strict=True))


def page_slices(pages: Sequence[AlignedPage]) -> list[int]:
    """The slice of each page among :data:`ohr.ocr_errors.model.SHARES`."""
    lowest = lowest_level(pages)
    return [
        0
        if page.pair.level == lowest
        else max(bisect_left(SHARES, page.share), int(lowest is not None))
        for page in pages
    ]


def lowest_level(pages: Sequence[AlignedPage]) -> str | None:
    """The level with the least edit distance, if there are several."""
    shares: dict[str, list[float]] = defaultdict(list)
    for page in pages:
        shares[page.pair.level].append(page.share)
    return min(shares, key=lambda level: fmean(shares[level])) if len(shares) > 1 else None


def ranks(pages: Sequence[AlignedPage]) -> list[float]:
    """The rank of each page within its level by its edit distance, in [0, 1], best first."""
    by_level: dict[str, list[int]] = defaultdict(list)
    for number, page in enumerate(pages):
        by_level[page.pair.level].append(number)
    result = [0.0] * len(pages)
    for numbers in by_level.values():
        ordered = sorted(numbers, key=lambda number: pages[number].share)
        for place, number in enumerate(ordered):
            result[number] = (place + 0.5) / len(ordered)
    return result
