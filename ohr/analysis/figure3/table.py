"""The points of the paper's figure 3: every stage against semantic and formatting noise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ohr.analysis.curves.table import FLOOR_SUFFIX
from ohr.display.labels import MARK_UP_LEFT_OUT, STAGE_METRICS
from ohr.display.noise_axis import blind_axes
from ohr.errors import OhrError
from ohr.ocr.noise import strength
from ohr.statistics import NO_INTERVAL, mean_interval
from ohr.statistics.inference import Paired
from ohr.statistics.paired import compare_family
from ohr.study.config import BUILT_IN
from ohr.study.output.rows import UNIT_COLUMNS
from ohr.study.results import StudyRun, clusters_of, rows_of

PANELS: dict[str, tuple[str, ...]] = {
    "text": ("text",),
    "multimodal (table, formula, chart)": ("table", "formula", "chart"),
    "reading order": ("reading_order",),
    "all": (),
}
"""Columns of the figure and their evidence sources; without sources, all questions."""
KINDS = ("semantic", "formatting")
STRIPPED = "lcs" + MARK_UP_LEFT_OUT
PUBLISHED = "r_noise_reference"
CLEAN = "clean"
"""The level of the pages without noise."""


class Setting(NamedTuple):
    """A retriever with a reader, as far as a stage uses them, or a whole system."""

    system: str = ""
    retriever: str = ""
    reader: str = ""

    def __str__(self) -> str:
        whole = "" if self.system == BUILT_IN else self.system
        return ", ".join(part for part in (whole, self.retriever, self.reader) if part)


@dataclass(frozen=True)
class Level:
    """One point of one kind of noise: its name and the conditions that are averaged there."""

    name: str
    rows: list[pd.DataFrame]


def figure3_points(runs: Sequence[StudyRun]) -> pd.DataFrame:
    """One row per kind of noise, setting, stage, panel and level, with noise, mean and interval.

    ``r_noise`` is the published one where all runs measured it and it can rise; ``axis`` names it.
    The interval is that of the paired change from the clean pages, around the mean; ``p_adjusted``
    is corrected over the levels of its panel. The clean pages have neither. ``floor`` is the
    reader's score without context, if measured. Raises OhrError if no run has noise, if a run has
    several distortions of one kind without their mixture, or if two runs have the same engine at
    the same level.
    """
    records: list[dict[str, Any]] = []
    axis = _common_axis(runs)
    for kind in KINDS:
        parts = [(run, _operator(run, kind)) for run in runs]
        parts = [(run, operator) for run, operator in parts if operator]
        if not parts:
            continue
        damage = _levels(parts, "ocr", axis, kind, Setting())
        for stage, metric, _ in STAGE_METRICS:
            stage_metric = metric
            if kind == "formatting" and any(
                len(rows_of(run.rows, stage, STRIPPED)) for run, _ in parts
            ):
                stage_metric = STRIPPED
            settings = _settings([run for run, _ in parts], stage, stage_metric)
            for setting in settings:
                quality = _levels(parts, stage, stage_metric, kind, setting)
                floor = _floor([run for run, _ in parts], stage, metric, setting)
                clean = next((level for level in quality if level.name == CLEAN), None)
                points: list[dict[str, Any]] = []
                for level in quality:
                    noise = next((d for d in damage if d.name == level.name), None)
                    if noise is None:
                        continue
                    key = {
                        "axis": axis,
                        "noise": kind,
                        "stage": stage,
                        "metric": stage_metric,
                        "setting": str(setting),
                        "level": level.name,
                        "engines": len({name for rows in level.rows for name in rows["engine"]}),
                    }
                    points += [key | point for point in _panels(noise, level, clean, floor)]
                records += _tested(points)
    if not records:
        raise OhrError(
            "nothing to draw: these runs measured no noise, or not the stage ocr "
            "(noise=[semantic] with OCR engines, noise=[formatting] with engines=[gt])"
        )
    return pd.DataFrame(records)


def _tested(points: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The points of a kind of noise with ``p_adjusted`` for their changes from the clean pages: all
    levels of a panel are one family.
    """
    families: dict[str, list[dict[str, Any]]] = {}
    for point in points:
        families.setdefault(point["panel"], []).append(point)
    for family in families.values():
        compared = compare_family([point.pop("change") for point in family])
        for point, comparison in zip(family, compared, strict=True):
            point["p_adjusted"] = comparison.p_adjusted
    return list(points)


def _common_axis(runs: Sequence[StudyRun]) -> str:
    """The published r_noise if every run measured it and it can rise, else the runs' own."""
    fits = all(
        _noise_metric(run, PUBLISHED) and PUBLISHED not in blind_axes(run.cells) for run in runs
    )
    return PUBLISHED if fits else "r_noise"


def _noise_metric(run: StudyRun, axis: str) -> str:
    """The metric of a run that measures an axis: runs under ``reference`` have one r_noise."""
    measured = set(run.rows.loc[run.rows["stage"] == "ocr", "metric"])
    if axis == PUBLISHED and (run.rows["protocol"] == "reference").all():
        axis = "r_noise"
    return axis if axis in measured else ""


def _operator(run: StudyRun, kind: str) -> str:
    """The operator of a run for a kind of noise; empty without one."""
    noisy = run.rows[run.rows["noise"] == kind]
    operators = list(dict.fromkeys(noisy["perturbation"]))
    if kind in operators or not operators:
        return kind if operators else ""
    if len(operators) > 1:
        raise OhrError(
            f"{run.path} has {len(operators)} kinds of {kind} noise ({', '.join(operators)}) and "
            f"not their mixture: run noise=[{kind}]"
        )
    return str(operators[0])


def _settings(runs: Sequence[StudyRun], stage: str, metric: str) -> list[Setting]:
    """Retrievers with readers, as far as the stage uses them, and whole systems."""
    settings: dict[Setting, None] = {}
    for run in runs:
        parts = rows_of(run.rows, stage, metric)[list(Setting._fields)].drop_duplicates()
        settings |= dict.fromkeys(Setting(*map(str, row)) for row in parts.itertuples(index=False))
    return list(settings)


def _levels(
    parts: Sequence[tuple[StudyRun, str]],
    stage: str,
    metric: str,
    kind: str,
    setting: Setting,
) -> list[Level]:
    """The clean pages and each level of a kind of noise, with the rows of every engine."""
    levels: dict[str, dict[str, pd.DataFrame]] = {}
    for run, operator in parts:
        measured = _noise_metric(run, metric) if stage == "ocr" else metric
        rows = rows_of(run.rows, stage, measured)
        rows = rows[(rows[list(Setting._fields)] == list(setting)).all(axis=1)]
        engines = set(rows.loc[rows["perturbation"] == operator, "engine"])
        rows = rows[rows["engine"].isin(engines) & rows["perturbation"].isin([operator, "none"])]
        for column in ("chunker", "top_k"):  # of several, the first is drawn
            if rows[column].nunique() > 1:
                rows = rows[rows[column] == rows[column].iloc[0]]
        keys = ["noise", "level", "intensity", "engine"]
        for (noise, level, intensity, engine), group in rows.groupby(keys, sort=False):
            name = CLEAN if noise == "none" else strength(level, intensity)
            by_engine = levels.setdefault(name, {})
            if str(engine) not in by_engine:
                by_engine[str(engine)] = group
            elif (
                noise != "none" and stage != "ocr"
            ):  # runs with other retrievers have the same OCR output
                raise OhrError(
                    f"{engine} under {kind} noise, {name}, is in two runs: figure 3 takes each "
                    "engine once (curve_statistics compares seeds)"
                )
    return [Level(name, list(rows.values())) for name, rows in levels.items()]


def _floor(
    runs: Sequence[StudyRun], stage: str, metric: str, setting: Setting
) -> pd.DataFrame | None:
    """A reader's score on each question without context."""
    if stage == "retrieval":
        return None
    for run in runs:
        rows = rows_of(run.rows, "generation", metric + FLOOR_SUFFIX)
        rows = rows[rows["reader"] == setting.reader]
        if len(rows):
            return rows.drop_duplicates(list(UNIT_COLUMNS))
    return None


def _panels(
    damage: Level, quality: Level, clean: Level | None, floor: pd.DataFrame | None
) -> Iterator[dict[str, Any]]:
    """The point of each panel: means over engines, then over the panel's questions."""
    means = _engine_means(quality.rows, "value").join(_engine_means(damage.rows, "r_noise"))
    if clean is not None and clean.name != quality.name:
        means = means.join(_engine_means(clean.rows, "clean"))
    means = means.dropna().reset_index()
    if floor is not None:
        guesses = floor[[*UNIT_COLUMNS, "value"]].rename(columns={"value": "floor"})
        means = means.merge(guesses, on=list(UNIT_COLUMNS), how="left")
    for panel, sources in PANELS.items():
        of_panel = means[means["evidence_source"].isin(sources)] if sources else means
        if of_panel.empty:
            continue
        mean, interval = of_panel["value"].mean(), NO_INTERVAL
        changes, clusters = np.empty(0), clusters_of(of_panel)
        if "clean" in of_panel:
            changes = (of_panel["value"] - of_panel["clean"]).to_numpy()
            interval = mean_interval(changes, clusters, bounded=False)
        before = of_panel["clean"].mean() if "clean" in of_panel else float("nan")
        yield {
            "panel": panel,
            "r_noise": of_panel["r_noise"].mean(),
            "mean": mean,
            "ci_low": before + interval.low,
            "ci_high": before + interval.high,
            "ci_unit": interval.unit,
            "change": Paired(changes, clusters),
            "n": len(of_panel),
            "floor": of_panel["floor"].mean() if floor is not None else float("nan"),
        }


def _engine_means(rows: Sequence[pd.DataFrame], name: str) -> pd.DataFrame:
    """Each question's mean over engines; only of questions that all engines have."""
    keys = [*UNIT_COLUMNS, "evidence_source"]
    grouped = pd.concat(rows).groupby(keys, sort=False)["value"].agg(["mean", "size"])
    complete = grouped[grouped["size"] == len(rows)]
    return complete[["mean"]].rename(columns={"mean": name})
