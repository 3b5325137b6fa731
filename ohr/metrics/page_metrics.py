"""Metrics of a page's reading; both texts are a page's Markdown/LaTeX."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Literal

from ohr import plugins
from ohr.metrics import default
from ohr.metrics.formulas import page_formula_distance
from ohr.metrics.reading import order_assessed, order_distance
from ohr.metrics.regions import Extraction, RegionKind, extraction, region_words, regions
from ohr.metrics.scores import SCORING, ProtocolParams
from ohr.metrics.tables import table_similarity
from ohr.plugins.metric import PageCase


class EditDistance(plugins.Metric[ProtocolParams]):
    """Levenshtein distance of characters over the longer text, white space collapsed.

    What looks the same in other code points is the same, but under ``scoring=reference``. Beyond
    100,000 characters it is an upper bound (:mod:`ohr.metrics.long_texts`), under ``reference``
    always exact.
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

    What looks the same in other code points is the same. Beyond 100,000 characters it is an upper
    bound (:mod:`ohr.metrics.long_texts`).
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


class FormulaDistance(plugins.Metric):
    """Distance of the pages' formulas, matched by content; 0 where neither has any."""

    name = "formula_distance"
    version = "4"
    of = "page"
    title = "formula distance"
    higher_is_better = False
    needs = frozenset({"formula"})

    def score(self, prediction: str, reference: str) -> float:
        return page_formula_distance(prediction, reference)


class OrderDistance(plugins.Metric):
    """Share of pairs of passages in the wrong order.

    A page of which fewer than two passages were found is not assessed, failed and empty ones among
    them: ``order_assessed`` is the share of pages that are.
    """

    name = "order_distance"
    version = "5"
    of = "page"
    title = "order distance"
    higher_is_better = False
    needs = frozenset({"text"})

    def score(self, prediction: str, reference: str) -> float:
        return order_distance(prediction, reference)


class OrderAssessed(plugins.Metric):
    """Whether two passages or more were found, without which a page's order says nothing."""

    name = "order_assessed"
    of = "page"
    title = "order assessed"
    needs = frozenset({"text"})

    def score(self, prediction: str, reference: str) -> float:
        return order_assessed(prediction, reference)


class TableSimilarityParams(plugins.Params):
    """``texts``: whether the cells' texts count, or the structure alone."""

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
    """``kind``: whose words count; ``part``: which of the three is given."""

    kind: RegionKind = "text"
    part: Literal["precision", "recall", "f1"] = "f1"


class RegionWords(plugins.Metric[RegionParams]):
    """Precision, recall or F1 of the words of one kind of region; 1 where neither page has any."""

    name = "region_f1"
    version = "7"
    argument = "kind"
    of = "page"
    title = "words of a kind of region"

    def score(self, prediction: str, reference: str) -> float:
        extracted = _extraction(prediction, reference, self.params.kind)
        if extracted is None:
            return float(not region_words(regions(prediction), self.params.kind))
        return float(getattr(extracted, self.params.part))

    def measure(self, case: PageCase) -> float:
        extracted = _extraction(case.text, case.truth, self.params.kind)
        return math.nan if extracted is None else float(getattr(extracted, self.params.part))


@lru_cache(maxsize=8)
def _extraction(read: str, truth: str, kind: RegionKind) -> Extraction | None:
    return extraction(regions(read), regions(truth), kind)


@lru_cache(maxsize=2)
def _character_rates(read: str, truth: str) -> tuple[float, float]:
    if read == truth:
        return 0.0, 0.0
    return default.edit_rates(default.characters(read), default.characters(truth))
