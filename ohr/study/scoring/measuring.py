"""Applies a study's metrics to cases, each under a condition."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ohr.plugins import Metric, Oracle
from ohr.plugins.metric import Judge, Of
from ohr.scoring.answers import Answering
from ohr.scoring.cases import Cases
from ohr.scoring.measuring import JUDGE
from ohr.scoring.measuring import Measuring as MeasuringUnits
from ohr.scoring.stored_scores import StoredScores
from ohr.store.artefacts import ArtefactStore
from ohr.study.conditions import Condition
from ohr.study.config import Stage
from ohr.study.metrics import NO_CONTEXT, applicable
from ohr.study.plan import Plan
from ohr.study.scoring.ungraded import Ungraded
from ohr.types import Answer, Hit, Outcome, Status


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
    confidences: np.ndarray | None = None
    """How sure the answers are, ``(n,)``, NaN where one does not say; None if none does."""


def confidences_of(answers: Sequence[Outcome[Answer]]) -> np.ndarray | None:
    """The confidence of each answer: float ``(n,)``, NaN without one; None if no answer has any."""
    values = [outcome.confidence for outcome in answers]
    if all(value is None for value in values):
        return None
    return np.array([math.nan if value is None else value for value in values])


@dataclass
class Measuring:
    """Applies the metrics of a plan to its cases."""

    plan: Plan
    answering: Answering
    store: ArtefactStore
    ungraded: Ungraded = field(default_factory=Ungraded)

    def __post_init__(self) -> None:
        units = self.plan.units
        self._measuring = MeasuringUnits(units, StoredScores(units, self.store))

    def scores(
        self,
        condition: Condition,
        stage: Stage,
        cases: Cases,
        *,
        closed_book: bool = False,
        repeat: int = 0,
    ) -> list[Scores]:
        """The scores of all metrics of a kind of case, one case per page or question of the plan.

        ``closed_book``: the answers are closed-book. ``repeat``: of the judge. Raises PluginError
        for a metric that fails.
        """
        metrics = self._planned(cases.of, stage, closed_book)
        # These get the gold pages, or are compared with them.
        knows_gold_pages = isinstance(self.plan.retrievers.get(condition.retriever), Oracle)
        measured = self._measuring.measure(
            cases,
            metrics,
            needs_page=cases.of == "hits"
            or knows_gold_pages
            or (stage == "generation" and not closed_book),
            judges=self._judges(metrics, repeat),
        )
        scores = []
        for label, column in measured.items():
            name = self._name(label, condition, closed_book)
            if "judge" in metrics[label].needs:
                self.ungraded.add(
                    condition, stage, name, metrics[label], column.values, column.ungraded
                )
            unit = "page" if cases.of == "page" else "question"
            scores.append(Scores(condition, stage, name, column.values, column.statuses, unit=unit))
        return scores

    def _planned(self, of: Of, stage: Stage, closed_book: bool) -> dict[str, Metric]:
        """The metrics of a kind of case at a stage; those named with a number of hits come last."""
        metrics = applicable(of, self.plan.metrics, stage)
        if stage not in self.plan.config.stages:
            columns = self.plan.noise_columns
            metrics = {name: metrics[name] for name in columns if name in metrics}
        if closed_book:
            metrics = {label: metric for label, metric in metrics.items() if metric.without_context}
        return dict(sorted(metrics.items(), key=lambda pair: pair[1].at_k))

    def _name(self, label: str, condition: Condition, closed_book: bool) -> str:
        if closed_book:
            return label + NO_CONTEXT
        return f"{label}@{condition.top_k}" if self.plan.metrics[label].at_k else label

    def _judges(self, metrics: dict[str, Metric], repeat: int) -> dict[str, Judge]:
        """Who is asked, by the label of the metric: each has its own form of a verdict."""
        judge = self.plan.judge
        if judge is None:
            return {}
        repeat_of_judge = 0 if judge.repeat(1) is None else repeat

        def asker(metric: Metric) -> Judge:
            def ask(
                questions: Sequence[str], exhibits: Sequence[Sequence[Hit]]
            ) -> list[Outcome[str]]:
                return self.answering.answers(
                    JUDGE, judge, questions, exhibits, metric.is_verdict, repeat_of_judge
                )

            return ask

        return {label: asker(metric) for label, metric in metrics.items() if metric.takes_all}
