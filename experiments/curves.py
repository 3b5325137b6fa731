"""Noise curves of finished runs, as data: each curve's questions at each level."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from experiments.runs import (
    GROUP_COLUMNS,
    UNIT_COLUMNS,
    Run,
    clusters_of,
    group_rows,
    measured,
    strength,
)
from ohr.errors import OhrError
from ohr.statistics import NoiseCurve, across_seeds, curve_statistics
from ohr.statistics.curves import Statistic

QUALITY_STAGES = ("retrieval", "generation", "overall")
FLOOR_SUFFIX = "_no_context"
REFUSED = "refused"
"""The one measure of these stages of which less is better: it has no height to lose."""
CURVE_KEYS = (
    *("noise", "perturbation", "engine", "chunker", "retriever", "reader", "top_k"),
    *("kb_scope", "protocol", "seed", "stage", "metric"),
)
STATISTICS = ("area", "mean_retention", "slope", "breakpoint", "retention", "worst")


@dataclass(frozen=True)
class MeasuredCurve:
    """One curve of one group of questions: its key columns, level names and values."""

    key: dict[str, Any]
    levels: tuple[str, ...]
    curve: NoiseCurve


def curves_of(run: Run) -> Iterator[MeasuredCurve]:
    """Every curve of a run with a clean point, for each group of its questions.

    A clean point is the same engine's reading of the clean pages. Questions that the protocol
    leaves out at some level are left out of the whole curve, so that its points are paired. The
    floor is 0 for retrieval, and where the run did not measure the reader without context.
    """
    rows = run.rows.assign(top_k=run.rows["top_k"].astype("string").fillna(""))
    noise = measured(rows, "ocr", "r_noise")
    quality = rows[rows["stage"].isin(QUALITY_STAGES)]
    quality = quality[~quality["metric"].str.endswith(FLOOR_SUFFIX)]
    quality = quality[quality["metric"] != REFUSED]
    fixed = [name for name in CURVE_KEYS if name not in ("noise", "perturbation")]
    for values, setting in quality.groupby(fixed, sort=False):
        key = dict(zip(fixed, values, strict=True))
        damage = noise[noise["engine"] == key["engine"]]
        clean = setting[setting["noise"] == "none"]
        if clean.empty or damage.empty:
            continue
        floor = _floor(rows, key)
        noisy = setting[setting["noise"] != "none"]
        for (kind, operator), points in noisy.groupby(["noise", "perturbation"], sort=False):
            named = {"noise": kind, "perturbation": operator} | key
            yield from _by_group(named, clean, points, damage, floor)


def _floor(rows: pd.DataFrame, key: dict[str, Any]) -> pd.DataFrame | None:
    """What the reader scores on each question with nothing to read; None where unmeasured."""
    if key["stage"] == "retrieval":
        return None
    guesses = measured(rows, "generation", key["metric"] + FLOOR_SUFFIX)
    mine = guesses[(guesses["reader"] == key["reader"]) & (guesses["engine"] == key["engine"])]
    clean: pd.DataFrame = mine[mine["noise"] == "none"]
    return clean if len(clean) else None


def _by_group(
    key: dict[str, Any],
    clean: pd.DataFrame,
    points: pd.DataFrame,
    damage: pd.DataFrame,
    floor: pd.DataFrame | None,
) -> Iterator[MeasuredCurve]:
    at = ["perturbation", "level", "intensity"]
    points = points.sort_values("intensity", kind="stable")
    places: list[tuple[Any, pd.DataFrame]] = list(points.groupby(at, sort=False))
    units = list(UNIT_COLUMNS)
    table = clean[[*units, *(name for name in GROUP_COLUMNS if name in clean)]]
    columns = {"y0": clean, "x0": damage[damage["noise"] == "none"]}
    for number, ((operator, level, intensity), group) in enumerate(places, start=1):
        here = (damage["perturbation"] == operator) & (damage["level"] == level)
        columns[f"y{number}"] = group
        columns[f"x{number}"] = damage[here & (damage["intensity"] == intensity)]
    if floor is not None:
        columns["floor"] = floor
    for name, values in columns.items():
        column = values[[*units, "value"]].rename(columns={"value": name})
        table = table.merge(column, on=units)
    if floor is None:
        table = table.assign(floor=0.0)
    names = ("clean", *(strength(level, intensity) for (_, level, intensity), _ in places))
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
        )


def statistics_table(runs: Sequence[Run]) -> pd.DataFrame:
    """A row a curve and group: each statistic with its interval, ``curves.csv``."""
    found = []
    for run in runs:
        for measured_curve in curves_of(run):
            made = curve_statistics(measured_curve.curve, **run.bootstrap)
            row = dict(measured_curve.key)
            row |= {"levels": len(measured_curve.levels), "n": made.n}
            row |= {"clean": made.clean, "floor": made.floor}
            row |= {"r_noise_from": made.r_noise_from, "r_noise_to": made.r_noise_to}
            for name in STATISTICS:
                statistic: Statistic = getattr(made, name)
                row[name] = statistic.value
                row[f"{name}_ci_low"] = statistic.interval.low
                row[f"{name}_ci_high"] = statistic.interval.high
            row["worst_level"] = measured_curve.levels[made.worst_level]
            row["ci_unit"] = measured_curve.curve.clusters.unit
            found.append(row)
    return pd.DataFrame(found)


def seeds_table(table: pd.DataFrame) -> pd.DataFrame:
    """Each statistic of each curve over the seeds that ``statistics_table`` was given.

    Infinite breakpoints (not reached) have no mean: a curve with one has no summary of them.
    Raises OhrError if a curve comes twice with one seed.
    """
    keys = [name for name in (*CURVE_KEYS, "group") if name != "seed"]
    if (twice := table.duplicated([*keys, "seed"])).any():
        seed = table.loc[twice, "seed"].iloc[0]
        raise OhrError(f"two runs have the same curve with seed {seed}: give one run a seed")
    found = []
    for values, curves in table.groupby(keys, sort=False):
        for name in ("clean", *STATISTICS):
            draws = curves[name].to_numpy(dtype=float)
            if np.isinf(draws).any():
                continue
            row = dict(zip(keys, values, strict=True)) | {"statistic": name}
            found.append(row | asdict(across_seeds(draws)))
    return pd.DataFrame(found)
