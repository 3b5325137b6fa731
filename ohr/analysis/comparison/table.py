"""Compares conditions of finished runs on their common questions."""

from __future__ import annotations

import math
from collections.abc import Sequence, Sized
from typing import Any

import numpy as np
import pandas as pd

from ohr.analysis.comparison.families import (
    ALL_QUESTIONS,
    Planned,
    conclude,
    trend_results,
)
from ohr.analysis.comparison.names import cut_runs, measured_metric, measured_pairs
from ohr.analysis.comparison.planned import RANKED, SETTINGS, planned_comparisons
from ohr.analysis.comparison.ties import letters_of_pairs
from ohr.display.choices import ASPECTS
from ohr.errors import ConfigError, OhrError
from ohr.statistics import Ties, further_clusters
from ohr.study.results import (
    StudyRun,
    run_names,
)
from ohr.study.scoring.signatures import clash, signature_of

COLUMNS = (
    *("baseline", "other", "part", *SETTINGS, "stage", "metric", "group"),
    *("higher_is_better", "baseline_mean", "other_mean", "difference"),
    *("ci_low", "ci_high", "ci_unit", "excluded"),
    *("p", "p_adjusted", "family", "family_size", "cohens_dz", "cliffs_delta"),
    *("trend", "trend_ci_low", "trend_ci_high", "trend_p"),
    *("n", "n_changed", "n_documents", "n_baseline_only", "n_other_only", "further_units"),
)
LETTERS = ("letters", "baseline_letters")
"""Columns of the letters for ties, of the condition and of its baseline."""
EVERY = ("",)
"""Every group of questions, as prefixes."""
CLOSED = ("trend", "trend_ci_low", "trend_ci_high", "trend_p")


def comparisons(
    runs: Sequence[StudyRun],
    by: str,
    metrics: Sequence[tuple[str, str]],
    *,
    baseline: str = "",
    groups: tuple[str, ...] = (),
) -> pd.DataFrame:
    """One row per condition other than the baseline, setting, stage, metric and group.

    Groups are all questions, and those whose names begin with one of ``groups``.

    Conditions are paired if they agree in every setting except those of ``by``. Runs are also
    paired across a setting that has one value in each run, since that setting was changed. Without
    a ``baseline``, a knowledge base is compared with its own (``part`` names the part of the loss;
    see :func:`own_baseline`), everything else with the first. ``p_adjusted`` and the interval are
    those of a ``family`` of ``family_size`` comparisons of a metric
    (:mod:`ohr.analysis.comparison.families`): the interval excludes 0 exactly if ``p_adjusted`` is
    at most .05, and differences larger than ``excluded``. ``p`` is that of the comparison alone.
    ``trend`` is the slope of the score over the intensity of the noise, for noise of two levels or
    more, and ``trend_p`` its p: a level is significant only if the trend is. ``further_units`` more
    documents (or pages: ``ci_unit``) would show a difference this large. A setting that may differ
    is empty. Metrics whose signatures differ are left out (:func:`split_by_signature`). For an
    aspect in :data:`RANKED`, ``letters`` and ``baseline_letters`` mark ties on all questions among
    the conditions of a setting, from the same family (``attrs["ties"]`` has the results). Raises
    OhrError if nothing can be paired.
    """
    comparable, reasons = split_by_signature(runs, metrics)
    if metrics and not comparable:
        raise OhrError("; ".join(reasons))
    planned = planned_comparisons(runs, by, comparable, baseline=baseline, groups=groups)
    conclude(planned, runs[0].seed)
    result = pd.DataFrame([_row(each) for each in planned if each.record])
    _add_trends(result, planned)
    if by in RANKED:
        result.attrs["ties"] = _add_letters(result, planned)
    columns = [*COLUMNS, *(LETTERS if by in RANKED else ())]
    return result.reindex(columns=columns)


def split_by_signature(
    runs: Sequence[StudyRun], metrics: Sequence[tuple[str, str]]
) -> tuple[list[tuple[str, str]], list[str]]:
    """The metrics that measure the same in all runs, and a line for each other one: why not.

    Signatures may differ in the protocol and in k, which are settings of a study.
    """
    comparable, reasons = [], []
    for stage, metric in metrics:
        known_values = [
            (name, text)
            for run, name in zip(runs, run_names(runs), strict=True)
            if (text := signature_of(run.manifest, stage, metric))
        ]
        clashes = (
            f"{known_values[0][0]} and {name} measured it differently ({why})"
            for name, text in known_values[1:]
            if (why := clash(known_values[0][1], text))
        )
        if reason := next(clashes, ""):
            reasons.append(f"{stage}:{metric} is not compared: {reason}")
        else:
            comparable.append((stage, metric))
    return comparable, reasons


def _row(each: Planned) -> dict[str, Any]:
    """The columns of a tested comparison."""
    result = each.result
    assert result is not None  # set by conclude
    return each.record | {
        "difference": result.difference,
        "ci_low": result.interval.low,
        "ci_high": result.interval.high,
        "ci_unit": result.interval.unit,
        "excluded": result.interval.bound,
        "p": result.p,
        "p_adjusted": result.p_adjusted,
        "family_size": result.tests,
        "further_units": further_clusters(result, result.tests),
        "cohens_dz": result.cohens_dz,
        "cliffs_delta": result.cliffs_delta,
        "n": result.n,
        "n_changed": result.n_changed,
    }


def _add_trends(table: pd.DataFrame, planned: Sequence[Planned]) -> None:
    """Add the trend of its curve to each level of noise; NaN where there is none."""
    of_curve = trend_results(planned)
    results = [of_curve.get(each.curve) for each in planned if each.record]
    values = [
        (math.nan,) * 4
        if result is None
        else (result.difference, result.interval.low, result.interval.high, result.p_adjusted)
        for result in results
    ]
    table[list(CLOSED)] = np.array(values, dtype=float).reshape(-1, len(CLOSED))


def _add_letters(table: pd.DataFrame, planned: Sequence[Planned]) -> list[Ties]:
    """Add the letters of each setting's conditions to its comparisons on all questions."""
    settings: dict[tuple[Any, ...], list[Planned]] = {}
    for each in planned:
        if each.family[-1] == ALL_QUESTIONS:
            settings.setdefault((each.family, each.conditions[:-2]), []).append(each)
    tested, named = [], {}
    for key, members in settings.items():
        means: dict[str, float] = {}
        first = next(each.record for each in members if each.record)
        for each in members:
            for name, mean in zip(each.conditions[-2:], each.means, strict=True):
                means.setdefault(str(name), mean)
        results = {each.conditions[-2:]: each.result for each in members}
        result = letters_of_pairs(means, results, higher_is_better=first["higher_is_better"])
        tested.append(result)
        named[key] = dict(zip(means, result.letters, strict=True))
    letters = []
    for each in (each for each in planned if each.record):
        of = named.get((each.family, each.conditions[:-2]), {})
        letters.append([of.get(str(name), "") for name in reversed(each.conditions[-2:])])
    table[list(LETTERS)] = letters
    return tested


def compare(
    runs: Sequence[StudyRun],
    by: str = "",
    metrics: Sequence[str] = (),
    baseline: str = "",
    groups: bool = False,
) -> pd.DataFrame:
    """:func:`comparisons` with defaults for ``by`` and ``metrics``. Raises ConfigError.

    ``attrs["not_compared"]`` has a line for each metric that is left out, since the runs measured
    it in different ways.
    """
    by = by or default_aspect(runs)
    if by not in ASPECTS:
        raise ConfigError(f"unknown by={by!r}; known: {', '.join(ASPECTS)}")
    runs = cut_runs(runs, metrics)
    pairs = metrics_of(runs, metrics, parts=True)
    table = comparisons(runs, by, pairs, baseline=baseline, groups=EVERY * groups)
    table.attrs["not_compared"] = split_by_signature(runs, pairs)[1]
    return table


def default_aspect(runs: Sized) -> str:
    """The default of ``by``: runs, or the knowledge bases of a single run."""
    return "run" if len(runs) > 1 else "knowledge_base"


def metrics_of(
    runs: Sequence[StudyRun], names: Sequence[str] = (), *, parts: bool = False
) -> list[tuple[str, str]]:
    """(stage, metric) of the named metrics, else of the usual ones that were measured.

    Names are those of :func:`ohr.analysis.comparison.names.measured_metric`; where one has a
    cut-off, pass the runs through :func:`ohr.analysis.comparison.names.cut_runs` first. ``parts``:
    with the parts of the loss of the usual ones. Raises OhrError for an unknown name.
    """
    available = measured_pairs(runs)
    if not names:
        infos = [info for run in runs for info in run.metric_infos]
        usual = {(str(info.stage), info.metric) for info in infos if info.shown}
        split = usual if parts else set()
        with_parts = (
            info for info in infos if info.shown or (str(info.stage), info.part_of) in split
        )
        keys = dict.fromkeys((str(info.stage), info.metric) for info in with_parts)
        return [pair for pair in keys if pair in available]
    return list(dict.fromkeys(measured_metric(runs, name) for name in names))
