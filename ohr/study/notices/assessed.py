"""What of a study can be assessed: what its pages and questions have for its metrics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from ohr.study.plan import Plan
from ohr.study.scoring.measuring import has_evidence
from ohr.study.scoring.metrics import NO_CONTEXT, base_name

_COUNTS = ["n", "n_empty", "n_error", "n_timeout"]
_WITHOUT = {
    "ocr": "no page has a truth, and no question has evidence",
    "retrieval": "no question has the page or the evidence that its metrics need",
    "generation": "no question names a page to answer from",
    "overall": "no question has what its metrics need",
}


def not_assessed_lines(plan: Plan) -> list[str]:
    """Lines for the console: what is left out of means, of how many of the questions, and why."""
    questions, stages = plan.questions, plan.config.stages
    lines = []
    no_page = sum(not question.evidence_pages for question in questions)
    asked = [stage for stage in stages if stage in ("ocr", "retrieval", "generation")]
    if no_page and asked:
        lines.append(
            f"not assessed: {', '.join(asked)} of {no_page} of {len(questions)} questions, which "
            "name no page"
        )
    without = sum(
        bool(question.evidence_pages) and not has_evidence(plan, question) for question in questions
    )
    needing = _need_evidence(plan)
    if without and needing:
        found = dict.fromkeys(
            base_name(measure.metric) for measure in plan.measures if measure.top_k is not None
        )
        instead = f"; finding their page ({', '.join(found)}) is assessed" if found else ""
        lines.append(
            f"not assessed: {', '.join(needing)} of {without} of {len(questions)} questions, "
            f"which have no evidence{instead}"
        )
    return lines


def _need_evidence(plan: Plan) -> list[str]:
    """The metrics of the study's stages that need evidence, each once; without the parts of one."""
    names = dict.fromkeys(base_name(measure.metric) for measure in plan.measures)
    return [
        name
        for name in names
        if (metric := plan.metrics.get(name)) is not None
        and (metric.of == "evidence" or "evidence" in metric.needs)
        and metric.part_of not in names
    ]


def unassessed_stages(cells: pd.DataFrame, stages: Iterable[str]) -> list[str]:
    """A line for each stage that was asked for and in which no metric has any value.

    What is answered to nothing is no value of a stage.
    """
    whole = cells[cells["group"] == "all"]
    there = [name for name in _COUNTS if name in whole]
    values = whole[there].fillna(0).sum(axis=1)
    context = ~whole["metric"].str.endswith(NO_CONTEXT)
    asked = list(stages)
    lacking = [
        stage
        for stage in asked
        if (of_stage := context & (whole["stage"] == stage)).any() and not values[of_stage].any()
    ]
    return [f"stage {stage}: nothing was assessed: {_WITHOUT[stage]}; {_fix(asked, lacking)}"
            for stage in lacking]  # fmt: skip


def _fix(asked: Sequence[str], lacking: Sequence[str]) -> str:
    others = [stage for stage in asked if stage not in lacking]
    give = "add them to the data"
    return f"{give}, or ask for stages=[{','.join(others)}]" if others else give
