"""Divides a study's pages into halves, fits curves on one, and checks them on the other."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from ohr import registry
from ohr.display.choices import MARGIN
from ohr.errors import ConfigError
from ohr.statistics import (
    DOCUMENT,
    NO_INTERVAL,
    PAGE,
    Clusters,
    Interval,
    clustered_standard_error,
    mean_interval,
)
from ohr.statistics.clusters import FEWEST
from ohr.statistics.numbers import prose
from ohr.study.calibration import METRICS, CalibratedCurve, Calibration, Metric, fit
from ohr.study.output.rows import UNIT_COLUMNS
from ohr.study.plan import Plan

FEWEST_DOCUMENTS = 10
"""With fewer documents than this, the halves are halves of the pages."""
MET, MISSED, NOT_SHOWN = "met", "missed", "not shown"


@dataclass(frozen=True)
class Split:
    """Documents in two halves, or pages if documents are few."""

    unit: Literal["document", "page"]
    fitted: frozenset[object]
    held_out_size: int

    def is_fitted(self, rows: pd.DataFrame) -> np.ndarray:
        """Which rows belong to the half that curves are fitted on."""
        return np.array([unit in self.fitted for unit in _units(rows, self.unit)], dtype=bool)


def _units(rows: pd.DataFrame, unit: str) -> list[object]:
    documents = rows["doc_id"].astype(str)
    if unit == "document":
        return list(documents)
    return list(zip(documents, rows["page_no"].astype(int), strict=True))


def halves(plan: Plan, seed: int) -> Split:
    """Every other document in order, or every other page if there are fewer than 10 documents.

    Neighbours are alike, so the halves are more alike than drawn ones; an odd seed swaps them.
    Raises ConfigError for a single page.
    """
    documents = list(dict.fromkeys(ref.doc_id for ref in plan.reread))
    if len(documents) >= FEWEST_DOCUMENTS:
        unit: Literal["document", "page"] = "document"
        units: list[object] = list(documents)
    else:
        unit = "page"
        units = [(ref.doc_id, ref.page_no) for ref in plan.reread]
    if len(units) < 2:
        raise ConfigError(
            "a calibration needs two pages or more: one half fits the curves, the other checks them"
        )
    fitted = frozenset(units[seed % 2 :: 2])
    return Split(unit, fitted, len(units) - len(fitted))


def measured_means(rows: pd.DataFrame, split: Split) -> pd.DataFrame:
    """Means and standard errors by engine, operator, metric, intensity and half.

    ``half`` is ``fitted``, ``held_out`` or ``all``; clean pages are intensity 0 of each operator.
    """
    records = []
    for engine, operator, metric, curve in _curves(rows):
        fitted = split.is_fitted(curve)
        for half, chosen in (
            ("all", np.ones(len(curve), dtype=bool)),
            ("fitted", fitted),
            ("held_out", ~fitted),
        ):
            for intensity, group in curve[chosen].groupby("intensity"):
                mean, error = _mean(group)
                records.append(
                    {
                        "engine": engine,
                        "perturbation": operator,
                        "metric": metric,
                        "intensity": intensity,
                        "half": half,
                        "mean": mean,
                        "standard_error": error,
                        "n": _counted(group),
                    }
                )
    return pd.DataFrame(records)


def _counted(rows: pd.DataFrame) -> int:
    """The questions or pages, each once however often the noise was drawn."""
    return len(rows.drop_duplicates(list(UNIT_COLUMNS)))


def _curves(rows: pd.DataFrame) -> Iterator[tuple[str, str, Metric, pd.DataFrame]]:
    """The rows of each engine, operator and metric, with the clean ones.

    Values to which a metric does not apply (NaN) are left out.
    """
    measured = rows[(rows["stage"] == "ocr") & rows["value"].notna()]
    for engine in measured["engine"].unique():
        of_engine = measured[measured["engine"] == engine]
        for operator in [name for name in of_engine["perturbation"].unique() if name != "none"]:
            for metric in METRICS:
                chosen = of_engine["perturbation"].isin([operator, "none"]) & (
                    of_engine["metric"] == metric
                )
                if chosen.any():
                    yield str(engine), str(operator), metric, of_engine[chosen]


def _mean(group: pd.DataFrame) -> tuple[float, float]:
    """Mean, and its standard error over the pages that the values belong to."""
    values = group["value"].to_numpy(dtype=float)
    labels = pd.factorize(pd.Series(_units(group, "page")))[0]
    mean = float(values.mean()) if len(values) else math.nan
    return mean, clustered_standard_error(values, labels)


def fit_curves(plan: Plan, rows: pd.DataFrame, split: Split) -> Calibration:
    """A curve for each engine, operator and metric, from the fitted half only."""
    operators = {v.noise.name: v.noise.operator for v in plan.variants if v.noise.operator}
    fitted = []
    for engine, name, metric, curve in _curves(rows):
        half = curve[split.is_fitted(curve)]
        if half.empty:
            continue
        means = half.groupby("intensity")["value"].mean()
        operator = registry.create("perturbation", operators[name])
        fitted.append(
            CalibratedCurve(
                engine=engine,
                operator=name,
                engine_identity=plan.engines[engine].identity(),
                operator_identity=operator.identity(),
                metric=metric,
                curve=fit(means.index.tolist(), means.tolist()),
                n=_counted(half),
            )
        )
    return Calibration(dataset=plan.dataset.digest(), unit=split.unit, curves=tuple(fitted))


def drops(means: pd.DataFrame) -> list[str]:
    """A line for each curve of r_noise or edit distance that falls between two intensities."""
    lines = []
    chosen = means[(means["half"] == "all") & means["metric"].isin(["r_noise", "edit_distance"])]
    for (engine, operator, metric), curve in chosen.groupby(
        ["engine", "perturbation", "metric"], sort=False
    ):
        ordered = curve.sort_values("intensity")
        falls = np.diff(ordered["mean"])
        if len(falls) and falls.min() < 0:
            position = int(falls.argmin())
            start, end = ordered["intensity"].iloc[[position, position + 1]]
            lines.append(
                f"not monotone: {engine}, {operator}: {metric} falls by {-falls[position]:.3f} "
                f"from intensity {start:g} to {end:g}"
            )
    return lines


def check_targets(rows: pd.DataFrame, split: Split, margin: float = MARGIN) -> pd.DataFrame:
    """For each wanted value, the noise of both halves at the fitted intensity.

    ``difference`` is the unseen half's mean less the wanted value, with a 95 % interval over
    documents (over pages if the halves are of pages). ``check`` is an equivalence test: ``met``
    if the whole interval lies within ``margin``, ``missed`` if none of it does, else
    ``not shown``. Source: Schuirmann, A comparison of the two one-sided tests procedure, 1987,
    here with 2.5 % on each side.
    """
    records = []
    target_rows = rows[rows["level"].astype(str).str.contains("=")]
    for (engine, operator, level), group in target_rows.groupby(
        ["engine", "perturbation", "level"], sort=False, observed=True
    ):
        metric, _, value = str(level).partition("=")
        chosen = group[(group["metric"] == metric) & group["value"].notna()]
        fitted = split.is_fitted(chosen)
        unseen = chosen[~fitted]
        mean, _ = _mean(chosen[fitted])
        other, _ = _mean(unseen)
        interval = _interval(unseen, split)
        low, high = interval.low - float(value), interval.high - float(value)
        records.append(
            {
                "engine": str(engine),
                "perturbation": str(operator),
                "metric": metric,
                "wanted": float(value),
                "intensity": float(group["intensity"].iloc[0]),
                "fitted": mean,
                "held_out": other,
                "difference": other - float(value),
                "ci_low": low,
                "ci_high": high,
                "ci_unit": interval.unit,
                "margin": margin,
                "check": equivalence(low, high, margin),
            }
        )
    return pd.DataFrame(records)


def equivalence(low: float, high: float, margin: float) -> str:
    """The result of an interval of a difference: ``met``, ``missed`` or ``not shown``.

    Without an interval (NaN) it is ``not shown``.
    """
    if -margin <= low and high <= margin:
        return MET
    return MISSED if low > margin or high < -margin else NOT_SHOWN


def check_lines(checks: pd.DataFrame) -> list[str]:
    """A line for each wanted value that is not shown to be met, with the ends of the interval."""
    lines = []
    for row in checks[checks["check"] != MET].to_dict("records"):
        about = f"{row['engine']}, {row['perturbation']}, {row['metric']} {row['wanted']:g}"
        if math.isnan(row["ci_low"]):
            between = "fewer than three give no interval of the difference"
        else:
            between = f"the difference lies between {prose(row['ci_low'])} and "
            between += prose(row["ci_high"])
        if row["check"] == MISSED:
            lines.append(f"{about}: missed: {between}")
        else:
            lines.append(f"{about}: not shown, since pages are too few: {between}")
    return lines


def _interval(rows: pd.DataFrame, split: Split) -> Interval:
    """The interval of a mean over documents, or pages, as the halves."""
    if rows.empty:
        return NO_INTERVAL
    names, index = np.unique([str(unit) for unit in _units(rows, split.unit)], return_inverse=True)
    unit = {"document": DOCUMENT, "page": PAGE}[split.unit] if len(names) >= FEWEST else ""
    values = rows["value"].to_numpy(dtype=float)
    return mean_interval(values, Clusters(index.ravel(), len(names), unit), bounded=True)
