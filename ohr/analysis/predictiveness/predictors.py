"""Compares predictors: rank correlations of damage and loss, and every pair of metrics."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from ohr.analysis.predictiveness.damage import Damage
from ohr.display.wording import is_shown
from ohr.statistics import (
    NO_INTERVAL,
    Clusters,
    Interval,
    RankCorrelation,
    holm,
    jackknife_interval,
    rank_correlations,
    sign_flip_test,
)
from ohr.study.metrics import MetricInfo
from ohr.study.results import clusters_of

POOLED, WITHIN, BETWEEN = "pooled", "within", "between"
CORRELATIONS = (POOLED, WITHIN, BETWEEN)
"""Over all questions and conditions; over the questions within each condition, ranks taken in
each; over the conditions' means."""
FEWEST_CONDITIONS = 3
Record = dict[str, Any]


@dataclass(frozen=True)
class Parts:
    """A correlation with each cluster left out, ``(size,)``, and what each unit adds, ``(n,)``."""

    without: np.ndarray
    products: np.ndarray

    def less(self, other: Parts) -> tuple[np.ndarray, np.ndarray]:
        """Both less those of another correlation over the same units."""
        return self.without - other.without, self.products - other.products


@dataclass(frozen=True)
class Correlation:
    """Spearman's correlation of a metric's damage and the loss, over some questions.

    No ``parts``: of means of conditions, or of fewer than three clusters.
    """

    rho: float
    clusters: Clusters
    parts: Parts | None = None

    @property
    def interval(self) -> Interval:
        """Student's, from the jackknife over clusters, within [-1, 1]."""
        if self.parts is None:
            return NO_INTERVAL
        whole = jackknife_interval(self.rho, self.parts.without, self.clusters)
        return Interval(max(whole.low, -1.0), min(whole.high, 1.0), whole.unit)


class Units:
    """Questions under conditions, with the damage by each metric and the loss of each question."""

    def __init__(self, frame: pd.DataFrame, damage: Damage, seed: int) -> None:
        self.outcome = damage.outcome
        self.metrics: dict[str, MetricInfo] = {info.metric: info for info in damage.metrics}
        self.loss = frame["loss"].to_numpy(dtype=float)
        self._damages = {name: frame[name].to_numpy(dtype=float) for name in self.metrics}
        self._conditions = pd.factorize(frame["condition"])[0]
        self._questions = frame[["doc_id", "page_no", "qid"]].reset_index(drop=True)
        self._seed = seed
        self._known: dict[tuple[str, str, bytes], Correlation] = {}

    def members(self, *names: str) -> np.ndarray:
        """Indices of the units to which all of these metrics apply."""
        unknown = [np.isnan(self._damages[name]) for name in names]
        return np.flatnonzero(~np.logical_or.reduce(unknown))

    def overlaps(self, name: str) -> bool:
        """Whether a metric shares part of its definition with the outcome."""
        return self.outcome.overlaps(self.metrics[name])

    def correlation(self, name: str, kind: str, members: np.ndarray) -> Correlation:
        """One of :data:`CORRELATIONS` over some of the units."""
        key = (name, kind, members.tobytes())
        if key not in self._known:
            self._known[key] = self._correlation(name, kind, members)
        return self._known[key]

    def _correlation(self, name: str, kind: str, members: np.ndarray) -> Correlation:
        damage, loss = self._damages[name][members], self.loss[members]
        conditions = self._conditions[members]
        clusters = clusters_of(self._questions.iloc[members])
        if kind == BETWEEN:
            return Correlation(_condition_correlation(damage, loss, conditions), clusters)
        ranked = RankCorrelation(damage, loss, conditions if kind == WITHIN else None)
        parts = Parts(ranked.leave_out(clusters), ranked.products) if clusters.unit else None
        return Correlation(ranked.value, clusters, parts)

    def difference(self, first: str, second: str, kind: str) -> Record:
        """The first metric's correlation less the second's, on the questions of both.

        p is of a test that swaps the two metrics' ranks, document by document.
        """
        members = self.members(first, second)
        empty = {"difference": math.nan, **ends("difference", NO_INTERVAL), "p": math.nan}
        if not len(members):
            return {**empty, "n": 0}
        left_side, right = (self.correlation(name, kind, members) for name in (first, second))
        rho_difference = left_side.rho - right.rho
        record = empty | {"difference": rho_difference, "n": len(members)}
        if left_side.parts is None or right.parts is None or math.isnan(rho_difference):
            return record
        without, products = left_side.parts.less(right.parts)
        interval = jackknife_interval(rho_difference, without, left_side.clusters)
        # Swapping two metrics' ranks in a document changes the sign of its contribution.
        p = sign_flip_test(products, left_side.clusters, seed=self._seed)
        return record | ends("difference", interval) | {"p": p}

    def counts(self, members: np.ndarray) -> Record:
        """The numbers of units, questions, documents and conditions."""
        questions = self._questions.iloc[members]
        return {
            "n": len(members),
            "n_questions": questions["qid"].nunique(),
            "n_documents": questions["doc_id"].nunique(),
            "n_conditions": len(np.unique(self._conditions[members])),
        }

    def kendall(self, name: str, members: np.ndarray) -> float:
        """Kendall's tau-b over some of the units."""
        from scipy.stats import kendalltau  # takes half a second: import only if needed

        return float(kendalltau(self._damages[name][members], self.loss[members]).statistic)


def _condition_correlation(damage: np.ndarray, loss: np.ndarray, conditions: np.ndarray) -> float:
    """Spearman's correlation of the conditions' means; NaN of fewer than three."""
    counts = np.bincount(conditions)
    is_used = counts > 0
    if is_used.sum() < FEWEST_CONDITIONS:
        return math.nan
    means = [
        np.round(np.bincount(conditions, values)[is_used] / counts[is_used], 9)[None]
        for values in (damage, loss)
    ]
    return float(rank_correlations(*means)[0])


def compared(units: Units) -> tuple[list[Record], list[Record]]:
    """One record per correlation and metric, and one per correlation and pair of metrics.

    Pairs are of metrics that share nothing of the outcome's definition. ``p_holm`` corrects over
    all pairs of one correlation, ``alike_p_holm`` over those of one kind (of pages, of evidence).
    The best is the metric with the greatest correlation among those that apply to every question
    and have an interval. It is chosen on the same data; this does not exaggerate its lead, since p
    is corrected over every pair that could have led.
    """
    members = {name: units.members(name) for name in units.metrics}
    members = {name: indices for name, indices in members.items() if len(indices)}
    records: list[Record] = []
    pairs: list[Record] = []
    for kind in CORRELATIONS:
        correlations = {
            name: units.correlation(name, kind, indices) for name, indices in members.items()
        }
        candidates = [
            name
            for name, correlation in correlations.items()
            if not math.isnan(correlation.rho) and not units.overlaps(name)
        ]
        of_kind = [] if kind == BETWEEN else list(_pairs(units, candidates, kind))
        pairs += [{"correlation": kind, **pair} for pair in of_kind]
        ranked = [
            name
            for name in sorted(candidates, key=lambda name: correlations[name].rho, reverse=True)
            if correlations[name].interval.unit and len(members[name]) == len(units.loss)
        ]
        for name, indices in members.items():
            correlation, info = correlations[name], units.metrics[name]
            alike = [other for other in ranked if units.metrics[other].of == info.of]
            is_known = name in candidates and kind != BETWEEN
            records.append(
                {
                    "measure": name,
                    "measure_title": info.title,
                    "of": info.of,
                    "overlaps": units.overlaps(name),
                    "correlation": kind,
                    "rho": correlation.rho,
                    **ends("rho", correlation.interval),
                    "ci_unit": correlation.interval.unit,
                    "kendall": units.kendall(name, indices) if kind == POOLED else math.nan,
                    **_deficit(of_kind, ranked[:1] if is_known else [], name, ""),
                    **_deficit(of_kind, alike[:1] if is_known else [], name, "alike_"),
                    **units.counts(indices),
                }
            )
    return records, pairs


def _pairs(units: Units, names: list[str], kind: str) -> Iterator[Record]:
    """The difference of each pair of metrics, with p corrected over all, and over one kind."""
    pairs = [
        {"first": first, "second": second, **units.difference(first, second, kind)}
        for first, second in combinations(names, 2)
    ]
    of = [[units.metrics[pair[end]].of for end in ("first", "second")] for pair in pairs]
    alike = np.array([first == second for first, second in of], dtype=bool)
    p = np.array([pair["p"] for pair in pairs], dtype=float)
    within = np.full(len(pairs), math.nan)
    for name in {first for first, _ in of}:
        chosen = alike & np.array([first == name for first, _ in of], dtype=bool)
        within[chosen] = holm(p[chosen])
    for pair, over_all, over_alike in zip(pairs, holm(p), within, strict=True):
        yield pair | {"p_holm": float(over_all), "alike_p_holm": float(over_alike)}


def _deficit(pairs: list[Record], best: list[str], name: str, prefix: str) -> Record:
    """How far a metric is behind the best; NaN if it is not compared with it."""
    nothing = {"behind": math.nan, **ends("behind", NO_INTERVAL), "p": math.nan, "p_holm": math.nan}
    record: Record = {"best": "", **nothing}
    if best and best[0] != name:
        record["best"] = best[0]
        for pair in pairs:
            if {pair["first"], pair["second"]} == {best[0], name}:
                turned = pair["first"] == name
                low, high = pair["difference_ci_low"], pair["difference_ci_high"]
                record |= {
                    "behind": -pair["difference"] if turned else pair["difference"],
                    "behind_ci_low": -high if turned else low,
                    "behind_ci_high": -low if turned else high,
                    "p": pair["p"],
                    "p_holm": pair[f"{prefix}p_holm"],
                }
    return {f"{prefix}{column}": value for column, value in record.items()}


def ends(name: str, interval: Interval) -> dict[str, float]:
    """An interval as two columns."""
    return {f"{name}_ci_low": interval.low, f"{name}_ci_high": interval.high}


@dataclass(frozen=True)
class PredictorComparison:
    """The result of the pairs of one outcome, for predictors that apply to every question.

    ``ahead_of`` are those shown to be behind the ``leader``, ``level`` the others. ``bound`` is the
    largest difference between the leader and one of ``level`` that is not excluded; NaN without
    any. ``any_shown``: whether a difference is shown for any of the ``n_pairs`` pairs.
    """

    leader: str
    rho: float
    ahead_of: tuple[str, ...]
    level: tuple[str, ...]
    bound: float
    any_shown: bool
    n_pairs: int

    @property
    def is_best(self) -> bool:
        """Whether the leader is shown to be ahead of every other."""
        return bool(self.ahead_of) and not self.level


def verdict(rows: pd.DataFrame, pairs: pd.DataFrame, of: str = "") -> PredictorComparison | None:
    """The verdict on the rows and pairs of one outcome, group and correlation; titles for names.

    ``of`` limits it to metrics of one kind. None if fewer than two metrics are compared: all
    overlap with the outcome, or none has an interval.
    """
    prefix = "alike_" if of else ""
    rows = rows[rows["of"] == of] if of else rows
    rows = rows.sort_values("rho", ascending=False, kind="stable")
    titles = dict(zip(rows["measure"], rows["measure_title"], strict=True))
    pairs = pairs[pairs["first"].isin(titles) & pairs["second"].isin(titles)]
    leaders = [name for name in dict.fromkeys(rows[f"{prefix}best"]) if name]
    if not leaders:
        return None
    [leader] = leaders
    of_leader = rows[rows["measure"] == leader].iloc[0]
    rest = rows[~rows["overlaps"] & (rows["measure"] != leader) & rows["rho"].notna()]
    rest = rest[rest["n"] == of_leader["n"]]
    is_behind = rest[f"{prefix}p_holm"].map(is_shown).astype(bool)
    level = rest[~is_behind]
    ends_of = level[[f"{prefix}behind_ci_low", f"{prefix}behind_ci_high"]].abs().to_numpy()
    return PredictorComparison(
        titles[leader],
        float(of_leader["rho"]),
        tuple(rest.loc[is_behind, "measure_title"]),
        tuple(level["measure_title"]),
        float(np.max(ends_of)) if len(level) else math.nan,
        bool(pairs[f"{prefix}p_holm"].map(is_shown).any()),
        int(pairs["p"].notna().sum()),
    )
