"""Whether a page was read in its order."""

from __future__ import annotations

import numpy as np

from ohr.metrics.matching import best_window
from ohr.metrics.regions import region_words, regions, text_blocks, words

FOUND = 0.75
"""Share of a passage's characters that must be found in order for its place to count."""
PASSAGE_WORDS = 25


def order_distance(prediction: str, reference: str) -> float:
    """Share of pairs of passages that the reading puts in the wrong order (Kendall), in [0, 1].

    The reference's running text is cut into passages of about 25 words, each is looked for in
    the reading by its content, and pairs of which both are found count. 1 where none does, 0
    where the reference has no two passages.
    """
    passages = text_blocks(regions(reference), PASSAGE_WORDS)
    if len(passages) < 2 or prediction == reference:
        return 0.0
    read = regions(prediction)
    # Where tables are marked as such, their numbers cannot be taken for those of a sentence.
    place = region_words(read, "text") if len(read) > 1 else words(prediction)
    before = np.cumsum([0, *map(len, passages)])
    firsts = []
    for passage, near in zip(passages, before / before[-1], strict=False):
        share, first, _ = best_window("".join(passage), place, near=float(near))
        if share >= FOUND:
            firsts.append(first)
    if len(firsts) < 2:
        return 1.0
    places = np.array(firsts)
    wrong = int(np.triu(places[:, None] > places[None, :], 1).sum())
    return 2 * wrong / (len(firsts) * (len(firsts) - 1))
