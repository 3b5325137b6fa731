"""Letters for ties beside the means of a run's tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pandas as pd

from ohr.display.labels import shown_measures, shown_readings
from ohr.statistics import Ties, ties
from ohr.statistics.letters import ONE_CONDITION
from ohr.study.conditions import CONDITION_COLUMNS
from ohr.study.output.rows import UNIT_COLUMNS
from ohr.study.results import Run, clusters_of, rows_of
from ohr.study.scoring.metrics import NOISE_COLUMNS

_NOISE = ("noise", "perturbation", "level", "intensity")
_RATIOS = tuple(name for name in NOISE_COLUMNS if name != "edit_distance")
"""Metrics of the axis of noise curves, which rank nothing."""


def cells_with_letters(run: Run, engine: str = "") -> pd.DataFrame:
    """The cells of a run with the column ``letters``, of the metrics that tables show.

    Conditions (engines, settings) of one metric under one noise that share a letter do not differ
    significantly on all questions (:func:`ohr.statistics.ties`). Cells of groups of questions, and
    those that are not tested, have an empty one. ``engine``: conditions of this engine alone.
    ``attrs["ties"]`` has the results.
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
            conditions, result = _ties(under_noise, higher_is_better, run.seed)
            tested.append(result)
            for condition, letters in zip(conditions, result.letters, strict=True):
                place = places.get((stage, metric, *condition))
                if place is not None:
                    cells.loc[place, "letters"] = letters
    cells.attrs = dict(run.cells.attrs) | {"ties": tested}
    return cells


def _metrics(run: Run) -> Iterator[tuple[str, str, bool]]:
    """Stage, metric and direction of the columns of tables, without the noise ratios."""
    shown = [*shown_readings(run.cells), *shown_measures(run.cells)]
    better: dict[tuple[str, str], bool] = {
        (info.stage, info.metric): info.higher_is_better for info in run.metric_infos
    }
    for stage, metric, _ in shown:
        if metric not in _RATIOS:
            yield stage, metric, better[stage, metric]


def _ties(rows: pd.DataFrame, higher_is_better: bool, seed: int) -> tuple[list[list[str]], Ties]:
    """The conditions of one metric under one noise, and their letters."""
    by_condition = dict(list(rows.groupby(list(CONDITION_COLUMNS), sort=False, dropna=False)))
    result = paired_ties(list(by_condition.values()), higher_is_better, seed)
    return [_texts(key) for key in by_condition], result


def paired_ties(parts: Sequence[pd.DataFrame], higher_is_better: bool, seed: int) -> Ties:
    """The letters of conditions on the units that all of them have.

    ``parts`` are each condition's rows of one metric, one row per unit.
    """
    if len(parts) < 2:
        return Ties(("",) * len(parts), ONE_CONDITION)
    units = list(UNIT_COLUMNS)
    table = pd.concat([part.set_index(units)["value"] for part in parts], axis=1)
    return ties(
        table.to_numpy(dtype=float).T,
        clusters_of(table.index.to_frame(index=False)),
        higher_is_better=higher_is_better,
        seed=seed,
    )


def _texts(values: Iterable[Any]) -> list[str]:
    """Values of key columns as texts; those of rows and cells write missing ones differently."""
    return ["" if pd.isna(value) else str(value) for value in values]
