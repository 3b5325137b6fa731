"""The comparisons between conditions of finished runs, before they are tested."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from ohr.analysis.comparison.families import (
    ALL_QUESTIONS,
    ENGINES,
    GROUPS,
    LEVELS,
    OTHERS,
    TRENDS,
    Planned,
    differences_of,
    joined,
    kind_of,
    other_pairs,
    trends,
)
from ohr.display.choices import ASPECTS
from ohr.errors import OhrError
from ohr.study.baselines import own_baseline
from ohr.study.conditions import CONDITION_COLUMNS
from ohr.study.config import BUILT_IN
from ohr.study.output.groups import GROUP_COLUMNS, group_rows
from ohr.study.output.rows import UNIT_COLUMNS
from ohr.study.results import KNOWLEDGE_BASE, StudyRun, knowledge_base_name, rows_of, run_names

_DIFFERING: dict[str, tuple[str, ...]] = {name: (name,) for name in ASPECTS} | {
    "knowledge_base": KNOWLEDGE_BASE,
    "system": ("system", "chunker", "retriever", "reader", "top_k"),
}
"""What can be compared, and the columns in which the conditions then differ."""
SETTINGS = ("run", *CONDITION_COLUMNS)
RANKED = ("engine", "chunker", "retriever", "reader", "system")
"""Aspects whose values have letters, since a comparison of them ranks them."""


def planned_comparisons(
    runs: Sequence[StudyRun],
    by: str,
    metrics: Sequence[tuple[str, str]],
    *,
    baseline: str = "",
    groups: tuple[str, ...] = (),
) -> list[Planned]:
    """The comparisons of :func:`comparisons` before any test, and the others of their families.

    Raises OhrError if nothing can be paired.
    """
    planned: list[Planned] = []
    variants: dict[str, None] = {}
    for stage, metric in metrics:
        rows = _gathered(runs, stage, metric, by)
        if rows.empty:
            continue
        variants |= dict.fromkeys(rows["variant"])
        free = {*_DIFFERING[by], *_changed(rows, by)}
        fixed = [column for column in SETTINGS if column not in free]
        for values, setting in rows.groupby(fixed, sort=False):
            columns = dict(zip(fixed, values, strict=True)) | {"stage": stage, "metric": metric}
            columns["higher_is_better"] = _higher_is_better(runs, stage, metric)
            parts = {
                name: _variant_rows(setting, name) for name in dict.fromkeys(setting["variant"])
            }
            planned += _plan_setting(parts, columns, by, baseline, groups, tuple(map(str, values)))
    if not any(each.record for each in planned):
        raise _nothing_to_compare(by, baseline, list(variants))
    return planned


def _plan_setting(
    parts: Mapping[str, pd.DataFrame],
    columns: Mapping[str, Any],
    by: str,
    baseline: str,
    groups: tuple[str, ...],
    place: tuple[str, ...],
) -> list[Planned]:
    """The comparisons of one setting and metric."""
    planned: list[Planned] = []
    measure = columns["stage"], columns["metric"]
    for part, before, after in _pairs(parts, by, baseline):
        family = (kind_of(part), *measure)
        for each in _compared(before, after, {**columns, "part": part}, groups):
            of = ALL_QUESTIONS if each.record["group"] == "all" else GROUPS
            each.record["family"] = family[0] if of == ALL_QUESTIONS else f"{family[0]}, {GROUPS}"
            each.family = (*family, of)
            each.conditions = (*place, each.record["baseline"], each.record["other"])
            if family[0] == LEVELS:
                first = after.iloc[0]
                curve = (*place, *measure, first["engine"], first["perturbation"])
                each.curve = (*curve, each.record["group"])
            planned.append(each)
    if not planned:
        return []
    known_values = [(each.record["baseline"], each.record["other"]) for each in planned]
    if by in RANKED:
        planned += other_pairs(parts, known_values, (OTHERS, *measure, ALL_QUESTIONS), place)
    elif by == "knowledge_base" and not baseline:
        clean = {name: rows for name, rows in parts.items() if rows["noise"].iloc[0] == "none"}
        planned += other_pairs(clean, known_values, (ENGINES, *measure, ALL_QUESTIONS), place)
        planned += _trends(parts, planned, (*place, *measure), groups)
    return planned


def _trends(
    parts: Mapping[str, pd.DataFrame],
    planned: Sequence[Planned],
    place: tuple[str, ...],
    groups: tuple[str, ...],
) -> list[Planned]:
    """The trend of each curve of which some level is compared, for each group of questions."""
    measure = place[-2:]
    curves: dict[tuple[str, str], dict[str, str]] = {}
    for each in planned:
        if each.curve and each.record:
            key = (str(each.curve[-3]), str(each.curve[-2]))
            curves.setdefault(key, {})[each.record["other"]] = each.record["baseline"]
    results = []
    for (engine, perturbation), levels in curves.items():
        clean = parts[next(iter(levels.values()))]
        slopes = trends(
            clean,
            [parts[name] for name in levels],
            lambda group: group == "all" or group.startswith(groups),
        )
        for group, paired in slopes.items():
            of = ALL_QUESTIONS if group == "all" else GROUPS
            curve = (*place, engine, perturbation, group)
            results.append(Planned((TRENDS, *measure, of), paired, curve=curve))
    return results


def _higher_is_better(runs: Sequence[StudyRun], stage: str, metric: str) -> bool:
    declared = (info for run in runs for info in run.metric_infos)
    return next(
        (
            info.higher_is_better
            for info in declared
            if (info.stage, info.metric) == (stage, metric)
        ),
        True,
    )


def _gathered(runs: Sequence[StudyRun], stage: str, metric: str, by: str) -> pd.DataFrame:
    """Rows of every run, with the columns ``run`` and ``variant`` (what is compared)."""
    parts = [
        rows_of(run.rows, stage, metric).assign(run=name)
        for run, name in zip(runs, run_names(runs), strict=True)
    ]
    rows = pd.concat(parts, ignore_index=True)
    rows["top_k"] = rows["top_k"].astype("string").fillna("")
    if by == "system":
        return rows.assign(variant=rows.apply(_system_name, axis=1))
    if by != "knowledge_base":
        return rows.assign(variant=rows[by].astype(str))
    kinds = rows[list(KNOWLEDGE_BASE)].drop_duplicates()
    kinds["variant"] = kinds.apply(knowledge_base_name, axis=1)
    return rows.merge(kinds, on=list(KNOWLEDGE_BASE))


def _system_name(row: pd.Series) -> str:
    """``rag (tokens, bm25, extractive)``; for another system its name."""
    parts = [str(row[name]) for name in ("chunker", "retriever", "reader") if row[name]]
    return f"{row['system']} ({', '.join(parts)})" if row["system"] == BUILT_IN else row["system"]


def _changed(rows: pd.DataFrame, by: str) -> list[str]:
    """Settings that may differ between paired conditions."""
    if by != "run":
        return ["run"]
    values = rows.groupby("run")[list(CONDITION_COLUMNS)].nunique()
    alone = [name for name in CONDITION_COLUMNS if (values[name] == 1).all()]
    return [name for name in alone if rows[name].nunique() > 1]


def _pairs(
    parts: Mapping[str, pd.DataFrame], by: str, baseline: str
) -> Iterator[tuple[str, pd.DataFrame, pd.DataFrame]]:
    """Part of the loss, rows of the baseline and rows of the variant, for each variant."""
    for variant, of_variant in parts.items():
        first, part = baseline or next(iter(parts)), ""
        if by == "knowledge_base" and not baseline:
            first, part = own_baseline(of_variant.iloc[0], list(parts)) or (variant, "")
        if first in parts and variant != first:
            yield part, parts[first], of_variant


def _variant_rows(setting: pd.DataFrame, variant: str) -> pd.DataFrame:
    """The rows of a variant, of the first run that has it."""
    chosen: pd.DataFrame = setting[setting["variant"] == variant]
    chosen = chosen[chosen["run"] == chosen["run"].iloc[0]]
    if chosen.duplicated(list(UNIT_COLUMNS)).any():
        raise OhrError(
            f"{variant!r} has several values for one question: name what to compare --by"
        )
    return chosen


def _compared(
    baseline: pd.DataFrame,
    other: pd.DataFrame,
    columns: Mapping[str, Any],
    groups: tuple[str, ...],
) -> Iterator[Planned]:
    """The comparison on each group of questions, still without a family."""
    names = {"baseline": baseline["variant"].iloc[0], "other": other["variant"].iloc[0]}
    kinds = [name for name in GROUP_COLUMNS if name in baseline]
    n_baseline = {group: len(rows) for group, rows in group_rows(baseline[kinds])}
    n_other = {group: len(rows) for group, rows in group_rows(other[kinds])}
    for group, pairs in group_rows(joined(baseline, other)):
        if pairs.empty or not (group == "all" or group.startswith(groups)):
            continue
        means = pairs["value_baseline"].mean(), pairs["value_other"].mean()
        record = {
            **columns,
            **names,
            "group": group,
            "baseline_mean": means[0],
            "other_mean": means[1],
            "n_documents": pairs["doc_id"].nunique(),
            "n_baseline_only": n_baseline.get(group, len(pairs)) - len(pairs),
            "n_other_only": n_other.get(group, len(pairs)) - len(pairs),
        }
        yield Planned((), differences_of(pairs), record, means=means)


def _nothing_to_compare(by: str, baseline: str, variants: Sequence[str]) -> OhrError:
    if not variants:
        return OhrError("none of these metrics was measured: name others with --metric")
    if baseline and baseline not in variants:
        return OhrError(f"no {by} {baseline!r} to compare with; known: {', '.join(variants)}")
    return OhrError(
        f"no two conditions differ only by {by} and share a question; known: "
        f"{', '.join(variants)}; --by may be {', '.join(ASPECTS)}"
    )
