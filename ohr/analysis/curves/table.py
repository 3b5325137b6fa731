"""Noise curves of finished runs as data: each curve's questions at each level."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd

from ohr.display.choices import AXES, INTENSITY
from ohr.display.noise_axis import default_axis
from ohr.errors import ConfigError, OhrError, did_you_mean
from ohr.ocr.noise import strength
from ohr.statistics import NoiseCurve, curve_statistics, summarise_seeds
from ohr.statistics.curves import Statistic
from ohr.study.metrics import NO_CONTEXT
from ohr.study.output.groups import GROUP_COLUMNS, group_rows
from ohr.study.output.rows import UNIT_COLUMNS
from ohr.study.results import KNOWLEDGE_BASE, StudyRun, clusters_of, rows_of

QUALITY_STAGES = ("retrieval", "generation", "overall")
FLOOR_SUFFIX = NO_CONTEXT
"""The only metric of these stages where less is better; its curve cannot fall."""
CURVE_KEYS = (
    *("noise", "perturbation", "engine", "system", "chunker", "retriever", "reader"),
    *("top_k", "kb_scope", "protocol", "seed", "stage", "metric"),
)
STATISTICS = (
    *("area", "common_area", "mean_retention", "slope", "breakpoint", "retention", "worst"),
)


@dataclass(frozen=True)
class MeasuredCurve:
    """One curve of one group of questions: its key columns, level names and values."""

    key: dict[str, Any]
    levels: tuple[str, ...]
    curve: NoiseCurve
    parts: Mapping[str, np.ndarray] = field(default_factory=dict)
    """The means of each part of the loss at each level: float ``(levels,)``."""


def axis_of(run: StudyRun, axis: str = "") -> str:
    """The axis of noise: ``axis``, or by default the first of :data:`AXES` that the run measured
    and that the noise raises (see :func:`ohr.display.noise_axis.default_axis`).

    Raises ConfigError for an unknown axis.
    """
    if axis and axis not in AXES:
        raise ConfigError(f"unknown axis {axis!r}; {did_you_mean(axis, AXES)}")
    measured = set(run.drawn.loc[run.drawn["stage"] == "ocr", "metric"].unique())
    return axis or default_axis(run.cells, measured)


def curves_of(
    run: StudyRun, axis: str = "r_noise", *, draws: bool = False, groups: bool = True
) -> Iterator[MeasuredCurve]:
    """Every curve of a run with a clean point: of all questions, and with ``groups`` of each group.

    ``axis``, one of :data:`ohr.display.choices.AXES`, is x. A question's edit distance is that of
    the first page of its evidence. Points are means over the draws of the noise; with ``draws``,
    each draw is a point.

    The clean point is the same engine on clean pages. Questions that the protocol leaves out at
    some level are left out of the whole curve, so that its points are paired. The floor is 0 for
    retrieval, and if the run did not measure the reader without context.
    """
    rows = run.drawn if draws else run.rows
    rows = rows.assign(top_k=rows["top_k"].astype("string").fillna(""))
    noise = damage_rows(rows, axis)
    quality = rows[rows["stage"].isin(QUALITY_STAGES)]
    quality = quality[~quality["metric"].str.endswith(FLOOR_SUFFIX)]
    for info in run.metric_infos:
        if info.stage in QUALITY_STAGES and not info.higher_is_better:
            same = (quality["stage"] == info.stage) & (quality["metric"] == info.metric)
            quality = quality[~same]
    fixed = [name for name in CURVE_KEYS if name not in ("noise", "perturbation")]
    for values, setting in quality.groupby(fixed, sort=False):
        key = dict(zip(fixed, values, strict=True))
        damage = noise[noise["engine"] == key["engine"]]
        clean = setting[setting["noise"] == "none"]
        if clean.empty or damage.empty:
            continue
        floor = _floor(rows, key)
        split = _split(run, rows, key)
        noisy = setting[setting["noise"] != "none"]
        for (kind, operator), points in noisy.groupby(["noise", "perturbation"], sort=False):
            named = {"noise": kind, "perturbation": operator} | key
            curves = _group_curves(named, clean, points, damage, floor, split)
            yield from curves if groups else islice(curves, 1)


def damage_rows(rows: pd.DataFrame, axis: str) -> pd.DataFrame:
    """The damage of each question's evidence in each knowledge base, by the metric of an axis; or
    the intensity of its noise.
    """
    if axis == INTENSITY:
        questions = rows_of(rows, "ocr", "r_noise")
        return questions.assign(value=questions[INTENSITY].astype(float))
    if axis == "r_noise_reference" and (rows["protocol"] == "reference").all():
        axis = "r_noise"
    damage = rows_of(rows, "ocr", axis)
    if axis != "edit_distance":
        return damage
    pages = damage[[*KNOWLEDGE_BASE, "doc_id", "page_no", "value"]]
    questions = rows_of(rows, "ocr", "r_noise").drop(columns="value")
    return questions.merge(pages, on=[*KNOWLEDGE_BASE, "doc_id", "page_no"])


def _floor(rows: pd.DataFrame, key: dict[str, Any]) -> pd.DataFrame | None:
    """The reader's score on each question without context; None if not measured."""
    if key["stage"] == "retrieval":
        return None
    guesses = rows_of(rows, "generation", key["metric"] + FLOOR_SUFFIX)
    of_reader = guesses[(guesses["reader"] == key["reader"]) & (guesses["engine"] == key["engine"])]
    clean: pd.DataFrame = of_reader[of_reader["noise"] == "none"]
    return clean if len(clean) else None


def _split(run: StudyRun, rows: pd.DataFrame, key: dict[str, Any]) -> dict[str, pd.DataFrame]:
    """The rows of each part of a metric's loss, of the same setting."""
    same = [name for name in key if name not in ("stage", "metric")]
    parts = {
        info.metric: rows_of(rows, info.stage, info.metric)
        for info in run.metric_infos
        if (info.stage, info.part_of) == (key["stage"], key["metric"])
    }
    of_setting = {
        name: part[(part[same] == pd.Series(key)[same]).all(axis=1)] for name, part in parts.items()
    }
    return {name: part for name, part in of_setting.items() if len(part)}


def _group_curves(
    key: dict[str, Any],
    clean: pd.DataFrame,
    points: pd.DataFrame,
    damage: pd.DataFrame,
    floor: pd.DataFrame | None,
    split: Mapping[str, pd.DataFrame],
) -> Iterator[MeasuredCurve]:
    position = ["perturbation", "level", "intensity", *(["draw"] if "draw" in points else [])]
    points = points.sort_values("intensity", kind="stable")
    places: list[tuple[Any, pd.DataFrame]] = list(points.groupby(position, sort=False))
    units = list(UNIT_COLUMNS)
    table = clean[[*units, *(name for name in GROUP_COLUMNS if name in clean)]]
    columns = {"y0": clean, "x0": damage[damage["noise"] == "none"]}
    for number, (place, group) in enumerate(places, start=1):
        columns[f"y{number}"] = group
        columns[f"x{number}"] = damage[(damage[position] == list(place)).all(axis=1)]
    for name, part in split.items():
        columns[f"{name}0"] = part[part["noise"] == "none"]
        for number, (at_level, _) in enumerate(places, start=1):
            columns[f"{name}{number}"] = part[(part[position] == list(at_level)).all(axis=1)]
    if floor is not None:
        columns["floor"] = floor
    for name, values in columns.items():
        column = values[[*units, "value"]].rename(columns={"value": name})
        table = table.merge(column, on=units)
    if floor is None:
        table = table.assign(floor=0.0)
    names = ("clean", *(strength(place[1], place[2]) for place, _ in places))
    for group_name, questions in group_rows(table):
        if questions.empty:
            continue
        noise_values, quality_values = (
            questions[[f"{axis}{i}" for i in range(len(names))]].to_numpy(dtype=float).T
            for axis in "xy"
        )
        yield MeasuredCurve(
            key | {"group": group_name},
            names,
            NoiseCurve(
                noise_values,
                quality_values,
                questions["floor"].to_numpy(dtype=float),
                clusters_of(questions),
            ),
            {
                name: questions[[f"{name}{i}" for i in range(len(names))]].mean().to_numpy()
                for name in split
            },
        )


def statistics_table(runs: Sequence[StudyRun], axis: str = "") -> pd.DataFrame:
    """One row per curve and group: each statistic with its interval, for ``curves.csv``.

    ``common_area`` is over the range of x that all curves of one stage, metric and group cover.
    For a metric whose loss has parts, ``clean_`` and ``worst_`` with a part's name are its means on
    clean pages and at the worst levels.
    """
    axis = axis_of(runs[0], axis)
    curves = [(run, curve) for run in runs for curve in curves_of(run, axis)]
    common = _common_ranges([curve for _, curve in curves])
    rows = []
    for run, measured_curve in curves:
        between = common[_compared_with(measured_curve)]
        statistics = curve_statistics(
            measured_curve.curve, common=between, resamples=run.resamples, seed=run.seed
        )
        row = dict(measured_curve.key)
        row |= {"levels": len(measured_curve.levels), "n": statistics.n}
        row |= {"clean": statistics.clean, "floor": statistics.floor}
        row |= {"axis": axis, "x_from": statistics.x_from, "x_to": statistics.x_to}
        low, high = between or (float("nan"), float("nan"))
        row |= {"common_from": low, "common_to": high}
        for name in STATISTICS:
            statistic: Statistic = getattr(statistics, name)
            row[name] = statistic.value
            row[f"{name}_ci_low"] = statistic.interval.low
            row[f"{name}_ci_high"] = statistic.interval.high
        worst = (measured_curve.levels[level] for level in statistics.worst_levels)
        row["worst_level"] = ", ".join(worst)
        for name, means in measured_curve.parts.items():
            row[f"clean_{name}"] = means[0]
            row[f"worst_{name}"] = means[list(statistics.worst_levels)].mean()
        row["ci_unit"] = measured_curve.curve.clusters.unit
        rows.append(row)
    return pd.DataFrame(rows)


def _compared_with(curve: MeasuredCurve) -> tuple[Any, ...]:
    """The columns that are equal for curves whose areas can be compared."""
    return tuple(curve.key[name] for name in ("stage", "metric", "group"))


def _common_ranges(
    curves: Sequence[MeasuredCurve],
) -> dict[tuple[Any, ...], tuple[float, float] | None]:
    """The range of x that all curves of one stage, metric and group cover, or None."""
    ranges: dict[tuple[Any, ...], list[tuple[float, float]]] = {}
    for curve in curves:
        ranges.setdefault(_compared_with(curve), []).append(curve.curve.x_range)
    common: dict[tuple[Any, ...], tuple[float, float] | None] = {}
    for key, covered in ranges.items():
        low, high = max(start for start, _ in covered), min(end for _, end in covered)
        common[key] = (low, high) if low < high else None
    return common


def check_draws(runs: Sequence[StudyRun]) -> None:
    """Raise OhrError if runs with different seeds share a draw of a noise: they vary too little."""
    drawn_by: dict[tuple[Any, ...], int] = {}
    for run in runs:
        noisy = run.drawn[run.drawn["noise"] != "none"]
        noises = noisy[["engine", "perturbation", "draw"]].drop_duplicates()
        for draw in noises.itertuples(index=False, name=None):
            if drawn_by.setdefault(draw, run.seed) != run.seed:
                raise OhrError(
                    f"the runs with seed {drawn_by[draw]} and seed {run.seed} share draw "
                    f"{draw[-1]} of {draw[1]}, so seeds.csv would show too little variance: give "
                    "each run seeds=[…] of its own"
                )


def seeds_table(table: pd.DataFrame) -> pd.DataFrame:
    """Each statistic of each curve over the seeds that ``statistics_table`` was given.

    Infinite breakpoints (not reached) have no mean: a curve with one has no summary of them.
    Raises OhrError if a curve comes twice with one seed.
    """
    keys = [name for name in (*CURVE_KEYS, "group") if name != "seed"]
    if (twice := table.duplicated([*keys, "seed"])).any():
        seed = table.loc[twice, "seed"].iloc[0]
        raise OhrError(f"two runs have the same curve with seed {seed}: give one run a seed")
    records = []
    for values, curves in table.groupby(keys, sort=False):
        for name in ("clean", *STATISTICS):
            draws = curves[name].to_numpy(dtype=float)
            if np.isinf(draws).any():
                continue
            row = dict(zip(keys, values, strict=True)) | {"statistic": name}
            records.append(row | asdict(summarise_seeds(draws)))
    return pd.DataFrame(records)
