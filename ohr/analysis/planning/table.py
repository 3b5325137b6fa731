"""The table of a planned study: what it can show, and what a given difference would need."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from ohr.analysis.planning.pilots import Pilot
from ohr.statistics.power import (
    PilotCurves,
    documents_needed,
    power,
    smallest_difference,
)
from ohr.study.plan import Plan

COLUMNS = (
    *("stage", "metric", "difference", "curves", "levels", "spread", "documents", "questions"),
    *("power", "smallest", "needed_documents", "needed_questions", "needed_pages"),
    "needed_cpu_seconds",
)
"""Columns of ``plan.csv``: ``smallest`` is what ``documents`` show with power .8."""
_NEEDS_RETRIEVER = ("retrieval", "overall")
_NEEDS_READER = ("generation", "overall")


@dataclass(frozen=True)
class Shape:
    """What decides how much a planned study can show, and how long its OCR takes.

    ``curves`` are an engine under one noise, ``levels`` are those of a curve. ``readings`` are how
    often each page is read, by engine.
    """

    documents: int
    questions: int
    pages: int
    curves: int
    levels: int
    settings: Mapping[str, int]
    """How many retrievers, readers and their pairs there are, by stage."""
    readings: Mapping[str, int]


def shape_of(plan: Plan) -> Shape:
    """The shape of a study that is planned and not run."""
    noisy = {
        (variant.engine.label, variant.noise.name, variant.noise.strength)
        for variant in plan.variants
        if variant.noise.intensity
    }
    curves = {key[:2] for key in noisy}
    readings: dict[str, int] = {}
    for variant in plan.variants:
        label = variant.engine.label
        readings[label] = readings.get(label, 0) + 1
    searched = max(1, len(plan.chunkers) * len(plan.retrievers))
    settings = {
        stage: (searched if stage in _NEEDS_RETRIEVER else 1)
        * (max(1, len(plan.readers)) if stage in _NEEDS_READER else 1)
        for stage in ("retrieval", "generation", "overall")
    }
    return Shape(
        documents=len({question.doc_id for question in plan.questions}),
        questions=len(plan.questions),
        pages=len(plan.reread),
        curves=len(curves),
        levels=math.ceil(len(noisy) / max(1, len(curves))),
        settings=settings,
        readings=readings,
    )


def plan_table(pilot: Pilot, shape: Shape, difference: float, seed: int = 0) -> pd.DataFrame:
    """One row for each metric of the pilot, with the columns :data:`COLUMNS`.

    Numbers that are not known are NaN: documents for a difference that more than 5,000 would have
    to show, and CPU seconds of engines that the pilot did not run.
    """
    rows = []
    for (stage, metric), measured in pilot.curves.items():
        n_curves = shape.curves * shape.settings.get(stage, 1)
        curves = reshaped(measured, n_curves, shape.levels, seed)
        needed = documents_needed(curves, difference, seed=seed)
        smallest = smallest_difference(curves, shape.documents, seed=seed)
        chance = 0.0
        if shape.documents:
            chance = power(curves, shape.documents, difference, seed=seed)
        times = math.nan if needed is None else needed / max(1, shape.documents)
        pages = math.ceil(times * shape.pages) if needed is not None else math.nan
        rows.append(
            {
                "stage": stage,
                "metric": metric,
                "difference": difference,
                "curves": n_curves,
                "levels": shape.levels,
                "spread": curves.spread(),
                "documents": shape.documents,
                "questions": shape.questions,
                "power": chance,
                "smallest": math.nan if smallest is None else smallest,
                "needed_documents": math.nan if needed is None else needed,
                "needed_questions": math.nan if needed is None else math.ceil(
                    times * shape.questions
                ),
                "needed_pages": pages,
                "needed_cpu_seconds": pages * _seconds_a_page(pilot, shape),
            }
        )  # fmt: skip
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _seconds_a_page(pilot: Pilot, shape: Shape) -> float:
    """CPU seconds of a page over all its conditions; NaN where an engine's are not known."""
    total = 0.0
    for engine, times in shape.readings.items():
        if engine == "gt":
            continue
        total += times * pilot.cpu_seconds.get(engine, math.nan)
    return total


def reshaped(measured: PilotCurves, curves: int, levels: int, seed: int = 0) -> PilotCurves:
    """The pilot with so many curves of so many levels, for a study of another shape.

    The curve with the loss stays first, its levels spread over those of the pilot. Further curves
    have the same differences with the documents in another order: as if noises damaged different
    documents, which makes the correction the hardest.
    """
    own = np.flatnonzero(measured.level_shifts > 0)
    chosen = own[np.round(np.linspace(0, len(own) - 1, levels)).astype(int)]
    if levels == 1:
        chosen = own[-1:]
    trend = measured.trends[:, [int(np.argmax(measured.trend_shifts))]] if (
        measured.trends.shape[1] and levels > 1
    ) else np.zeros((measured.n_documents, 0))  # fmt: skip
    means = measured.counts[:, None]
    rng = np.random.default_rng([seed, curves])
    level_parts, trend_parts = [measured.levels[:, chosen]], [trend]
    for _ in range(max(1, curves) - 1):
        order = rng.permutation(measured.n_documents)
        level_parts.append(measured.levels[order][:, chosen] / means[order] * means)
        trend_parts.append(trend[order] / means[order] * means)
    shifts = np.zeros(levels * max(1, curves))
    shifts[:levels] = np.arange(1, levels + 1) / levels
    trends = np.hstack(trend_parts)
    trend_shifts = np.zeros(trends.shape[1])
    if len(trend_shifts):
        trend_shifts[0] = float(measured.trend_shifts.max())
    return replace(
        measured,
        levels=np.hstack(level_parts),
        trends=trends,
        level_shifts=shifts,
        trend_shifts=trend_shifts,
    )
