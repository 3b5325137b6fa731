"""Applies a study's metrics to cases: pages, evidence, hits and answers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ohr.collection import GROUND_TRUTH
from ohr.errors import OhrError, PluginError
from ohr.metrics.formulas import page_formulas
from ohr.metrics.holes import known_truth
from ohr.metrics.regions import region_words, regions
from ohr.plugins import Metric, Oracle
from ohr.plugins.metric import Case, Of
from ohr.study.conditions import Condition
from ohr.study.config import Stage
from ohr.study.notices.ungraded import Ungraded
from ohr.study.plan import Plan
from ohr.study.scoring.answers import Answering
from ohr.study.scoring.metrics import NO_CONTEXT, NOISE_COLUMNS, applicable
from ohr.types import Hit, Outcome, PageRef, Question, Status

JUDGE = "(judge)"
"""Label of the judge among the readers."""
_ROUNDING = 1e-9

ON_PAGE: dict[str, Callable[[str], bool]] = {
    "text": lambda truth: bool(region_words(regions(truth), "text")),
    "table": lambda truth: any(region.kind == "table" for region in regions(truth)),
    "formula": lambda truth: bool(page_formulas(truth)),
}
"""Whether a page's ground truth has what a metric needs."""


def has_evidence(plan: Plan, question: Question) -> bool:
    """Whether metrics of evidence apply to a question."""
    # The published evaluation also scores questions without an evidence text.
    published = plan.config.scoring == "reference" and plan.dataset.truth == GROUND_TRUTH
    return (
        bool(question.evidence_pages)
        and (published or bool(question.evidence_text.strip()))
        and question.qid not in plan.in_holes
    )


@dataclass(frozen=True)
class Scores:
    """One metric over one stage's units: a value and a status for each, in the plan's order.

    A value is NaN if the metric does not apply to the unit.
    """

    condition: Condition
    stage: Stage
    metric: str
    values: np.ndarray
    statuses: tuple[Status, ...]
    draw: int = 0
    """The seed that the noise was drawn with."""
    unit: str = "question"
    """What a value belongs to: ``page`` or ``question``."""


@dataclass
class Measuring:
    """Applies the metrics of a plan to its cases."""

    plan: Plan
    answering: Answering
    ungraded: Ungraded = field(default_factory=Ungraded)
    _needed: dict[tuple[Of, str], np.ndarray] = field(default_factory=dict)

    def scores(
        self,
        condition: Condition,
        stage: Stage,
        of: Of,
        cases: Sequence[Case],
        statuses: Sequence[Status],
        failed: Sequence[bool],
        *,
        closed_book: bool = False,
    ) -> list[Scores]:
        """The scores of all metrics of a kind of case, one case per page or question of the plan.

        A case that ``failed`` scores each metric's :attr:`~ohr.plugins.Metric.missing` value.
        ``closed_book``: the answers are closed-book. Raises PluginError for a metric that fails.
        """
        metrics = self._planned(of, stage, closed_book)
        # These get the gold pages, or are compared with them.
        knows_gold_pages = isinstance(self.plan.retrievers.get(condition.retriever), Oracle)
        needs_page = of == "hits" or knows_gold_pages or (stage == "generation" and not closed_book)
        columns = {label: np.full(len(cases), math.nan) for label in metrics}
        alive = {}
        for label, metric in metrics.items():
            applies = self._applies(of, metric)
            if needs_page:
                applies = applies & self._has(of, "page")
            columns[label][applies & np.asarray(failed, bool)] = metric.missing
            alive[label] = applies & ~np.asarray(failed, bool)
        own_statuses = {label: tuple(statuses) for label in metrics}
        together = {label for label, metric in metrics.items() if metric.takes_all}
        for label in together:
            places = np.flatnonzero(alive[label])
            outcomes = self._measured_together(
                label, metrics[label], [cases[place] for place in places.tolist()]
            )
            by_place = dict(zip(places.tolist(), outcomes, strict=True))
            for place, outcome in by_place.items():
                value = metrics[label].missing if outcome.value is None else outcome.value
                columns[label][place] = value
            if "judge" in metrics[label].needs:
                name = self._name(label, condition, closed_book)
                places_without = [at for at, metric in by_place.items() if metric.value is None]
                self.ungraded.add(
                    condition, stage, name, metrics[label], columns[label], places_without
                )
            own_statuses[label] = tuple(
                max(status, by_place[place].status, key=lambda metric: metric.severity)
                if place in by_place
                else status
                for place, status in enumerate(statuses)
            )
        singly = [label for label in metrics if label not in together]
        # Case by case, so that metrics can share cached work on one case.
        for place, case in enumerate(cases):
            for label in singly:
                if alive[label][place]:
                    columns[label][place] = _measured(label, metrics[label], case)
                elif of == "page" and math.isnan(_measured(label, metrics[label], case)):
                    columns[label][place] = math.nan  # it does not apply to such a page
        return [
            Scores(
                condition,
                stage,
                self._name(label, condition, closed_book),
                column,
                own_statuses[label],
                unit="page" if of == "page" else "question",
            )
            for label, column in columns.items()
        ]

    def _planned(self, of: Of, stage: Stage, closed_book: bool) -> dict[str, Metric]:
        """The metrics of a kind of case at a stage; those named with a number of hits come last."""
        metrics = applicable(of, self.plan.metrics, stage)
        if stage not in self.plan.config.stages:  # noise columns are in every cell
            metrics = {name: metrics[name] for name in NOISE_COLUMNS if name in metrics}
        if closed_book:
            metrics = {label: metric for label, metric in metrics.items() if metric.without_context}
        return dict(sorted(metrics.items(), key=lambda pair: pair[1].at_k))

    def _name(self, label: str, condition: Condition, closed_book: bool) -> str:
        if closed_book:
            return label + NO_CONTEXT
        return f"{label}@{condition.top_k}" if self.plan.metrics[label].at_k else label

    def _measured_together(
        self, label: str, metric: Metric, cases: Sequence[Case]
    ) -> list[Outcome[float]]:
        def ask(questions: Sequence[str], exhibits: Sequence[Sequence[Hit]]) -> list[Outcome[str]]:
            assert self.plan.judge is not None
            return self.answering.answers(
                JUDGE, self.plan.judge, questions, exhibits, metric.is_verdict
            )

        try:
            outcomes = metric.measure_many(cases, ask if self.plan.judge is not None else None)
        except OhrError:
            raise
        except Exception as error:
            raise PluginError(f"metric {label!r}: {type(error).__name__}: {error}") from error
        if len(outcomes) != len(cases):
            raise PluginError(f"metric {label!r} did not measure all of {len(cases)} cases")
        return [
            outcome
            if outcome.value is None
            else Outcome(_checked(label, metric, outcome.value), outcome.status, outcome.detail)
            for outcome in outcomes
        ]

    # --- what a metric applies to -------------------------------------------------------

    def _applies(self, of: Of, metric: Metric) -> np.ndarray:
        """Whether each page or question of the plan has what a metric needs: bool ``(n,)``."""
        n = len(self.plan.reread if of == "page" else self.plan.questions)
        applies = np.ones(n, bool)
        if of == "page":
            applies &= self._has(of, "truth")
            if not metric.order_free:
                applies &= self._has(of, "order")
        if of == "evidence":
            applies &= self._has(of, "evidence")
        for need in sorted(metric.needs - {"judge", "formats"}):
            applies &= self._has(of, need)
        return applies

    def _has(self, of: Of, need: str) -> np.ndarray:
        key = (of, need)
        if key not in self._needed:
            units = (
                [self._page_has(ref, need) for ref in self.plan.reread]
                if of == "page"
                else [self._question_has(question, need) for question in self.plan.questions]
            )
            self._needed[key] = np.array(units, bool)
        return self._needed[key]

    def _page_has(self, ref: PageRef, need: str) -> bool:
        dataset = self.plan.dataset
        if need == "order":
            return dataset.has_order(ref)
        holes, text = dataset.holes.get(ref), dataset.pages[ref].text
        if holes is not None and holes.doubtful:
            text = known_truth(text, holes)
        if need == "truth":
            nothing_known = holes is not None and bool(holes.doubtful) and not text.strip()
            return dataset.has_truth(ref) and not nothing_known
        return need not in ON_PAGE or ON_PAGE[need](text)

    def _question_has(self, question: Question, need: str) -> bool:
        if need == "several answers":
            return len(question.answers) > 1
        if need == "page":
            return bool(question.evidence_pages)
        return need != "evidence" or has_evidence(self.plan, question)


def _measured(label: str, metric: Metric, case: Case) -> float:
    try:
        value = metric.measure(case)
    except OhrError:
        raise
    except Exception as error:
        raise PluginError(f"metric {label!r}: {type(error).__name__}: {error}") from error
    return _checked(label, metric, value)


def _checked(label: str, metric: Metric, value: object) -> float:
    """A metric's value. Raises PluginError if it is not between the metric's worst and best."""
    low, high = sorted((metric.worst, metric.best))
    if isinstance(value, int | float | np.number | np.bool_):
        number = float(value)
        if math.isnan(number) or low - _ROUNDING <= number <= high + _ROUNDING:
            return number
    raise PluginError(
        f"metric {label!r} gave {value!r}: its values lie between {low:g} and {high:g}, or are NaN "
        "where it does not apply"
    )
