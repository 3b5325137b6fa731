"""Letters for ties beside the means of a run's tables."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any

import pandas as pd

from ohr.analysis.comparison.families import ALL_QUESTIONS, ENGINES, conclude, other_pairs
from ohr.display.labels import shown_measures, shown_readings
from ohr.statistics import (
    DOCUMENT,
    PairedComparison,
    Ties,
    letters_of,
    too_few,
    untested,
)
from ohr.statistics.letters import FEW_DOCUMENTS, NOTHING_SHARED, ONE_CONDITION
from ohr.study.conditions import CONDITION_COLUMNS
from ohr.study.metrics import NOISE_COLUMNS
from ohr.study.results import StudyRun, rows_of

_NOISE = ("noise", "perturbation", "level", "intensity")
_RATIOS = tuple(name for name in NOISE_COLUMNS if name != "edit_distance")
"""Metrics of the axis of noise curves, which rank nothing."""


def cells_with_letters(run: StudyRun, engine: str = "") -> pd.DataFrame:
    """The cells of a run with the column ``letters``, of the metrics that tables show.

    Engines of one setting under one noise that share a letter do not differ significantly on all
    questions; with one engine, its settings. All pairs of one metric under one noise are a family
    (:mod:`ohr.analysis.comparison.families`), on clean pages the one of the table of losses. Cells
    of groups of questions, and those that are not tested, have an empty one. ``engine``: settings
    of this engine alone. ``attrs["ties"]`` has the results.
    """
    cells = run.cells.assign(letters="")
    keys = ["stage", "metric", *CONDITION_COLUMNS]
    places = {
        tuple(_texts(row)): place
        for place, row in cells.loc[cells["group"] == "all", keys].iterrows()
    }
    tested = []
    for stage, metric, higher_is_better in _metrics(run):
        rows = rows_of(run.rows, stage, metric)
        rows = rows[rows["engine"] == engine] if engine else rows
        for _, under_noise in rows.groupby(list(_NOISE), sort=False, dropna=False):
            for conditions, result in _ties(under_noise, higher_is_better, run.seed):
                tested.append(result)
                for condition, letters in zip(conditions, result.letters, strict=True):
                    place = places.get((stage, metric, *condition))
                    if place is not None:
                        cells.loc[place, "letters"] = letters
    cells.attrs = dict(run.cells.attrs) | {"ties": tested}
    return cells


def _metrics(run: StudyRun) -> Iterator[tuple[str, str, bool]]:
    """Stage, metric and direction of the columns of tables, without the noise ratios."""
    shown = [*shown_readings(run.cells), *shown_measures(run.cells)]
    better: dict[tuple[str, str], bool] = {
        (info.stage, info.metric): info.higher_is_better for info in run.metric_infos
    }
    for stage, metric, _ in shown:
        if metric not in _RATIOS:
            yield stage, metric, better[stage, metric]


def _ties(
    rows: pd.DataFrame, higher_is_better: bool, seed: int
) -> Iterator[tuple[list[list[str]], Ties]]:
    """The conditions of each setting of one metric under one noise, and their letters."""
    fixed = [name for name in CONDITION_COLUMNS if name not in (*_NOISE, "engine")]
    several = rows["engine"].nunique() > 1
    settings: list[dict[tuple[Any, ...], pd.DataFrame]] = [
        dict(list(of_setting.groupby(list(CONDITION_COLUMNS), sort=False, dropna=False)))
        for of_setting in (
            [part for _, part in rows.groupby(fixed, sort=False, dropna=False)]
            if several
            else [rows]
        )
    ]
    planned = [
        other_pairs(
            {str(number): part for number, part in enumerate(parts.values())},
            (),
            (ENGINES, ALL_QUESTIONS),
            (place,),
        )
        for place, parts in enumerate(settings)
    ]
    conclude([each for of_setting in planned for each in of_setting], seed)
    for parts, pairs in zip(settings, planned, strict=True):
        means = {str(number): part["value"].mean() for number, part in enumerate(parts.values())}
        results = {each.conditions[-2:]: each.result for each in pairs}
        result = letters_of_pairs(means, results, higher_is_better=higher_is_better)
        yield [_texts(key) for key in parts], result


def letters_of_pairs(
    means: Mapping[str, float],
    results: Mapping[tuple[Hashable, ...], PairedComparison | None],
    *,
    higher_is_better: bool,
) -> Ties:
    """The letters of conditions, from the results of their pairs.

    None where nothing was tested over documents, or so few that nothing can be shown.
    """
    if len(means) < 2:
        return untested(len(means), ONE_CONDITION)
    known_values = {
        pair: result for pair, result in results.items() if result is not None and result.n
    }
    if not known_values:
        return untested(len(means), NOTHING_SHARED)
    over_documents = [each for each in known_values.values() if each.interval.unit == DOCUMENT]
    if not over_documents:
        return untested(len(means), FEW_DOCUMENTS)
    if reason := too_few(max(each.n_clusters for each in over_documents)):
        return untested(len(means), reason)
    names = list(means)
    apart = [
        (names.index(str(first)), names.index(str(second)))
        for (first, second), result in known_values.items()
        if result.is_shown
    ]
    return letters_of(list(means.values()), apart, higher_is_better=higher_is_better)


def _texts(values: Iterable[Any]) -> list[str]:
    """Values of key columns as texts; those of rows and cells write missing ones differently."""
    return ["" if pd.isna(value) else str(value) for value in values]
