"""From scores to rows and cells."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from experiments.conditions import CONDITION_COLUMNS, Condition, conditions
from experiments.measures import planned
from experiments.plan import Plan
from experiments.scoring import Scores
from ohr.datasets.verify import form_name
from ohr.statistics import NO_INTERVAL, bootstrap_interval
from ohr.types import EVIDENCE_SOURCES, FAILED, PageRef, Question, Status

KEY_COLUMNS = (*CONDITION_COLUMNS, "stage", "metric", "group")
NOISE_COLUMNS = ("r_noise", "r_noise_content", "edit_distance")
CELL_COLUMNS = (
    *KEY_COLUMNS,
    *("mean", "ci_low", "ci_high", "ci_unit", "n", "n_empty", "n_error", "n_timeout"),
    *NOISE_COLUMNS,
)


@dataclass(frozen=True)
class Units:
    """The units that one kind of metric is taken over, with their clusters and groups."""

    documents: np.ndarray
    pages: np.ndarray
    groups: dict[str, np.ndarray]
    """Group -> indices of its units."""


@dataclass(frozen=True)
class Grouping:
    """Questions and re-read pages of a plan, by evidence source, domain, form and task."""

    questions: Units
    pages: Units

    def of(self, unit: str) -> Units:
        """The units of a metric over ``page`` or ``question``."""
        return self.pages if unit == "page" else self.questions


def group_names(plan: Plan) -> list[str]:
    """``all``, then the evidence sources, domains, answer forms and tasks that are asked about."""
    sources = {question.evidence_source for question in plan.questions}
    known = [source for source in EVIDENCE_SOURCES if source in sources]
    others = sorted(sources - set(known))
    kinds = sorted({tag for question in plan.questions for tag in _kinds(question)})
    return [
        "all",
        *(f"source:{source}" for source in known + others),
        *(f"domain:{domain}" for domain in plan.domains),
        *kinds,
    ]


def _kinds(question: Question) -> set[str]:
    """The groups of a question by answer form and task, where they are stated."""
    stated = {"form": form_name(question), "task": question.task.strip().lower()}
    return {f"{kind}:{value}" for kind, value in stated.items() if value}


def make_grouping(plan: Plan) -> Grouping:
    """The groups of a plan. A page belongs to those of the questions whose evidence it carries."""
    documents = {doc_id: i for i, doc_id in enumerate(plan.dataset.documents)}
    every_page = {ref: i for i, ref in enumerate(plan.dataset.pages)}

    def units(owners: Sequence[PageRef], tags: Sequence[set[str]]) -> Units:
        return Units(
            np.array([documents[ref.doc_id] for ref in owners], dtype=np.int64),
            np.array([every_page.get(ref, -1) for ref in owners], dtype=np.int64),
            {
                name: np.flatnonzero([name == "all" or name in tag for tag in tags])
                for name in group_names(plan)
            },
        )

    carried: dict[PageRef, set[str]] = {}
    for question in plan.questions:
        for ref in question.evidence_pages:
            tags = {f"source:{question.evidence_source}", *_kinds(question)}
            carried.setdefault(ref, set()).update(tags)
    return Grouping(
        units(
            [question.evidence_pages[0] for question in plan.questions],
            [
                {f"source:{q.evidence_source}", f"domain:{q.domain}", *_kinds(q)}
                for q in plan.questions
            ],
        ),
        units(
            plan.reread,
            [
                carried.get(ref, set()) | {f"domain:{plan.dataset.documents[ref.doc_id].domain}"}
                for ref in plan.reread
            ],
        ),
    )


def planned_cells(plan: Plan) -> list[tuple[Condition, str, str, str]]:
    """(condition, stage, metric, group) of every cell, in the order of ``cells.csv``."""
    groups = group_names(plan)
    return [
        (condition, measure.stage, measure.metric, group)
        for measure in planned(plan.config)
        for condition in conditions(plan, measure.stage)
        if measure.top_k in (None, condition.top_k)
        for group in groups
    ]


def make_cells(plan: Plan, scores: Iterable[Scores]) -> pd.DataFrame:
    """One row for each condition, stage, metric and group."""
    grouping = make_grouping(plan)
    units = {measure.metric: measure.unit for measure in planned(plan.config)}
    order = {key: i for i, key in enumerate(planned_cells(plan))}
    scores = list(scores)
    noise = _noise_means(plan, scores, grouping)
    cells = []
    for score in scores:
        if score.stage not in plan.config.stages:
            continue
        unit = grouping.of(units[score.metric])
        failed = {
            status: np.array([s is status for s in score.statuses], dtype=bool)
            for status in (Status.EMPTY, Status.ERROR, Status.TIMEOUT)
        }
        applies = ~np.isnan(score.values)
        counted = _counted(plan, score)
        for group, everyone in unit.groups.items():
            members = everyone[applies[everyone]]
            kept = members[counted[members]]
            values = score.values[kept]
            interval = (
                bootstrap_interval(
                    values,
                    unit.documents[kept],
                    unit.pages[kept],
                    resamples=plan.config.bootstrap,
                    seed=plan.config.seed,
                )
                if len(kept)
                else NO_INTERVAL
            )
            cell = asdict(score.condition) | {
                "stage": score.stage,
                "metric": score.metric,
                "group": group,
                "mean": float(values.mean()) if len(kept) else math.nan,
                "ci_low": interval.low,
                "ci_high": interval.high,
                "ci_unit": interval.unit,
                "n": len(kept),
                "n_empty": int(failed[Status.EMPTY][members].sum()),
                "n_error": int(failed[Status.ERROR][members].sum()),
                "n_timeout": int(failed[Status.TIMEOUT][members].sum()),
            }
            cell |= noise.get((_knowledge_base(score.condition), group), {})
            position = order[(score.condition, score.stage, score.metric, group)]
            cells.append((position, cell))
    cells.sort(key=lambda pair: pair[0])
    frame = pd.DataFrame([cell for _, cell in cells], columns=list(CELL_COLUMNS))
    frame["top_k"] = frame["top_k"].astype("Int64")
    return frame


def left_out(protocol: str, stage: str, metric: str) -> frozenset[Status]:
    """Statuses that leave the mean: none of them, except under the published protocol.

    The published evaluation leaves out missing pages, failed retrievals and empty answers.
    """
    if protocol == "default" or metric.startswith(("r_noise", "evidence_lcs")):
        return frozenset()
    return FAILED if stage == "ocr" else FAILED | {Status.EMPTY}


def _counted(plan: Plan, score: Scores) -> np.ndarray:
    """Which units enter the mean."""
    excluded = left_out(plan.config.scoring, score.stage, score.metric)
    return np.array([status not in excluded for status in score.statuses], dtype=bool)


def _knowledge_base(condition: Condition) -> tuple[str, str, float, str]:
    return (condition.perturbation, condition.level, condition.intensity, condition.engine)


def _noise_means(
    plan: Plan, scores: Iterable[Scores], grouping: Grouping
) -> dict[tuple[tuple[str, str, float, str], str], dict[str, float]]:
    """Mean noise of each knowledge base and group, where the OCR stage measured it."""
    means: dict[tuple[tuple[str, str, float, str], str], dict[str, float]] = {}
    for score in scores:
        if score.stage != "ocr" or score.metric not in NOISE_COLUMNS:
            continue
        unit = grouping.of("page" if score.metric == "edit_distance" else "question")
        counted = _counted(plan, score) & ~np.isnan(score.values)
        for group, members in unit.groups.items():
            kept = members[counted[members]]
            mean = float(score.values[kept].mean()) if len(kept) else math.nan
            means.setdefault((_knowledge_base(score.condition), group), {})[score.metric] = mean
    return means


def make_rows(plan: Plan, scores: Iterable[Scores]) -> pd.DataFrame:
    """One row for each unit, condition, stage and metric."""
    units = {measure.metric: measure.unit for measure in planned(plan.config)}
    questions, dataset = plan.questions, plan.dataset
    columns: dict[str, dict[str, list[Any]]] = {
        "question": {
            "qid": [q.qid for q in questions],
            "doc_id": [q.doc_id for q in questions],
            "page_no": [q.evidence_pages[0].page_no for q in questions],
            "evidence_source": [q.evidence_source for q in questions],
            "domain": [q.domain for q in questions],
            "answer_form": [q.answer_form for q in questions],
            "task": [q.task for q in questions],
        },
        "page": {
            "qid": [""] * len(plan.reread),
            "doc_id": [ref.doc_id for ref in plan.reread],
            "page_no": [ref.page_no for ref in plan.reread],
            "evidence_source": [""] * len(plan.reread),
            "domain": [dataset.documents[ref.doc_id].domain for ref in plan.reread],
            "answer_form": [""] * len(plan.reread),
            "task": [""] * len(plan.reread),
        },
    }
    parts: dict[str, list[Any]] = {}
    for score in scores:
        if score.stage not in plan.config.stages:
            continue
        unit = columns[units[score.metric]]
        constant = asdict(score.condition) | {"stage": score.stage, "metric": score.metric}
        for name, value in constant.items():
            parts.setdefault(name, []).extend([value] * len(score.values))
        for name, values in unit.items():
            parts.setdefault(name, []).extend(values)
        parts.setdefault("value", []).extend(score.values.tolist())
        parts.setdefault("status", []).extend(map(str, score.statuses))
    numeric = {
        **dict.fromkeys(("intensity", "value"), "float64"),
        **dict.fromkeys(("seed", "page_no"), "int64"),
        "top_k": "Int64",
    }
    return pd.DataFrame(
        {
            name: pd.Series(values, dtype=numeric.get(name, "category"))
            for name, values in parts.items()
        }
    )
