"""Metrics of page text compared with the ground truth; both are Markdown with LaTeX."""

from __future__ import annotations

import math
from collections import Counter
from functools import lru_cache
from typing import Literal

from ohr import plugins
from ohr.metrics import default, reading
from ohr.metrics.formulas import page_formula_distance
from ohr.metrics.regions import (
    Extraction,
    RegionKind,
    extraction,
    region_words,
    regions,
    word_overlap,
)
from ohr.metrics.scores import SCORING, ProtocolParams
from ohr.metrics.tables import table_similarity
from ohr.plugins.metric import PageCase, Tokens, metric


class EditDistance(plugins.Metric[ProtocolParams]):
    """Levenshtein distance of characters over the longer text, white space collapsed.

    Equivalent code points match, except with ``scoring=reference``. Beyond 100,000 characters it
    is an upper bound (:mod:`ohr.metrics.long_texts`); with ``reference`` it is always exact.
    """

    name = "edit_distance"
    version = "4"
    argument = "protocol"
    of = "page"
    title = "edit distance"
    higher_is_better = False

    def score(self, prediction: str, reference: str) -> float:
        return SCORING[self.params.protocol].edit_distance(prediction, reference)

    def measure(self, case: PageCase) -> float:
        if case.scoring.name == "reference":
            return case.scoring.edit_distance(case.text, case.truth)
        return _character_rates(case.text, case.truth)[0]


class CharacterErrorRate(plugins.Metric):
    """Levenshtein distance of characters over the reference's, at most 1.

    Equivalent code points match. Beyond 100,000 characters it is an upper bound
    (:mod:`ohr.metrics.long_texts`).
    """

    name = "cer"
    version = "4"
    of = "page"
    title = "character error rate"
    higher_is_better = False
    protocols = frozenset({"default"})

    def score(self, prediction: str, reference: str) -> float:
        return default.cer(prediction, reference)

    def measure(self, case: PageCase) -> float:
        return _character_rates(case.text, case.truth)[1]


class WordErrorRate(plugins.Metric):
    """Levenshtein distance of normalised words over the reference's, at most 1.

    Beyond 100,000 words it is an upper bound (:mod:`ohr.metrics.long_texts`).
    """

    name = "wer"
    version = "6"
    of = "page"
    title = "word error rate"
    higher_is_better = False
    protocols = frozenset({"default"})

    def score(self, prediction: str, reference: str) -> float:
        return 0.0 if prediction == reference else default.wer(prediction, reference)

    def measure(self, case: PageCase) -> float:
        if case.text == case.truth:
            return 0.0
        tokens = case.scoring.tokens
        return default.edit_rates(tokens(case.text), tokens(case.truth))[1]


@metric(
    of="page",
    title="formula distance",
    version="4",
    higher_is_better=False,
    needs={"formula"},
)
def formula_distance(prediction: str, reference: str) -> float:
    """Distance of the pages' formulas, matched by content; 0 if neither page has any."""
    return page_formula_distance(prediction, reference)


@metric(of="page", title="order distance", version="5", higher_is_better=False, needs={"text"})
def order_distance(prediction: str, reference: str) -> float:
    """Share of pairs of passages in the wrong order.

    A page is not assessed if fewer than two passages were found, as on failed and empty pages.
    ``order_assessed`` is the share of pages that are assessed.
    """
    return reading.order_distance(prediction, reference)


@metric(of="page", title="order assessed", needs={"text"})
def order_assessed(prediction: str, reference: str) -> float:
    """Whether two passages or more were found, so that the page's order can be assessed."""
    return reading.order_assessed(prediction, reference)


class TableSimilarityParams(plugins.Params):
    """``texts``: whether the cells' texts count, or only the structure."""

    texts: bool = True


class TableSimilarity(plugins.Metric[TableSimilarityParams]):
    """Mean TEDS of the pages' tables, matched by content; 1 where neither has any."""

    name = "table_similarity"
    version = "8"
    of = "page"
    title = "table similarity"
    needs = frozenset({"table"})

    def score(self, prediction: str, reference: str) -> float:
        return table_similarity(prediction, reference, texts=self.params.texts)


class RegionParams(plugins.Params):
    """``kind``: the kind of region whose words count; ``part``: which of the three to return."""

    kind: RegionKind = "text"
    part: Literal["precision", "recall", "f1"] = "f1"


class RegionWords(plugins.Metric[RegionParams]):
    """Precision, recall or F1 of the words of one kind of region; 1 where neither page has any."""

    name = "region_f1"
    version = "7"
    argument = "kind"
    of = "page"
    title = "words of a kind of region"
    order_free = True

    def score(self, prediction: str, reference: str) -> float:
        extracted = _extraction(prediction, reference, self.params.kind)
        if extracted is None:
            return float(not region_words(regions(prediction), self.params.kind))
        return float(getattr(extracted, self.params.part))

    def measure(self, case: PageCase) -> float:
        extracted = _extraction(case.text, case.truth, self.params.kind)
        return math.nan if extracted is None else float(getattr(extracted, self.params.part))


class WordF1(plugins.Metric[ProtocolParams]):
    """F1 of the page's words as multisets, mark-up removed: their order does not matter.

    1 if neither page has any. A study measures it by default where the order of the words of some
    page's truth is not known.
    """

    name = "word_f1"
    argument = "protocol"
    of = "page"
    title = "word F1"
    order_free = True

    def score(self, prediction: str, reference: str) -> float:
        return _word_f1(prediction, reference, SCORING[self.params.protocol].content_tokens)

    def measure(self, case: PageCase) -> float:
        return _word_f1(case.text, case.truth, case.scoring.content_tokens)


def _word_f1(prediction: str, reference: str, tokens: Tokens) -> float:
    predicted, expected = Counter(tokens(prediction)), Counter(tokens(reference))
    return 1.0 if predicted == expected else word_overlap(predicted, expected).f1


@lru_cache(maxsize=8)
def _extraction(text: str, truth: str, kind: RegionKind) -> Extraction | None:
    return extraction(regions(text), regions(truth), kind)


@lru_cache(maxsize=2)
def _character_rates(text: str, truth: str) -> tuple[float, float]:
    if text == truth:
        return 0.0, 0.0
    return default.edit_rates(default.characters(text), default.characters(truth))
