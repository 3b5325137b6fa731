"""Metrics of a page's reading as plug-ins; both arguments are a page's Markdown/LaTeX."""

from __future__ import annotations

from ohr import plugins
from ohr.metrics import default
from ohr.metrics.formulas import page_formula_distance
from ohr.metrics.reading import order_distance
from ohr.metrics.regions import RegionKind, extraction, region_words, regions
from ohr.metrics.tables import table_similarity


class _Distance(plugins.Metric, abstract=True):
    missing = 1.0
    higher_is_better = False


class CharacterErrorRate(_Distance):
    """Levenshtein distance of characters over the reference's, at most 1."""

    name = "cer"

    def score(self, prediction: str, reference: str) -> float:
        return default.cer(prediction, reference)


class WordErrorRate(_Distance):
    """Levenshtein distance of normalised words over the reference's, at most 1."""

    name = "wer"
    version = "2"

    def score(self, prediction: str, reference: str) -> float:
        return default.wer(prediction, reference)


class FormulaDistance(_Distance):
    """Distance of the pages' formulas, matched by content; 0 where neither has any."""

    name = "formula_distance"
    version = "3"

    def score(self, prediction: str, reference: str) -> float:
        return page_formula_distance(prediction, reference)


class OrderDistance(_Distance):
    """Share of pairs of passages in the wrong order; 0 where there are no two passages."""

    name = "order_distance"
    version = "3"

    def score(self, prediction: str, reference: str) -> float:
        return order_distance(prediction, reference)


class TableSimilarityParams(plugins.Params):
    """``texts``: whether the cells' texts count, or the structure alone."""

    texts: bool = True


class TableSimilarity(plugins.Metric[TableSimilarityParams]):
    """Mean TEDS of the pages' tables, matched by content; 1 where neither has any."""

    name = "table_similarity"
    version = "3"
    missing = 0.0

    def score(self, prediction: str, reference: str) -> float:
        return table_similarity(prediction, reference, texts=self.params.texts)


class RegionF1Params(plugins.Params):
    """``kind``: whose words count: ``text``, ``formula`` or ``table``."""

    kind: RegionKind = "text"


class RegionF1(plugins.Metric[RegionF1Params]):
    """F1 of the words of one kind of region; 1 where neither page has any."""

    name = "region_f1"
    version = "3"
    missing = 0.0
    argument = "kind"

    def score(self, prediction: str, reference: str) -> float:
        read, true = regions(prediction), regions(reference)
        extracted = extraction(read, true, self.params.kind)
        return (
            extracted.f1
            if extracted is not None
            else float(not region_words(read, self.params.kind))
        )
