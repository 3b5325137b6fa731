"""Notes about what cannot be assessed, because pages or questions lack what metrics need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ohr.study.metrics import NO_CONTEXT, base_name
from ohr.study.plan import Plan

if TYPE_CHECKING:
    import pandas as pd


_COUNTS = ["n", "n_empty", "n_error", "n_timeout"]
_WITHOUT = {
    "ocr": "no page has ground truth, and no question has evidence",
    "retrieval": "no question has the page or the evidence that its metrics need",
    "generation": "no question names a page to answer from",
    "overall": "no question has what its metrics need",
}


def not_assessed_lines(plan: Plan) -> list[str]:
    """Lines for the console: what is left out of means, for how many questions, and why."""
    questions, stages = plan.questions, plan.config.stages
    lines = []
    no_page = sum(not question.evidence_pages for question in questions)
    affected = [stage for stage in stages if stage in ("ocr", "retrieval", "generation")]
    if no_page and affected:
        lines.append(
            f"not assessed: {', '.join(affected)} of {no_page} of {len(questions)} questions, "
            "which name no page"
        )
    without = sum(
        bool(question.evidence_pages) and not plan.units.has_evidence(question)
        for question in questions
    )
    needing = _need_evidence(plan)
    in_doubt = len(plan.units.doubtful_questions)
    without -= in_doubt
    if in_doubt and needing:
        lines.append(
            f"not assessed: {', '.join(needing)} of {in_doubt} of {len(questions)} questions: "
            f"{_reasons(plan)}"
        )
    if without and needing:
        page_metrics = dict.fromkeys(
            base_name(info.metric) for info in plan.metric_infos if info.top_k is not None
        )
        instead = (
            f"; finding their page ({', '.join(page_metrics)}) is assessed" if page_metrics else ""
        )
        lines.append(
            f"not assessed: {', '.join(needing)} of {without} of {len(questions)} questions, "
            f"which have no evidence{instead}"
        )
    return lines


def _reasons(plan: Plan) -> str:
    """Why evidence is in doubt: the most frequent reason."""
    reason, count = Counter(plan.units.doubtful_questions.values()).most_common(1)[0]
    count_others = len(plan.units.doubtful_questions) - count
    return reason + (f" ({count_others} for other reasons of this kind)" if count_others else "")


def _need_evidence(plan: Plan) -> list[str]:
    """The study's metrics that need evidence, each once, without parts of other metrics."""
    names = dict.fromkeys(base_name(info.metric) for info in plan.metric_infos)
    return [
        name
        for name in names
        if (metric := plan.metrics.get(name)) is not None
        and (metric.of == "evidence" or "evidence" in metric.needs)
        and "fact" not in metric.needs
        and metric.part_of not in names
    ]


def unassessed_stages(cells: pd.DataFrame, stages: Iterable[str]) -> list[str]:
    """A line for each configured stage in which no metric has a value.

    Closed-book answers do not count as values.
    """
    whole = cells[cells["group"] == "all"]
    counts = [name for name in _COUNTS if name in whole]
    values = whole[counts].fillna(0).sum(axis=1)
    context = ~whole["metric"].str.endswith(NO_CONTEXT)
    stages_asked = list(stages)
    unassessed = [
        stage
        for stage in stages_asked
        if (of_stage := context & (whole["stage"] == stage)).any() and not values[of_stage].any()
    ]
    fix = _fix(stages_asked, unassessed)
    return [
        f"stage {stage}: nothing was assessed: {_WITHOUT[stage]}; {fix}" for stage in unassessed
    ]


def _fix(stages: Sequence[str], unassessed: Sequence[str]) -> str:
    assessed = [stage for stage in stages if stage not in unassessed]
    fix = "add them to the data"
    return f"{fix}, or set stages=[{','.join(assessed)}]" if assessed else fix
