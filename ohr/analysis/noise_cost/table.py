"""What noise costs each condition, relative to a frozen baseline on the same pages and noise."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ohr.analysis.comparison.table import split_by_signature
from ohr.errors import OhrError
from ohr.ocr.noise import noise_name
from ohr.statistics import NO_INTERVAL, Clusters, Ties, ties
from ohr.statistics.ratios import ratio_interval
from ohr.study.config import BUILT_IN
from ohr.study.metrics import MetricInfo
from ohr.study.output.rows import UNIT_COLUMNS
from ohr.study.results import StudyRun, clusters_of, rows_of, run_names

PARTS = ("engine", "system", "chunker", "retriever", "reader", "top_k")
"""What makes a condition, apart from the noise."""
NOISE = ("noise", "perturbation", "level", "intensity")
BASELINE: Mapping[str, str] = {
    "engine": "tesseract",
    "system": BUILT_IN,
    "chunker": "tokens",
    "retriever": "bm25",
    "reader": "extractive",
    "top_k": "2",
}
"""The frozen baseline: Tesseract 5, BM25 over words, the offline reader, with default options."""
SAME = ("scoring", "scope", "dpi", "dataset.pages")
"""Options of a study that all runs must share, beside the draws and the noises."""
ENGINE_MAJOR = "5"
TRUTH = "gt"
OWN_ERRORS = "none: its own errors, against the ground truth"
"""Noise of a condition that was measured on clean pages alone."""
AT_BASELINE = 100.0
UNDEFINED = "undefined: the baseline loses nothing under these noises"
_ROUNDING = 1e-12
"""A mean loss below this is rounding."""


@dataclass(frozen=True)
class Losses:
    """The losses of a condition and of the baseline, of the same units under the same noises.

    Both are float ``(noises, n)``: by how much a unit scores worse than on clean pages.
    """

    condition: np.ndarray
    baseline: np.ndarray
    clusters: Clusters
    noises: tuple[str, ...]
    own_errors: bool = False
    """Whether the condition has clean pages alone, compared with the ground truth's."""


def noise_costs(
    runs: Sequence[StudyRun],
    metrics: Sequence[tuple[str, str]],
    baseline: Mapping[str, str] = BASELINE,
) -> pd.DataFrame:
    """One row per metric and condition: its mean noise cost, with interval and letters.

    The cost is 100 times the condition's mean loss over all noises divided by the baseline's on the
    same units and noises; 100 is the baseline. Sums are divided, as by the mean corruption error of
    Hendrycks and Dietterich (2019): the mean of a ratio per noise would be decided by the noise
    under which the baseline loses least. The cost is NaN if the baseline loses nothing in all.
    Intervals are Fieller's (:func:`~ohr.statistics.ratios.ratio_interval`), infinite where the
    baseline's loss may be 0. ``letters``: conditions of a metric that share one do not differ
    significantly, by paired sign flips of documents after Holm.

    ``baseline``: part -> label, by default the frozen one; any other has to fit one condition. If
    its engine is the ground truth, a condition with clean pages alone loses what its engine's own
    errors cost, compared with the ground truth's clean pages.

    Raises OhrError if the runs lack the baseline or noise, or do not fit together.
    """
    _check(runs, is_frozen=baseline is BASELINE)
    comparable, reasons = split_by_signature(runs, metrics)
    if not comparable:
        raise OhrError("; ".join(reasons) or "none of these metrics was measured")
    tables = [_metric_costs(runs, stage, metric, baseline) for stage, metric in comparable]
    tested = [part.attrs.pop("ties") for part in tables]
    table = pd.concat(tables, ignore_index=True)
    table.attrs["ties"] = tested
    table.attrs["not_compared"] = reasons
    return table


def _check(runs: Sequence[StudyRun], *, is_frozen: bool) -> None:
    """Raise OhrError for runs of other data, or whose frozen baseline has other options."""
    digests = {str(run.manifest.get("dataset", {}).get("digest", "")) for run in runs}
    if len(digests) > 1:
        raise OhrError("the runs are of different data: the baseline must be on the same pages")
    for run in runs[1:]:
        if differing := settings_that_differ(runs[0], run):
            raise OhrError(
                f"{runs[0].path} and {run.path} differ in {', '.join(differing)}: the baseline "
                "must be measured as the others are"
            )
    for run in runs if is_frozen else ():
        if flaw := flaw_of_baseline(run):
            raise OhrError(f"{run.path}: {flaw}")


def flaw_of_baseline(run: StudyRun) -> str:
    """Why the baseline of a run is not the frozen one: its version or options; else empty."""
    engine = run.manifest.get("engines", {}).get(BASELINE["engine"])
    version = str((engine or {}).get("engine_version", ENGINE_MAJOR))
    major = re.search(r"\d+", version)  # of "tesseract 5.3.0, leptonica-1.82.0, …"
    if major is None or major[0] != ENGINE_MAJOR:
        return f"Tesseract is {version!r}, and the baseline's is 5"
    config = run.manifest.get("config", {})
    for part in ("engine", "chunker", "retriever", "reader"):
        for spec in config.get(f"{part}s", ()):
            if spec.get("label") == BASELINE[part] and (
                spec.get("params") or spec.get("name") != BASELINE[part]
            ):
                return (
                    f"{part} {BASELINE[part]!r} has options of its own: the baseline has none; "
                    "give it another label"
                )
    return ""


def settings_that_differ(first: StudyRun, second: StudyRun) -> list[str]:
    """The settings that decide pages, noise or scores, and are not the same in both runs."""
    configs = [run.manifest.get("config", {}) for run in (first, second)]
    flat = [
        config | {"dataset.pages": config.get("dataset", {}).get("pages")} for config in configs
    ]
    both = [name for name in SAME if all(part.get(name) is not None for part in flat)]
    names = [name for name in both if flat[0][name] != flat[1][name]]
    draws = [run.manifest.get("draws") for run in (first, second)]
    names += ["the draws of the noise"] if all(draws) and draws[0] != draws[1] else []
    noises = [{spec["label"]: spec for spec in config.get("noise", ())} for config in configs]
    shared = [label for label in noises[0] if label in noises[1]]
    names += [f"noise {label}" for label in shared if noises[0][label] != noises[1][label]]
    return names


def _metric_costs(
    runs: Sequence[StudyRun], stage: str, metric: str, named: Mapping[str, str]
) -> pd.DataFrame:
    info = next(
        info
        for run in runs
        for info in run.metric_infos
        if (info.stage, info.metric) == (stage, metric)
    )
    rows = gathered(runs, stage, metric)
    conditions = {tuple(map(str, key)): part for key, part in rows.groupby(list(PARTS), sort=False)}
    baseline = _baseline(conditions, stage, metric, named)
    records, losses = [], []
    for key, of_condition in conditions.items():
        paired = _paired(of_condition, conditions[baseline], info)
        if paired is None:
            continue
        losses.append(paired)
        named = dict(zip(PARTS, key, strict=True))
        records.append({"stage": stage, "metric": metric} | named | cost_of(paired))
    if not records:
        raise OhrError(f"no noise in these runs: {stage}:{metric} has clean pages only")
    table = pd.DataFrame(records)
    tested = _ties(losses, runs[0].seed)
    table["letters"] = tested.letters
    table = table.sort_values(["cost", *PARTS], kind="stable", ignore_index=True)
    table.attrs["ties"] = tested
    return table


def gathered(runs: Sequence[StudyRun], stage: str, metric: str) -> pd.DataFrame:
    """The rows of all runs; a condition that several runs have is taken from the first."""
    parts = [
        rows_of(run.rows, stage, metric).assign(run=name)
        for run, name in zip(runs, run_names(runs), strict=True)
    ]
    rows = pd.concat(parts, ignore_index=True)
    rows["top_k"] = rows["top_k"].astype("string").fillna("").astype(str)
    for name in (*PARTS, "noise", "perturbation", "level"):
        rows[name] = rows[name].astype(str)
    keys = [*PARTS, *NOISE, *UNIT_COLUMNS]
    first = rows.groupby([*PARTS, *NOISE])["run"].transform("first")
    rows = rows[rows["run"] == first]
    if rows.duplicated(keys).any():
        raise OhrError(f"{stage}:{metric} has several values for one question: give fewer runs")
    return rows


def _baseline(
    conditions: Mapping[tuple[str, ...], pd.DataFrame],
    stage: str,
    metric: str,
    named: Mapping[str, str],
) -> tuple[str, ...]:
    """The key of the baseline; parts that a stage does not have are empty. Raises OhrError."""
    fitting = [
        key
        for key in conditions
        if all(
            value in ("", named.get(part, value)) for part, value in zip(PARTS, key, strict=True)
        )
    ]
    if len(fitting) == 1 or (fitting and named is BASELINE):
        return fitting[0]
    if named is not BASELINE:
        text = ", ".join(named.values())
        if not fitting:
            raise OhrError(f"no condition of {stage}:{metric} is the baseline {text!r}")
        several = "; ".join(conditions_of(pd.DataFrame(fitting, columns=list(PARTS))))
        raise OhrError(f"the baseline {text!r} fits several conditions: name more of {several}")
    names = ", ".join(BASELINE[part] for part in PARTS if part != "system")
    raise OhrError(
        f"the runs lack the baseline for {stage}:{metric} ({names} hits): run the study with it, "
        "give a run of the same data that has it, or name another (ohr board RUN --baseline NAME)"
    )


def _paired(condition: pd.DataFrame, baseline: pd.DataFrame, info: MetricInfo) -> Losses | None:
    """The losses of both on the units that both have; None without a common noise."""
    units = list(UNIT_COLUMNS)
    sides = [split_by_noise(frame) for frame in (condition, baseline)]
    if any("" not in side for side in sides):
        return None
    own_errors = _has_own_errors_only(condition, baseline)
    if own_errors:
        sides[0] = dict.fromkeys(sides[1], sides[0][""]) | {"": sides[1][""]}
    noises = [name for name in sides[0] if name and name in sides[1]]
    if not noises:
        return None
    table: pd.DataFrame | None = None
    for number, side in enumerate(sides):
        for name in ("", *noises):
            column = side[name][[*units, "value"]].rename(columns={"value": f"{number}{name}"})
            table = column if table is None else table.merge(column, on=units)
    assert table is not None
    if table.empty:
        return None
    sign = 1.0 if info.higher_is_better else -1.0
    losses = [
        np.array([sign * (table[f"{number}"] - table[f"{number}{name}"]) for name in noises], float)
        for number in range(2)
    ]
    return Losses(losses[0], losses[1], clusters_of(table), tuple(noises), own_errors)


def _has_own_errors_only(condition: pd.DataFrame, baseline: pd.DataFrame) -> bool:
    """Whether a condition has clean pages alone, and the baseline is the ground truth under noise.

    Then its pages are compared with the ground truth's clean pages: its noise is its own errors.
    """
    is_clean = bool((condition["noise"] == "none").all())
    engines = [str(frame["engine"].iloc[0]) for frame in (condition, baseline)]
    return is_clean and engines[1] == TRUTH != engines[0]


def split_by_noise(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The rows of each noise by its name; the clean ones under the empty name."""
    return {
        "" if noise == "none" else noise_name(perturbation, level, intensity): part
        for (noise, perturbation, level, intensity), part in rows.groupby(list(NOISE), sort=False)
    }


def cost_of(losses: Losses) -> dict[str, Any]:
    """The mean noise cost of a condition with its interval, and what it rests on: one record."""
    condition, baseline = losses.condition.mean(axis=0), losses.baseline.mean(axis=0)
    cost, interval = float("nan"), NO_INTERVAL
    if is_defined(losses):
        cost = AT_BASELINE * float(condition.mean() / baseline.mean())
        interval = ratio_interval(AT_BASELINE * condition, baseline, losses.clusters)
    return {
        "cost": cost,
        "ci_low": interval.low,
        "ci_high": interval.high,
        "ci_unit": interval.unit,
        "loss": float(condition.mean()),
        "baseline_loss": float(baseline.mean()),
        "n": len(baseline),
        "n_documents": losses.clusters.size,
        "n_noises": 0 if losses.own_errors else len(losses.noises),
    }


def is_defined(losses: Losses) -> bool:
    """Whether the baseline loses anything: otherwise a ratio to its loss means nothing."""
    return float(losses.baseline.mean()) > _ROUNDING


def _ties(losses: Sequence[Losses], seed: int) -> Ties:
    """The letters of conditions with the same units and noises; empty for the others.

    What is tested is each unit's mean loss over the noises: the baseline's loss, by which all are
    divided, is the same for all.
    """
    groups: dict[tuple[object, ...], list[int]] = {}
    for place, part in enumerate(losses):
        if is_defined(part):
            key = (part.noises, part.condition.shape, part.baseline.tobytes())
            groups.setdefault(key, []).append(place)
    letters = [""] * len(losses)
    largest = max(groups.values(), key=len, default=[])
    if not largest:
        return Ties(tuple(letters), "the cost is undefined")
    values = np.array([losses[place].condition.mean(axis=0) for place in largest])
    result = ties(values, losses[largest[0]].clusters, higher_is_better=False, seed=seed)
    for place, text in zip(largest, result.letters, strict=True):
        letters[place] = text
    return Ties(tuple(letters), result.reason)


def conditions_of(table: pd.DataFrame) -> Iterator[str]:
    """The name of each row's condition: ``rapidocr, tokens, bm25, extractive, 2``."""
    for row in table[list(PARTS)].itertuples(index=False):
        parts = [str(value) for value in row if value and value != BUILT_IN]
        yield ", ".join(parts)
