"""Whether OCR output keeps a page's reading order, and whether enough text is found to tell."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from ohr.metrics.matching import best_window
from ohr.metrics.regions import region_words, regions, text_blocks, words

FOUND_SHARE = 0.75
"""Share of a passage's characters that must be found in order for its place to count."""
PASSAGE_WORDS = 25
LEAST_PASSAGES = 2
"""Least number of passages that have an order."""


def order_distance(prediction: str, reference: str) -> float:
    """Share of pairs of passages that are in the wrong order (Kendall), in [0, 1].

    The reference's running text is split into passages of about 25 words. Each is searched for in
    the prediction by its content, and the pairs of found passages count. NaN (not assessed) if
    fewer than two passages are found, or the reference has fewer: then the problem is missing text
    (:func:`order_assessed`), not its order.
    """
    starts = _places(prediction, reference)
    if starts is None or len(starts) < LEAST_PASSAGES:
        return math.nan
    places = np.array(starts)
    wrong = int(np.triu(places[:, None] > places[None, :], 1).sum())
    return 2 * wrong / (len(starts) * (len(starts) - 1))


def order_assessed(prediction: str, reference: str) -> float:
    """1 if :func:`order_distance` is assessed, 0 if too little text was found, and NaN if the
    reference has fewer than two passages.
    """
    starts = _places(prediction, reference)
    return math.nan if starts is None else float(len(starts) >= LEAST_PASSAGES)


@lru_cache(maxsize=2)  # for both metrics of a page
def _places(prediction: str, reference: str) -> tuple[int, ...] | None:
    """Where the found passages begin in the prediction, in the order of the reference; None if the
    reference has fewer than two passages.
    """
    passages = text_blocks(regions(reference), PASSAGE_WORDS)
    if len(passages) < LEAST_PASSAGES:
        return None
    if prediction == reference:
        return tuple(range(len(passages)))
    output = regions(prediction)
    # If tables are marked, leave them out: their numbers could be mistaken for a sentence's.
    place = region_words(output, "text") if len(output) > 1 else words(prediction)
    before = np.cumsum([0, *map(len, passages)])
    firsts = []
    for passage, near in zip(passages, before / before[-1], strict=False):
        share, first, _ = best_window("".join(passage), place, near=float(near))
        if share >= FOUND_SHARE:
            firsts.append(first)
    return tuple(firsts)
