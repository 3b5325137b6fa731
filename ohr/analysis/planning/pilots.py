"""Pilots: what is known, before a study, of how much documents differ in their losses.

A pilot is a finished run, or one of the kept ones that come with the toolkit (``kept.json``, made
by ``python -m benchmarks.plan_pilots``): the sums of three metrics' losses by document, no texts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ohr.analysis.comparison.families import ALL_QUESTIONS, LEVELS, TRENDS, Planned
from ohr.analysis.comparison.planned import planned_comparisons
from ohr.errors import OhrError
from ohr.statistics.power import PilotCurves
from ohr.study.results import StudyRun

METRICS = (("retrieval", "lcs"), ("generation", "f1"), ("overall", "f1"))
"""The metrics that are planned for unless others are named."""
FILE = Path(__file__).with_name("kept.json")
_OF_DATASETS = {"sample": "generated pages", "sroie": "receipts"}
_ELSE = "typeset pages"
_DIGITS = 5


@dataclass(frozen=True)
class Pilot:
    """The losses of a pilot by document, for each metric, and what its pages took.

    ``curves`` are by (stage, metric). ``cpu_seconds`` is that of a page by engine, the median.
    """

    name: str
    documents: int
    questions: int
    pages: int
    cpu_seconds: Mapping[str, float]
    curves: Mapping[tuple[str, str], PilotCurves]

    def to_json(self) -> dict[str, Any]:
        """The pilot for ``kept.json``."""
        return {
            "documents": self.documents,
            "questions": self.questions,
            "pages": self.pages,
            "cpu_seconds": {name: round(value, 3) for name, value in self.cpu_seconds.items()},
            "curves": {
                ":".join(key): {
                    name: np.round(getattr(curves, name), _DIGITS).tolist() for name in _ARRAYS
                }
                for key, curves in self.curves.items()
            },
        }


_ARRAYS = ("levels", "trends", "counts", "level_shifts", "trend_shifts")


def kept_names() -> list[str]:
    """The names of the kept pilots."""
    return list(_shipped())


def kept_pilot(name: str) -> Pilot:
    """A kept pilot. Raises KeyError."""
    fields = _shipped()[name]
    curves = {}
    for key, arrays in fields["curves"].items():
        stage, metric = key.split(":")
        values = {name: np.array(arrays[name], dtype=float) for name in _ARRAYS}
        values["trends"] = values["trends"].reshape(len(values["counts"]), -1)
        curves[stage, metric] = PilotCurves(**values)
    return Pilot(
        name,
        fields["documents"],
        fields["questions"],
        fields["pages"],
        fields["cpu_seconds"],
        curves,
    )


def pilot_for(kind: str) -> Pilot:
    """The kept pilot that is nearest to a kind of dataset."""
    return kept_pilot(_OF_DATASETS.get(kind, _ELSE))


@cache
def _shipped() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(FILE.read_text("utf-8"))
    return content


def pilot_of(run: StudyRun, metrics: Sequence[tuple[str, str]]) -> Pilot:
    """The pilot that a finished run is. Raises OhrError if it has no noise, or too little of it."""
    curves = {}
    for key in metrics:
        if (found_curves := _curves(run, key)) is not None:
            curves[key] = found_curves
    if not curves:
        raise OhrError(
            f"{run.path} has no noisy and clean pages of one engine with three documents in "
            "common: a pilot needs both"
        )
    rows = run.rows
    questions = rows[rows["qid"].astype(str) != ""]
    bases = run.manifest.get("knowledge_bases", {})
    taken = {
        label.rpartition(",")[0]: cost["median_cpu_s"]
        for label, base in bases.items()
        if label.endswith(", clean")
        and (cost := base.get("taken") or {}).get("pages")
        and "median_cpu_s" in cost
    }
    pages = max((int(base.get("pages", 0)) for base in bases.values()), default=0)
    return Pilot(
        str(run.path),
        int(questions["doc_id"].nunique()),
        int(questions["qid"].nunique()),
        pages,
        taken,
        curves,
    )


def _curves(run: StudyRun, key: tuple[str, str]) -> PilotCurves | None:
    """The differences of a metric's curves by document; None without a curve."""
    try:
        planned = planned_comparisons([run], "knowledge_base", [key])
    except OhrError:
        return None
    on_all_questions = [each for each in planned if each.family[-1] == ALL_QUESTIONS]
    return curves_of(
        [each for each in on_all_questions if each.record and each.family[0] == LEVELS],
        [each for each in on_all_questions if each.family[0] == TRENDS],
    )


def curves_of(levels: Sequence[Planned], trends: Sequence[Planned] = ()) -> PilotCurves | None:
    """Planned comparisons, and the trends of their curves, as a pilot.

    The loss to plan for is that of the curve that varies as much as the median curve; it grows
    evenly from level to level. None where nothing has three documents. Comparisons on other
    questions than those of the first are left out.
    """
    if not levels or not levels[0].paired.clusters.unit:
        return None
    first = levels[0].paired.clusters
    levels = [each for each in levels if _is_alike(each, first.names, first.counts())]
    trends = [each for each in trends if _is_alike(each, first.names, first.counts())]
    target = levels[_target(levels)].curve
    own = [place for place, each in enumerate(levels) if each.curve == target]
    shifts = np.zeros(len(levels))
    shifts[own] = np.arange(1, len(own) + 1) / len(own)
    sums, slopes = _sums(levels, first.size), _sums(trends, first.size)
    slope_shifts = np.zeros(len(trends))
    for place, each in enumerate(trends):
        if each.curve == target:
            # A slope is a weighted sum of the differences at the curve's levels.
            weights = np.linalg.lstsq(sums[:, own], slopes[:, place], rcond=None)[0]
            slope_shifts[place] = float(weights @ shifts[own])
    return PilotCurves(sums, slopes, first.counts(), shifts, slope_shifts)


def _is_alike(each: Planned, names: tuple[Any, ...], counts: np.ndarray) -> bool:
    clusters = each.paired.clusters
    return clusters.names == names and bool((clusters.counts() == counts).all())


def _sums(planned: Sequence[Planned], documents: int) -> np.ndarray:
    columns = [each.paired.clusters.sums(each.paired.differences) for each in planned]
    return np.array(columns).T if columns else np.zeros((documents, 0))


def _target(levels: Sequence[Planned]) -> int:
    """The strongest level of the curve that varies as much as the median curve."""
    last = {each.curve: place for place, each in enumerate(levels)}
    spread = {
        place: float(np.std(levels[place].paired.clusters.sums(levels[place].paired.differences)))
        for place in last.values()
    }
    return sorted(spread, key=lambda place: spread[place])[len(spread) // 2]
