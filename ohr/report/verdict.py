"""What a report is about, and its answer: the first lines of the first page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ohr.analysis.curves.table import axis_of
from ohr.analysis.curves.verdict import ranked_curves, sentences
from ohr.display.labels import shown_measures
from ohr.files.safe_text import plain
from ohr.metrics.labels import heading
from ohr.report.rows import MAIN, Rows
from ohr.report.sentences import Loss
from ohr.report.tables import stage_title
from ohr.statistics.numbers import prose
from ohr.study.metrics import MetricInfo
from ohr.study.results import StudyRun

_SUBJECTS = {"retrieval": "retrieval", "generation": "answers", "overall": "answers"}
MOST = 4
"""Largest number of conditions that a sentence names."""


def question_of(runs: Sequence[StudyRun], metrics: Mapping[str, MetricInfo]) -> str:
    """The question that the runs answer: ``What does semantic noise cost retrieval?``."""
    subjects = dict.fromkeys(_SUBJECTS[stage] for stage in MAIN if stage in metrics)
    subject = " and ".join(subjects) or "page text"
    if len(runs) > 1:
        return f"How do {len(runs)} runs differ in {subject}?"
    cells = runs[0].cells
    noises = [name for name in dict.fromkeys(cells["perturbation"]) if name != "none"]
    if len(noises) == 1:
        return f"What does {noises[0].replace('_', ' ')} noise cost {subject}?"
    if noises:
        return f"What does each noise cost {subject}?"
    if cells["engine"].nunique() > 1:
        return f"What does OCR cost {subject}?"
    return f"How good is the quality of {subject}?"


def answer_of(
    runs: Sequence[StudyRun],
    metrics: Mapping[str, MetricInfo],
    losses: Mapping[str, Sequence[Loss]],
) -> list[str]:
    """The answer in at most three sentences; empty if nothing was compared."""
    if len(runs) == 1 and (runs[0].cells["noise"] != "none").any():
        return sentences(runs[0], axis_of(runs[0]))
    return [
        f"{stage_title(stage, metrics[stage])}: {_listed(of_stage)}."
        for stage, of_stage in losses.items()
        if of_stage
    ]


def verdict_bars(run: StudyRun) -> list[dict[str, Any]]:
    """The scores behind the verdict, for the engine that loses most: for each measure one bar per
    text, from the true text over clean pages to noise, as shares of the best possible score.
    """
    curves = ranked_curves(run)
    measures = [measure for measure in shown_measures(run.cells) if measure[0] in MAIN]
    if not curves or not measures:
        return []
    curve = curves[0]
    names = curve.names
    return [
        {
            "name": plain(f"{curve.engine} under {curve.noise}"),
            "measures": [
                {
                    "title": heading(plain(label)),
                    "bars": [
                        {
                            "name": plain(name),
                            "value": prose(mean),
                            "width": f"{100 * min(1.0, max(0.0, mean)):.1f}",
                            "is_lost": place == len(means) - 1 and place > 0,
                        }
                        for place, (name, mean) in enumerate(zip(names, means, strict=True))
                    ],
                }
                for stage, metric, label in measures
                if len(means := curve.means.get((stage, metric), ())) == len(names)
            ],
        }
    ]


def reason_for_no_comparison(rows: Rows) -> str:
    """Why no two knowledge bases are compared."""
    count = len(rows.conditions)
    if count == 1:
        return "there is only one knowledge base"
    return (
        f"none of the {count} knowledge bases is the ground truth, or of clean pages that were "
        "also read with noise"
    )


def _listed(losses: Sequence[Loss]) -> str:
    """The largest losses first: ``tesseract, clean loses 0.02 (not significant); …``."""
    ordered = sorted(losses, key=lambda loss: -loss.loss)
    texts = [loss.short_text() for loss in ordered[:MOST]]
    if len(ordered) > MOST:
        texts.append(f"{len(ordered) - MOST} more are below")
    return "; ".join(texts)
