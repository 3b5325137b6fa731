"""The loss per question of each group of questions, and its share of the whole loss."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ohr.analysis.comparison.names import cut_runs
from ohr.analysis.comparison.table import metrics_of
from ohr.analysis.predictiveness.damage import SETTING, damages
from ohr.analysis.predictiveness.table import usual_outcomes
from ohr.statistics import NO_INTERVAL, Clusters, Interval, jackknife_interval, mean_interval
from ohr.study.output.groups import GROUP_COLUMNS, group_rows
from ohr.study.results import StudyRun, clusters_of

HOW_SHARES_ADD = (
    "share: of the whole loss; shares of the evidence sources add up to 100 %; a group that gained "
    "has a negative share"
)


@dataclass(frozen=True)
class Share:
    """A group's share of the sum of all losses, with its interval over documents.

    NaN if the whole loss is 0. There is no interval for the only group, which is the whole, or if
    the whole loss may be 0, since its share could then be anything.
    """

    value: float
    interval: Interval


def loss_shares(
    losses: np.ndarray, groups: Mapping[str, np.ndarray], clusters: Clusters
) -> dict[str, Share]:
    """The share of each group, ``source:table`` and so on, among the groups of its kind.

    ``losses`` are ``(n,)``, may be negative, and ``groups`` have the indices of their units;
    ``clusters`` are of all n. Shares of one kind (what is before the colon) add up to 1.
    """
    shares = {}
    for kind in dict.fromkeys(map(_kind, groups)):
        alike = {name: members for name, members in groups.items() if _kind(name) == kind}
        sums = {name: _sums(losses, members, clusters) for name, members in alike.items()}
        whole = np.sum(list(sums.values()), axis=0)
        for name, of_group in sums.items():
            shares[name] = share_of(of_group, whole, clusters)
    return shares


def _kind(group: str) -> str:
    return group.partition(":")[0]


def _sums(losses: np.ndarray, members: np.ndarray, clusters: Clusters) -> np.ndarray:
    """The losses of a group's units in each cluster: ``(size,)``."""
    return np.bincount(clusters.index[members], losses[members], minlength=clusters.size)


def share_of(of_group: np.ndarray, whole: np.ndarray, clusters: Clusters) -> Share:
    """The share of a part of the losses, from their sums in each cluster, both ``(size,)``."""
    total = float(whole.sum())
    if abs(total) <= 1e-9 * max(1.0, float(np.abs(whole).sum())):
        return Share(math.nan, NO_INTERVAL)
    share = float(of_group.sum()) / total
    remaining = total - whole
    of_whole = mean_interval(whole, _one_each(clusters), bounded=False)
    is_all = np.array_equal(of_group, whole)
    if is_all or not of_whole.unit or of_whole.low <= 0 <= of_whole.high:
        return Share(share, NO_INTERVAL)
    return Share(
        share, jackknife_interval(share, (of_group.sum() - of_group) / remaining, clusters)
    )


def _one_each(clusters: Clusters) -> Clusters:
    """Clusters with one value each, their sum."""
    return Clusters(np.arange(clusters.size), clusters.size, clusters.unit)


def share_columns(share: Share) -> dict[str, float]:
    """A share as columns of a table."""
    return {
        "share": share.value,
        "share_ci_low": share.interval.low,
        "share_ci_high": share.interval.high,
    }


def group_losses(run: StudyRun, metrics: Sequence[str] = ()) -> pd.DataFrame:
    """The loss of each knowledge base compared with its baseline, by group of questions.

    One row per outcome (``metrics``, as ``stage:metric``, else the usual ones), setting,
    condition and group: ``loss`` per question with its interval, and ``share`` of the whole. A
    noisy knowledge base is compared with the same engine's of clean pages, an engine with the
    ground truth. Empty where there is nothing to compare.
    """
    [run] = cut_runs([run], metrics)
    outcomes = metrics_of([run], metrics or usual_outcomes([run]))
    records: list[dict[str, Any]] = []
    pairs = [pair for pair in outcomes if pair[0] != "ocr"]
    for damage in damages([run], pairs, with_metrics=False):
        known_values = {"stage": damage.outcome.stage, "metric": damage.outcome.metric}
        known_values |= {"title": damage.outcome.label, **damage.setting}
        for condition, frame in damage.frame.groupby("condition", sort=False):
            key = known_values | {"condition": condition}
            records += [key | record for record in _group_records(frame.reset_index(drop=True))]
    columns = ("stage", "metric", "title", *SETTING, "condition", "group", "loss")
    return pd.DataFrame(records) if records else pd.DataFrame(columns=list(columns))


def _group_records(frame: pd.DataFrame) -> Iterator[dict[str, Any]]:
    losses = frame["loss"].to_numpy(dtype=float)
    columns = frame[[name for name in GROUP_COLUMNS if name in frame]]
    groups = {name: rows.index.to_numpy() for name, rows in group_rows(columns)}
    shares = loss_shares(losses, groups, clusters_of(frame))
    for name, members in groups.items():
        clusters = clusters_of(frame.iloc[members])
        interval = mean_interval(losses[members], clusters, bounded=False)
        yield {
            "group": name,
            "loss": float(losses[members].mean()),
            "ci_low": interval.low,
            "ci_high": interval.high,
            "ci_unit": interval.unit,
            **share_columns(shares[name]),
            "n": len(members),
        }
