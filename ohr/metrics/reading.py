"""How well a page was read, beyond its characters: tables, formulas, regions, reading order."""

from __future__ import annotations

import math

import numpy as np

from ohr.metrics.formulas import page_formula_distance, page_formulas
from ohr.metrics.matching import best_window
from ohr.metrics.regions import KINDS, extraction, region_words, regions, text_blocks, words
from ohr.metrics.tables import table_similarity

FOUND = 0.75
"""Share of a passage's characters that must be found in order for its place to count."""
PASSAGE_WORDS = 25

READING_METRICS: dict[str, float] = {
    "table_similarity": 0.0,
    "formula_distance": 1.0,
    "order_distance": 1.0,
    **{f"{kind}_{name}": 0.0 for kind in KINDS for name in ("precision", "recall", "f1")},
}
"""Name of each metric of :func:`reading_scores` -> its worst value."""


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


def reading_scores(prediction: str, reference: str) -> dict[str, float]:
    """Every metric of :data:`READING_METRICS`; NaN where the reference has nothing to measure.

    That is for a metric of tables a reference without a table, and so on: whether a page counts
    never depends on how it was read.
    """
    true, read = regions(reference), regions(prediction)
    scores = dict.fromkeys(READING_METRICS, math.nan)
    if any(region.kind == "table" for region in true):
        scores["table_similarity"] = table_similarity(prediction, reference)
    if page_formulas(reference):
        scores["formula_distance"] = page_formula_distance(prediction, reference)
    if region_words(true, "text"):
        scores["order_distance"] = order_distance(prediction, reference)
    for kind in KINDS:
        extracted = extraction(read, true, kind)
        if extracted is not None:
            scores |= {f"{kind}_{name}": value for name, value in extracted._asdict().items()}
    return scores
