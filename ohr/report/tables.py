"""The tables of a report's first page: scores and losses, also by group, and costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ohr.display.costs import engine_costs
from ohr.display.made_up import MEANING, made_up_table
from ohr.display.wording import ALPHA, is_shown
from ohr.files.safe_text import plain
from ohr.metrics.labels import heading
from ohr.report.changes import Changes, Place
from ohr.report.rows import MAIN, Rows, setting_label
from ohr.report.sentences import Loss
from ohr.statistics.numbers import number, p_value
from ohr.study.metrics import MetricInfo
from ohr.study.results import StudyRun

TITLES = {
    "retrieval": "Retrieval",
    "generation": "Answers from gold pages",
    "overall": "The whole system",
}
_GROUPS = {"evidence_source": "by evidence source", "domain": "by domain"}
Table = dict[str, Any]
"""``title``, ``columns``, ``rows`` of texts, and ``texts``: how many columns hold no numbers."""


def stage_title(stage: str, metric: MetricInfo) -> str:
    """``Retrieval LCS``, ``Answer F1, whole system``."""
    return heading(plain(metric.label))


def loss_tables(
    rows: Rows, metrics: Mapping[str, MetricInfo], losses: Mapping[str, Sequence[Loss]]
) -> Iterator[Table]:
    """The loss of each condition, its parts, and the means over all rows, stage by stage."""
    for stage, of_stage in losses.items():
        by_place = {loss.place: loss for loss in of_stage}
        parts = rows.parts.get(stage, ())
        lines = []
        for (of, by), group in _stage_rows(rows, stage).groupby(["condition", "setting"]):
            place = int(str(of)), int(str(by))
            loss = by_place.get(place)
            paired = group[group["loss"].notna()]
            parts_lost = ((paired[p.metric] - paired[f"clean_{p.metric}"]).mean() for p in parts)
            lines.append(
                (
                    *map(plain, _heads(rows, *place)),
                    f"{len(group):,}",
                    *_paired(loss),
                    *map(number_text, parts_lost),
                    number_text(group["score"].mean()),
                    *(number_text(group[part.metric].mean()) for part in parts),
                )
            )
        names = _head_names(rows, stage)
        titles = [plain(part.title) for part in parts]
        lost: tuple[str, ...] = ("loss", "from", "to", "adjusted p", "none over")
        lost += tuple(f"loss: {title}" for title in titles)
        first = len(names) + 1
        if not of_stage:  # nothing was compared
            lines = [line[:first] + line[first + len(lost) :] for line in lines]
            lost = ()
        yield {
            "title": stage_title(stage, metrics[stage]),
            "columns": (*names, "n", *lost, plain(metrics[stage].title), *titles),
            "texts": len(names),
            "rows": lines,
        }


def group_loss_tables(
    rows: Rows, changes: Changes, metrics: Mapping[str, MetricInfo]
) -> Iterator[Table]:
    """Changes of each condition by evidence source and by domain, if there are several.

    Each change has its interval, and a star if it is shown.
    """
    for stage, column in ((stage, column) for stage in MAIN for column in _GROUPS):
        frame = _stage_rows(rows, stage)
        frame = frame[frame["loss"].notna()]
        group = rows.questions[column].to_numpy()[frame["question"].to_numpy(int)]
        groups = sorted(set(map(str, group)))
        if stage not in metrics or len(groups) < 2:
            continue
        prefix = {"evidence_source": "source", "domain": "domain"}[column]
        by_place: dict[Place, dict[str, Mapping[str, Any]]] = {}
        for (of, by, name), _ in frame.groupby(["condition", "setting", group]):
            place = int(str(of)), int(str(by))
            change = changes.get((place, f"{prefix}:{str(name).strip().lower()}"))
            if change is not None:
                by_place.setdefault(place, {})[str(name)] = change
        names = _head_names(rows, stage)
        yield {
            "title": f"{stage_title(stage, metrics[stage])}, changes {_GROUPS[column]} "
            f"(* shown: adjusted p at most {ALPHA}; no interval: nothing is excluded)",
            "columns": (*names, *map(plain, groups)),
            "texts": len(names),
            "rows": [
                (
                    *map(plain, _heads(rows, *place)),
                    *(
                        _change(by_group[name]) if name in by_group else "–"
                        for name in sorted(groups)
                    ),
                )
                for place, by_group in by_place.items()
            ],
        }


def _change(change: Mapping[str, Any]) -> str:
    """``−0.093* [−0.116, −0.070]``; without an interval that excludes anything, the change."""
    low, high = change["ci_low"], change["ci_high"]
    interval = "" if np.isnan(low) or low <= -1 < 1 <= high else f" [{number(low)}, {number(high)}]"
    return f"{number(change['difference'])}{'*' * is_shown(change['p_adjusted'])}{interval}"


def group_tables(rows: Rows, metrics: Mapping[str, MetricInfo]) -> Iterator[Table]:
    """Means of each stage, and of the parts of its loss, by evidence source and by domain."""
    values_of_tables = [
        (stage, value, info, column)
        for stage in MAIN
        if stage in metrics
        for value, info in _values(rows, stage, metrics[stage])
        for column in _GROUPS
    ]
    for stage, value, info, column in values_of_tables:
        frame = _stage_rows(rows, stage)
        group = rows.questions[column].to_numpy()[frame["question"].to_numpy(int)]
        scores = frame[value].groupby([frame["condition"], frame["setting"], group])
        means, counts = scores.mean().unstack(), scores.size().unstack()
        if means.shape[1] < 2:
            continue
        names = _head_names(rows, stage)
        yield {
            "title": f"{stage_title(stage, info)}, {_GROUPS[column]}",
            "columns": (
                *names,
                *(f"{plain(str(name))}, n {counts[name].max():,.0f}" for name in means),
            ),
            "texts": len(names),
            "rows": [
                (*map(plain, _heads(rows, *place)), *map(number_text, values))
                for place, values in zip(means.index, means.to_numpy(), strict=True)
            ],
        }


def _values(rows: Rows, stage: str, main: MetricInfo) -> list[tuple[str, MetricInfo]]:
    """Columns of the rows with the main score and the parts of its loss, and their metrics."""
    return [("score", main), *((part.metric, part) for part in rows.parts.get(stage, ()))]


def made_up_tables(runs: Mapping[str, StudyRun]) -> Iterator[Table]:
    """What engines make up, by noise level; none for a run in which nothing is."""
    for name, run in runs.items():
        table = made_up_table(run.cells)
        if table is not None:
            of_run = f": {plain(name)}" if len(runs) > 1 else ""
            yield {
                "title": f"{table.caption}{of_run} ({'; '.join(MEANING)})",
                "columns": tuple(table.header),
                "texts": table.left,
                "rows": [tuple(map(plain, row)) for row in table.rows],
            }


def cost_tables(runs: Mapping[str, StudyRun]) -> Iterator[Table]:
    """Seconds of each part of each run, and costs per page of each engine."""
    for name, run in runs.items():
        of_run = f": {plain(name)}" if len(runs) > 1 else ""
        stages: Mapping[str, Mapping[str, float]] = run.manifest.get("seconds", {})
        if stages:
            yield {
                "title": f"Seconds{of_run}",
                "columns": ("part", "wall seconds", "CPU seconds"),
                "texts": 1,
                "rows": [
                    (plain(part), seconds_text(spent["wall_s"]), seconds_text(spent["cpu_s"]))
                    for part, spent in stages.items()
                ],
            }
        costs = engine_costs(run.cells, run.manifest.get("knowledge_bases", {}))
        if len(costs):
            costs = costs.set_index("engine").dropna(axis="columns", how="all")
            yield {
                "title": f"Engines, on clean pages{of_run}",
                "columns": ("engine", *map(str, costs)),
                "texts": 1,
                "rows": [
                    (plain(str(engine)), *map(seconds_text, values))
                    for engine, values in zip(costs.index, costs.to_numpy(float), strict=True)
                ],
            }


def _stage_rows(rows: Rows, stage: str) -> pd.DataFrame:
    of_stage = [n for n, setting in enumerate(rows.settings) if setting["stage"] == stage]
    return rows.frame[rows.frame["setting"].isin(of_stage)]


def _head_names(rows: Rows, stage: str) -> tuple[str, ...]:
    several = sum(setting["stage"] == stage for setting in rows.settings) > 1
    run = ("run",) if rows.several_runs else ()
    return (*run, "knowledge base", *(("setting",) if several else ()))


def _heads(rows: Rows, condition: int, setting: int) -> tuple[str, ...]:
    base = rows.conditions[condition]
    heads = {
        "run": base["run"],
        "knowledge base": base["name"],
        "setting": setting_label(rows, setting),
    }
    return tuple(heads[name] for name in _head_names(rows, rows.settings[setting]["stage"]))


def _paired(loss: Loss | None) -> tuple[str, ...]:
    """Loss, interval, p and, if no change is shown, the largest that is not excluded."""
    if loss is None:
        return ("–",) * 5
    p = p_value(loss.p)
    none_over = None if loss.is_shown else loss.excluded
    return (*map(number_text, (loss.loss, loss.low, loss.high)), p, number_text(none_over))


def number_text(value: float | None) -> str:
    """Three decimals; a dash for a missing value."""
    return "–" if value is None or pd.isna(value) else number(value)


def seconds_text(value: float) -> str:
    """Two decimals, or none for a whole number; a dash for NaN."""
    return "–" if pd.isna(value) else f"{value:,.2f}".removesuffix(".00")
