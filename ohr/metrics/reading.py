"""Whether a page was read in its order, and whether enough of it was found to say so."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from ohr.metrics.matching import best_window
from ohr.metrics.regions import region_words, regions, text_blocks, words

FOUND = 0.75
"""Share of a passage's characters that must be found in order for its place to count."""
PASSAGE_WORDS = 25
LEAST_PASSAGES = 2
"""Passages without which nothing has an order."""


def order_distance(prediction: str, reference: str) -> float:
    """Share of pairs of passages that the reading puts in the wrong order (Kendall), in [0, 1].

    The reference's running text is cut into passages of about 25 words, each is looked for in
    the reading by its content, and pairs of which both are found count. NaN, not assessed, where
    fewer than two passages are found, or the reference has fewer: that says what text is there
    (:func:`order_assessed`) and not in which order.
    """
    found = _places(prediction, reference)
    if found is None or len(found) < LEAST_PASSAGES:
        return math.nan
    places = np.array(found)
    wrong = int(np.triu(places[:, None] > places[None, :], 1).sum())
    return 2 * wrong / (len(found) * (len(found) - 1))


def order_assessed(prediction: str, reference: str) -> float:
    """1 where :func:`order_distance` is assessed, 0 where too little of the text was found, and NaN
    where the reference has no two passages.
    """
    found = _places(prediction, reference)
    return math.nan if found is None else float(len(found) >= LEAST_PASSAGES)


@lru_cache(maxsize=2)  # both measures of a page
def _places(prediction: str, reference: str) -> tuple[int, ...] | None:
    """Where the reference's passages begin in the reading, those that are found, in the order of
    the reference; None where it has fewer than two.
    """
    passages = text_blocks(regions(reference), PASSAGE_WORDS)
    if len(passages) < LEAST_PASSAGES:
        return None
    if prediction == reference:
        return tuple(range(len(passages)))
    read = regions(prediction)
    # Where tables are marked as such, their numbers cannot be taken for those of a sentence.
    place = region_words(read, "text") if len(read) > 1 else words(prediction)
    before = np.cumsum([0, *map(len, passages)])
    firsts = []
    for passage, near in zip(passages, before / before[-1], strict=False):
        share, first, _ = best_window("".join(passage), place, near=float(near))
        if share >= FOUND:
            firsts.append(first)
    return tuple(firsts)
