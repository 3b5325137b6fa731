"""The loss at equal noise of each engine and kind of noise, compared with one of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ohr.analysis.comparison.table import metrics_of
from ohr.analysis.curves.table import CURVE_KEYS, axis_of, damage_rows
from ohr.errors import ConfigError, OhrError, did_you_mean
from ohr.statistics.clusters import Clusters
from ohr.statistics.equal_noise import AnchoredCurve
from ohr.statistics.inference import Paired
from ohr.statistics.intervals import jackknife_error
from ohr.statistics.multiple import holm
from ohr.statistics.paired import compare_family
from ohr.study.output.groups import GROUP_COLUMNS, group_rows
from ohr.study.output.rows import UNIT_COLUMNS
from ohr.study.results import StudyRun, clusters_of

AXIS = "r_noise_content"
AT = (0.1, 0.2, 0.3, 0.4)
GROUND_TRUTH = "gt"
_OF_NOISE = ("noise", "perturbation", "engine")
_SETTING = tuple(name for name in CURVE_KEYS if name not in (*_OF_NOISE, "stage", "metric"))


@dataclass(frozen=True)
class Kind:
    """What makes the text of a knowledge base wrong: a kind of pages, an engine, a noise."""

    pages: str
    engine: str
    noise: str

    @property
    def label(self) -> str:
        """``typeset: tesseract, semantic``; the pages only if there are several runs.

        Of an engine that is the output in a folder, the folder's name.
        """
        return f"{self.pages}: {self.condition}" if self.pages else self.condition

    @property
    def condition(self) -> str:
        """``tesseract, semantic``: the label without the pages."""
        engine = self.engine.rpartition("/")[2] or self.engine
        return f"{engine}, {self.noise}" if self.noise else engine


@dataclass(frozen=True)
class Measured:
    """One anchored curve of one group of questions, with the questions as an index."""

    kind: Kind
    key: Mapping[str, Any]
    curve: AnchoredCurve
    units: pd.MultiIndex
    levels: int
    """Number of its points besides the ground truth."""


def equal_noise(
    runs: Mapping[str, StudyRun],
    at: Sequence[float] = AT,
    reference: str = "",
    metrics: Sequence[str] = (),
    axis: str = AXIS,
) -> pd.DataFrame:
    """One row per metric, group, amount of noise and kind: its loss there, and how it differs.

    ``runs`` are finished runs by the name of their pages; each needs the engine ``gt`` on clean
    pages. A kind is an engine with a noise, or an engine alone on clean pages. ``loss`` is the
    score of the ground truth minus the kind's score where the mean ``axis`` is ``noise``, with
    ``low`` and ``high``, its 95 % interval over documents; ``gap`` is how far apart the measured
    points around it are. ``difference`` is the loss minus that of
    the ``reference`` (a label; by default the kind with most points), with an interval and ``p``,
    corrected over all comparisons of the metric and group (Holm). Kinds of the same questions are
    paired; of other documents they are independent samples (Welch), and of partly the same ones
    each document is left out of both in turn. Raises ConfigError for an unknown reference or
    amounts outside (0, 1), and OhrError if no kind reaches any amount.
    """
    if not at or not all(0 < each < 1 for each in at):
        raise ConfigError(f"amounts of noise between 0 and 1, such as {AT[0]:g}, not {list(at)}")
    chosen = {of for run in runs.values() for of in metrics_of([run], metrics)}
    measured = [
        each
        for name, run in runs.items()
        for each in anchored_curves(run, axis_of(run, axis), name if len(runs) > 1 else "")
        if (each.key["stage"], each.key["metric"]) in chosen
    ]
    labels = list(dict.fromkeys(each.kind.label for each in measured))
    if reference and reference not in labels:
        raise ConfigError(f"no kind of noise {reference!r}; {did_you_mean(reference, labels)}")
    groups: dict[tuple[str, ...], list[Measured]] = {}
    for each in measured:
        of = (*(str(each.key[name]) for name in _SETTING), str(each.key["stage"]))
        groups.setdefault((*of, str(each.key["metric"]), str(each.key["group"])), []).append(each)
    rows = [row for of in groups.values() for row in _compared(of, at, reference)]
    if not rows:
        raise OhrError(
            f"no amount of {axis} in {list(at)} is reached: runs need the engine gt, an engine or "
            "noise that damages the text, the stage ocr, and retrieval or answers"
        )
    return pd.DataFrame(rows)


def run_names(runs: Sequence[StudyRun]) -> list[str]:
    """The names of runs: their folders, with as much of the path as distinguishes them."""
    parts = [run.path.resolve().parts for run in runs]
    length = 1
    while len({of[-length:] for of in parts}) < len(set(parts)):
        length += 1
    return ["/".join(of[-length:]) for of in parts]


def anchored_curves(run: StudyRun, axis: str, pages: str = "") -> Iterator[Measured]:
    """Every curve of a run from the ground truth over clean pages to the strongest noise.

    Raises OhrError without the ground truth on clean pages.
    """
    rows = run.rows.assign(top_k=run.rows["top_k"].astype("string").fillna(""))
    damage = damage_rows(rows, axis)
    better = {(str(info.stage), info.metric): info.higher_is_better for info in run.metric_infos}
    quality = rows[rows["stage"].isin(("retrieval", "generation", "overall"))]
    of_truth = quality[(quality["engine"] == GROUND_TRUTH) & (quality["noise"] == "none")]
    if of_truth.empty or damage.empty:
        raise OhrError(
            f"{run.path}: losses begin at the ground truth, and the run has no engine gt with the "
            "stages ocr and retrieval, generation or overall"
        )
    fixed = [*_SETTING, "stage", "metric"]
    for values, truth in of_truth.groupby(fixed, sort=False):
        key = dict(zip(fixed, values, strict=True))
        if not better.get((str(key["stage"]), str(key["metric"])), False):
            continue
        same = quality[(quality[fixed] == list(values)).all(axis=1)]
        for kind, points in _kinds(same, pages):
            yield from _curves(kind, key, truth, points, damage)


def _kinds(rows: pd.DataFrame, pages: str) -> Iterator[tuple[Kind, pd.DataFrame]]:
    """The points of each kind: an engine's clean pages belong to each of its noises."""
    for engine, of_engine in rows.groupby("engine", sort=False):
        is_clean = of_engine["noise"] == "none"
        noisy = of_engine[~is_clean]
        clean = of_engine[is_clean] if engine != GROUND_TRUTH else of_engine[:0]
        for name, points in noisy.groupby("perturbation", sort=False):
            yield Kind(pages, str(engine), str(name)), pd.concat([clean, points])
        if noisy.empty and len(clean):
            yield Kind(pages, str(engine), ""), clean


def _curves(
    kind: Kind,
    key: Mapping[str, Any],
    truth: pd.DataFrame,
    points: pd.DataFrame,
    damage: pd.DataFrame,
) -> Iterator[Measured]:
    units, place = list(UNIT_COLUMNS), ["noise", "perturbation", "level", "intensity", "engine"]
    table = truth[[*units, *(name for name in GROUP_COLUMNS if name in truth)]]
    columns = {"y0": truth, "x0": _rows_at(damage, truth.iloc[0][place])}
    places = points.drop_duplicates(place)
    for number, (_, row) in enumerate(places.iterrows(), start=1):
        columns[f"y{number}"] = _rows_at(points, row[place])
        columns[f"x{number}"] = _rows_at(damage, row[place])
    for name, values in columns.items():
        column = values[[*units, "value"]].rename(columns={"value": name})
        table = table.merge(column, on=units)
    for group, questions in group_rows(table):
        if questions.empty:
            continue
        noise, score = (
            questions[[f"{axis}{place}" for place in range(len(places) + 1)]].to_numpy(float).T
            for axis in "xy"
        )
        curve = AnchoredCurve(noise, score[0] - score, clusters_of(questions))
        index = pd.MultiIndex.from_frame(questions[units])
        yield Measured(kind, {**key, "group": group}, curve, index, len(places))


def _rows_at(rows: pd.DataFrame, place: pd.Series) -> pd.DataFrame:
    found_rows: pd.DataFrame = rows[(rows[list(place.index)] == list(place)).all(axis=1)]
    return found_rows


def _compared(
    curves: Sequence[Measured], at: Sequence[float], reference: str
) -> Iterator[dict[str, Any]]:
    """The rows of one metric and group: each kind at each amount, compared with the reference."""
    usual = max(curves, key=lambda each: each.levels)
    base = next((each for each in curves if each.kind.label == reference), usual)
    places = [
        (noise, each, values)
        for noise in at
        for each in curves
        if (values := each.curve.loss_at(noise)) is not None
    ]
    losses = compare_family([Paired(values, each.curve.clusters) for _, each, values in places])
    base_values = {noise: base.curve.loss_at(noise) for noise in at}
    differences = [
        _difference(each, values, base, base_values[noise]) for noise, each, values in places
    ]
    adjusted = holm(np.array([p for *_, p in differences]))
    for (noise, each, values), loss, difference, p in zip(
        places, losses, differences, adjusted, strict=True
    ):
        yield {
            **each.key,
            "kind": each.kind.label,
            "pages": each.kind.pages,
            "engine": each.kind.engine,
            "perturbation": each.kind.noise,
            "noise": noise,
            "gap": each.curve.gap_at(noise),
            "loss": loss.difference,
            "low": loss.interval.low,
            "high": loss.interval.high,
            "reference": base.kind.label,
            "difference": difference[0],
            "difference_low": difference[1],
            "difference_high": difference[2],
            "p": float(p),
            "n": len(values),
            "n_clusters": each.curve.clusters.size,
            "unit": each.curve.clusters.unit,
        }


def _difference(
    each: Measured, values: np.ndarray, base: Measured, base_values: np.ndarray | None
) -> tuple[float, float, float, float]:
    """Loss minus the reference's, the ends of its interval, and p; NaN for the reference itself."""
    if base_values is None or each is base:
        return (math.nan,) * 4
    shared = each.units.intersection(base.units)
    if len(shared) == len(values) == len(base_values):
        own, other = (
            pd.Series(of, index=measured.units).loc[each.units].to_numpy()
            for of, measured in ((values, each), (base_values, base))
        )
        [paired] = compare_family([Paired(own - other, each.curve.clusters)])
        return paired.difference, paired.interval.low, paired.interval.high, paired.p
    if set(each.curve.clusters.names) & set(base.curve.clusters.names):
        return overlapping_difference(values, each.curve.clusters, base_values, base.curve.clusters)
    return _independent(values, each.curve, base_values, base.curve)


def overlapping_difference(
    values: np.ndarray, clusters: Clusters, others: np.ndarray, other_clusters: Clusters
) -> tuple[float, float, float, float]:
    """The difference of two means whose documents are partly the same: each document of either is
    left out of both in turn.
    """
    difference = float(values.mean() - others.mean())
    if not clusters.unit or not other_clusters.unit:
        return difference, math.nan, math.nan, math.nan
    names = list(dict.fromkeys([*clusters.names, *other_clusters.names]))
    means = [
        pd.Series(own.means_without(of), index=list(own.names)).reindex(names, fill_value=of.mean())
        for of, own in ((values, clusters), (others, other_clusters))
    ]
    error = jackknife_error(difference, (means[0] - means[1]).to_numpy())
    freedom = min(clusters.degrees_of_freedom(), other_clusters.degrees_of_freedom())
    return _tested(difference, error, freedom)


def _independent(
    values: np.ndarray, curve: AnchoredCurve, others: np.ndarray, other_curve: AnchoredCurve
) -> tuple[float, float, float, float]:
    """Welch's test of two means over clusters of two sets of documents."""
    parts = []
    for of, clusters in ((values, curve.clusters), (others, other_curve.clusters)):
        if not clusters.unit:
            return float(values.mean() - others.mean()), math.nan, math.nan, math.nan
        error = jackknife_error(float(of.mean()), clusters.means_without(of))
        parts.append((error**2, clusters.degrees_of_freedom()))
    total = sum(variance for variance, _ in parts)
    difference = float(values.mean() - others.mean())
    if not total > 0:
        return difference, math.nan, math.nan, math.nan
    freedom = total**2 / sum(variance**2 / degrees for variance, degrees in parts)
    return _tested(difference, math.sqrt(total), freedom)


def _tested(difference: float, error: float, freedom: float) -> tuple[float, float, float, float]:
    """The difference, the ends of its interval, and p."""
    from scipy import stats

    if not error > 0:
        return difference, math.nan, math.nan, math.nan
    width = float(stats.t.ppf(0.975, freedom)) * error
    p = 2 * float(stats.t.sf(abs(difference) / error, freedom))
    return difference, difference - width, difference + width, p
