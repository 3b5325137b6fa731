"""Compares conditions of finished runs on their common questions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Sized
from typing import Any

import numpy as np
import pandas as pd

from ohr.analysis.comparison.ties import paired_ties
from ohr.display.choices import ASPECTS
from ohr.errors import ConfigError, OhrError
from ohr.statistics import Ties, benjamini_hochberg, compare_paired, further_clusters, holm
from ohr.study.baselines import own_baseline
from ohr.study.conditions import CONDITION_COLUMNS
from ohr.study.config import BUILT_IN
from ohr.study.output.groups import GROUP_COLUMNS, group_rows
from ohr.study.output.rows import UNIT_COLUMNS
from ohr.study.results import (
    KNOWLEDGE_BASE,
    Run,
    clusters_of,
    knowledge_base_name,
    rows_of,
)
from ohr.study.scoring.signatures import clash, signature_of

_DIFFERING: dict[str, tuple[str, ...]] = {name: (name,) for name in ASPECTS} | {
    "knowledge_base": KNOWLEDGE_BASE,
    "system": ("system", "chunker", "retriever", "reader", "top_k"),
}
"""What can be compared, and the columns in which the conditions then differ."""
SETTINGS = ("run", *CONDITION_COLUMNS)
COLUMNS = (
    *("baseline", "other", "part", *SETTINGS, "stage", "metric", "group"),
    *("higher_is_better", "baseline_mean", "other_mean", "difference"),
    *("ci_low", "ci_high", "ci_unit", "excluded"),
    *("p", "p_holm", "p_bh", "family", "family_size", "cohens_dz", "cliffs_delta"),
    *("n", "n_documents", "n_baseline_only", "n_other_only", "further_units"),
)
LETTERS = ("letters", "baseline_letters")
"""Columns of the letters for ties, of the condition and of its baseline."""
RANKED = ("engine", "chunker", "retriever", "reader", "system")
"""Aspects whose values have letters, since a comparison of them ranks them."""
FAMILY = ("stage", "metric", "family")
"""Comparisons of one metric and one family are corrected together."""
ALL_QUESTIONS = "all questions"
GROUPS = "groups of questions"
EVERY = ("",)
"""Every group of questions, as prefixes."""
FAMILIES = (ALL_QUESTIONS, GROUPS)


def comparisons(
    runs: Sequence[Run],
    by: str,
    metrics: Sequence[tuple[str, str]],
    *,
    baseline: str = "",
    groups: tuple[str, ...] = (),
) -> pd.DataFrame:
    """One row per condition other than the baseline, setting, stage, metric and group.

    Groups are all questions, and those whose names begin with one of ``groups``.

    Conditions are paired if they agree in every setting except those of ``by``. Runs are also
    paired across a setting that has one value in each run, since that setting was changed. Without
    a ``baseline``, a knowledge base is compared with its own (``part`` names the part of the loss;
    see :func:`own_baseline`), everything else with the first. ``p_holm`` and ``p_bh`` correct over
    the ``family_size`` rows of a metric and ``family``. The interval excludes differences larger
    than ``excluded``. ``further_units`` more documents (or pages: ``ci_unit``) would show a
    difference this large. A setting that may differ is empty. Metrics whose signatures differ are
    left out (:func:`split_by_signature`). For an aspect in :data:`RANKED`, ``letters`` and
    ``baseline_letters`` mark ties on all questions among the conditions of a setting
    (:func:`~ohr.analysis.comparison.ties.paired_ties`; ``attrs["ties"]`` has the results). Raises
    OhrError if nothing can be paired.
    """
    comparable, reasons = split_by_signature(runs, metrics)
    if metrics and not comparable:
        raise OhrError("; ".join(reasons))
    pairs = paired_conditions(runs, by, comparable, baseline=baseline, groups=groups)
    columns = [*COLUMNS, *(LETTERS if by in RANKED else ())]
    return _corrected(pairs).reindex(columns=columns)


def split_by_signature(
    runs: Sequence[Run], metrics: Sequence[tuple[str, str]]
) -> tuple[list[tuple[str, str]], list[str]]:
    """The metrics that measure the same in all runs, and a line for each other one: why not.

    Signatures may differ in the protocol and in k, which are settings of a study.
    """
    comparable, reasons = [], []
    for stage, metric in metrics:
        known = [
            (name, text)
            for run, name in zip(runs, run_names(runs), strict=True)
            if (text := signature_of(run.manifest, stage, metric))
        ]
        clashes = (
            f"{known[0][0]} and {name} measured it differently ({why})"
            for name, text in known[1:]
            if (why := clash(known[0][1], text))
        )
        if reason := next(clashes, ""):
            reasons.append(f"{stage}:{metric} is not compared: {reason}")
        else:
            comparable.append((stage, metric))
    return comparable, reasons


def paired_conditions(
    runs: Sequence[Run],
    by: str,
    metrics: Sequence[tuple[str, str]],
    *,
    baseline: str = "",
    groups: tuple[str, ...] = (),
) -> pd.DataFrame:
    """The rows of :func:`comparisons` before any correction.

    The column ``comparison`` has each row's :class:`~ohr.statistics.PairedComparison`. Raises
    OhrError if nothing can be paired.
    """
    records: list[dict[str, Any]] = []
    variants: dict[str, None] = {}
    tested: list[Ties] = []
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
            compared: list[dict[str, Any]] = []
            for part, before, after in _pairs(setting, by, baseline):
                columns["part"] = part
                compared += [columns | row for row in _compared(before, after, runs[0], groups)]
            if by in RANKED and compared:
                tested.append(_add_letters(compared, setting, runs[0].seed))
            records += compared
    if not records:
        raise _nothing_to_compare(by, baseline, list(variants))
    result = pd.DataFrame(records)
    result.attrs["ties"] = tested
    return result


def _add_letters(records: Sequence[dict[str, Any]], setting: pd.DataFrame, seed: int) -> Ties:
    """Add the letters of a setting's conditions to its comparisons on all questions."""
    names = list(dict.fromkeys(map(str, setting["variant"])))
    parts = [_of(setting, name) for name in names]
    result = paired_ties(parts, bool(records[0]["higher_is_better"]), seed)
    letters = dict(zip(names, result.letters, strict=True))
    for record in records:
        sides = ("other", "baseline")
        for column, side in zip(LETTERS, sides, strict=True):
            record[column] = letters[record[side]] if record["group"] == "all" else ""
    return result


def _corrected(result: pd.DataFrame) -> pd.DataFrame:
    """Add the family of each comparison, and p corrected over it."""
    result["family"] = np.where(result["group"] == "all", *FAMILIES)
    p = result.groupby(list(FAMILY))["p"]
    result["family_size"] = p.transform("count")
    result["further_units"] = [
        further_clusters(comparison, int(tests))
        for comparison, tests in zip(result["comparison"], result["family_size"], strict=True)
    ]
    result["p_holm"] = p.transform(lambda values: holm(values.to_numpy()))
    result["p_bh"] = p.transform(lambda values: benjamini_hochberg(values.to_numpy()))
    return result


def compare(
    runs: Sequence[Run],
    by: str = "",
    metrics: Sequence[str] = (),
    baseline: str = "",
    groups: bool = False,
) -> pd.DataFrame:
    """:func:`comparisons` with defaults for ``by`` and ``metrics``. Raises ConfigError.

    ``attrs["not_compared"]`` has a line for each metric that is left out, since the runs measured
    it in different ways.
    """
    by = by or default_aspect(runs)
    if by not in ASPECTS:
        raise ConfigError(f"unknown by={by!r}; known: {', '.join(ASPECTS)}")
    pairs = metrics_of(runs, metrics, parts=True)
    table = comparisons(runs, by, pairs, baseline=baseline, groups=EVERY * groups)
    table.attrs["not_compared"] = split_by_signature(runs, pairs)[1]
    return table


def default_aspect(runs: Sized) -> str:
    """The default of ``by``: runs, or the knowledge bases of a single run."""
    return "run" if len(runs) > 1 else "knowledge_base"


def metrics_of(
    runs: Sequence[Run], names: Sequence[str] = (), *, parts: bool = False
) -> list[tuple[str, str]]:
    """(stage, metric) of the named metrics, else of the usual ones that were measured.

    ``parts``: with the parts of the loss of the usual ones. Raises OhrError for an unknown name.
    """
    available = dict.fromkeys(
        (str(stage), str(metric))
        for run in runs
        for stage, metric in run.rows[["stage", "metric"]].drop_duplicates().itertuples(index=False)
    )
    if not names:
        infos = [info for run in runs for info in run.metric_infos]
        usual = {(str(info.stage), info.metric) for info in infos if info.shown}
        split = usual if parts else set()
        with_parts = (
            info for info in infos if info.shown or (str(info.stage), info.part_of) in split
        )
        keys = dict.fromkeys((str(info.stage), info.metric) for info in with_parts)
        return [pair for pair in keys if pair in available]
    pairs = [(text.partition(":")[0], text.partition(":")[2]) for text in names]
    for pair in pairs:
        if pair not in available:
            known = ", ".join(":".join(pair) for pair in available)
            raise OhrError(f"no metric {':'.join(pair)!r} in these runs; known: {known}")
    return pairs


def run_names(runs: Sequence[Run]) -> list[str]:
    """Folder names, or whole paths if two folders have the same name."""
    names = [run.name for run in runs]
    return names if len(set(names)) == len(names) else [str(run.path) for run in runs]


def _higher_is_better(runs: Sequence[Run], stage: str, metric: str) -> bool:
    declared = (info for run in runs for info in run.metric_infos)
    return next(
        (
            info.higher_is_better
            for info in declared
            if (info.stage, info.metric) == (stage, metric)
        ),
        True,
    )


def _gathered(runs: Sequence[Run], stage: str, metric: str, by: str) -> pd.DataFrame:
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
    setting: pd.DataFrame, by: str, baseline: str
) -> Iterator[tuple[str, pd.DataFrame, pd.DataFrame]]:
    """Part of the loss, rows of the baseline and rows of the variant, for each variant."""
    rows = {name: _of(setting, str(name)) for name in dict.fromkeys(setting["variant"])}
    for variant, of_variant in rows.items():
        first, part = baseline or next(iter(rows)), ""
        if by == "knowledge_base" and not baseline:
            first, part = own_baseline(of_variant.iloc[0], list(rows)) or (str(variant), "")
        if first in rows and variant != first:
            yield part, rows[first], of_variant


def _of(setting: pd.DataFrame, variant: str) -> pd.DataFrame:
    """The rows of a variant, of the first run that has it."""
    chosen: pd.DataFrame = setting[setting["variant"] == variant]
    chosen = chosen[chosen["run"] == chosen["run"].iloc[0]]
    if chosen.duplicated(list(UNIT_COLUMNS)).any():
        raise OhrError(
            f"{variant!r} has several values for one question: name what to compare --by"
        )
    return chosen


def _compared(
    baseline: pd.DataFrame, other: pd.DataFrame, run: Run, groups: tuple[str, ...]
) -> Iterator[dict[str, Any]]:
    names = {"baseline": baseline["variant"].iloc[0], "other": other["variant"].iloc[0]}
    units = list(UNIT_COLUMNS)
    kinds = [name for name in GROUP_COLUMNS if name in baseline]
    both = baseline[[*units, *kinds, "value"]].merge(
        other[[*units, "value"]], on=units, suffixes=("_baseline", "_other")
    )
    n_baseline = {group: len(rows) for group, rows in group_rows(baseline[kinds])}
    n_other = {group: len(rows) for group, rows in group_rows(other[kinds])}
    for group, pairs in group_rows(both):
        if pairs.empty or not (group == "all" or group.startswith(groups)):
            continue
        before, after = pairs["value_baseline"].to_numpy(), pairs["value_other"].to_numpy()
        comparison = compare_paired(after - before, clusters_of(pairs), seed=run.seed)
        yield names | {
            "group": group,
            "baseline_mean": before.mean(),
            "other_mean": after.mean(),
            "difference": comparison.difference,
            # Student's interval ignores that scores lie in [0, 1]; NaN stays NaN.
            "ci_low": np.maximum(comparison.interval.low, -1.0),
            "ci_high": np.minimum(comparison.interval.high, 1.0),
            "ci_unit": comparison.interval.unit,
            "excluded": np.minimum(comparison.interval.bound, 1.0),
            "comparison": comparison,
            "p": comparison.p,
            "cohens_dz": comparison.cohens_dz,
            "cliffs_delta": comparison.cliffs_delta,
            "n": comparison.n,
            "n_documents": pairs["doc_id"].nunique(),
            "n_baseline_only": n_baseline.get(group, len(pairs)) - len(pairs),
            "n_other_only": n_other.get(group, len(pairs)) - len(pairs),
        }


def _nothing_to_compare(by: str, baseline: str, variants: Sequence[str]) -> OhrError:
    if not variants:
        return OhrError("none of these metrics was measured: name others with --metric")
    if baseline and baseline not in variants:
        return OhrError(f"no {by} {baseline!r} to compare with; known: {', '.join(variants)}")
    return OhrError(
        f"no two conditions differ only by {by} and share a question; known: "
        f"{', '.join(variants)}; --by may be {', '.join(ASPECTS)}"
    )
