"""Metrics of facts about a page (olmOCR-Bench): the share that is true of its text, by type."""

from __future__ import annotations

import math
from typing import ClassVar

from ohr import plugins
from ohr.metrics.page_facts import is_true, kind_of
from ohr.plugins.metric import EvidenceCase


class FactMetric(plugins.Metric, abstract=True):
    """Whether the fact of a question is true of its page; facts of other types are left out.

    Nothing is true of a failed page, nor of one without text: else an engine that writes nothing
    would leave out all that should be absent.
    """

    kind: ClassVar[str]
    of = "evidence"
    needs = frozenset({"fact"})
    protocols = frozenset({"default"})
    headline = True

    def measure(self, case: EvidenceCase) -> float:
        fact = case.question.fact
        if not fact or kind_of(fact) != self.kind:
            return math.nan
        page = "\n".join(case.pages)
        return float(bool(page.strip()) and is_true(fact, page))


class TextPresent(FactMetric):
    """A text is on the page, with at most as many other characters as its fact allows."""

    name = "text_present"
    kind = "present"
    title = "texts present"


class TextAbsent(FactMetric):
    """A text, such as a running head, was left out."""

    name = "text_absent"
    kind = "absent"
    title = "texts absent"


class TextOrder(FactMetric):
    """One text comes before another."""

    name = "text_order"
    kind = "order"
    title = "texts in order"


class TableCells(FactMetric):
    """A table's cell has the neighbours or headings that it should have."""

    name = "table_cells"
    kind = "table"
    title = "table cells in place"


class FormulaPresent(FactMetric):
    """A formula is on the page, perhaps within a longer one, by its canonical LaTeX tokens."""

    name = "formula_present"
    kind = "math"
    title = "formulas present"


FACT_METRICS = tuple(
    metric.name for metric in (TextPresent, TextAbsent, TextOrder, TableCells, FormulaPresent)
)
"""The names of all metrics of facts."""
