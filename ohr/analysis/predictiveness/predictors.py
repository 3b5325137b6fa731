"""Predictors side by side: rank correlations of damage and loss, and every pair of measures."""

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
from ohr.study.results import clusters_of
from ohr.study.scoring.metrics import MetricInfo

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
    """Spearman's correlation of a measure's damage and the loss, over some questions.

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
    """Questions under conditions, with what each measure says and what each question lost."""

    def __init__(self, frame: pd.DataFrame, damage: Damage, seed: int) -> None:
        self.outcome = damage.outcome
        self.measures: dict[str, MetricInfo] = {info.metric: info for info in damage.readings}
        self.loss = frame["loss"].to_numpy(dtype=float)
        self._damages = {name: frame[name].to_numpy(dtype=float) for name in self.measures}
        self._conditions = pd.factorize(frame["condition"])[0]
        self._questions = frame[["doc_id", "page_no", "qid"]].reset_index(drop=True)
        self._seed = seed
        self._known: dict[tuple[str, str, bytes], Correlation] = {}

    def members(self, *names: str) -> np.ndarray:
        """Indices of the units about which all of these measures say something."""
        unknown = [np.isnan(self._damages[name]) for name in names]
        return np.flatnonzero(~np.logical_or.reduce(unknown))

    def overlaps(self, name: str) -> bool:
        """Whether a measure shares part of its definition with the outcome."""
        return self.outcome.overlaps(self.measures[name])

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
            return Correlation(_between(damage, loss, conditions), clusters)
        ranked = RankCorrelation(damage, loss, conditions if kind == WITHIN else None)
        parts = Parts(ranked.without(clusters), ranked.products) if clusters.unit else None
        return Correlation(ranked.value, clusters, parts)

    def difference(self, first: str, second: str, kind: str) -> Record:
        """The first measure's correlation less the second's on the questions of both.

        p is of a test that swaps the two measures' ranks, document by document.
        """
        members = self.members(first, second)
        nothing = {"difference": math.nan, **ends("difference", NO_INTERVAL), "p": math.nan}
        if not len(members):
            return {**nothing, "n": 0}
        one, other = (self.correlation(name, kind, members) for name in (first, second))
        record = nothing | {"difference": one.rho - other.rho, "n": len(members)}
        if one.parts is None or other.parts is None or math.isnan(one.rho - other.rho):
            return record
        without, products = one.parts.less(other.parts)
        interval = jackknife_interval(one.rho - other.rho, without, one.clusters)
        # Swapping two measures' ranks in a document turns the sign of what it adds.
        p = sign_flip_test(products, one.clusters, seed=self._seed)
        return record | ends("difference", interval) | {"p": p}

    def counts(self, members: np.ndarray) -> Record:
        """How many units, questions, documents and conditions there are."""
        questions = self._questions.iloc[members]
        return {
            "n": len(members),
            "n_questions": questions["qid"].nunique(),
            "n_documents": questions["doc_id"].nunique(),
            "n_conditions": len(np.unique(self._conditions[members])),
        }

    def kendall(self, name: str, members: np.ndarray) -> float:
        """Kendall's tau-b over some of the units."""
        from scipy.stats import kendalltau  # half a second: only where it is needed

        return float(kendalltau(self._damages[name][members], self.loss[members]).statistic)


def _between(damage: np.ndarray, loss: np.ndarray, conditions: np.ndarray) -> float:
    """Spearman's correlation of the conditions' means; NaN of fewer than three."""
    counts = np.bincount(conditions)
    there = counts > 0
    if there.sum() < FEWEST_CONDITIONS:
        return math.nan
    means = [
        np.round(np.bincount(conditions, values)[there] / counts[there], 9)[None]
        for values in (damage, loss)
    ]
    return float(rank_correlations(*means)[0])


def compared(units: Units) -> tuple[list[Record], list[Record]]:
    """A record for each correlation and measure, and one for each correlation and pair.

    Pairs are of measures that share nothing of the outcome's definition; ``p_holm`` corrects over
    all pairs of one correlation, ``alike_p_holm`` over those of one kind (of pages, of evidence).
    The best is the measure of the greatest correlation among these, of those that say something
    about every question and have an interval; that it was chosen on the same data does not make
    its lead look larger than it is, since p is corrected over every pair that could have led.
    """
    members = {name: units.members(name) for name in units.measures}
    members = {name: those for name, those in members.items() if len(those)}
    records: list[Record] = []
    pairs: list[Record] = []
    for kind in CORRELATIONS:
        found = {name: units.correlation(name, kind, those) for name, those in members.items()}
        candidates = [
            name
            for name, each in found.items()
            if not math.isnan(each.rho) and not units.overlaps(name)
        ]
        of_kind = [] if kind == BETWEEN else list(_pairs(units, candidates, kind))
        pairs += [{"correlation": kind, **pair} for pair in of_kind]
        ranked = [
            name
            for name in sorted(candidates, key=lambda name: found[name].rho, reverse=True)
            if found[name].interval.unit and len(members[name]) == len(units.loss)
        ]
        for name, those in members.items():
            one, measure = found[name], units.measures[name]
            alike = [other for other in ranked if units.measures[other].of == measure.of]
            known = name in candidates and kind != BETWEEN
            records.append(
                {
                    "measure": name,
                    "measure_title": measure.title,
                    "of": measure.of,
                    "overlaps": units.overlaps(name),
                    "correlation": kind,
                    "rho": one.rho,
                    **ends("rho", one.interval),
                    "ci_unit": one.interval.unit,
                    "kendall": units.kendall(name, those) if kind == POOLED else math.nan,
                    **_behind(of_kind, ranked[:1] if known else [], name, ""),
                    **_behind(of_kind, alike[:1] if known else [], name, "alike_"),
                    **units.counts(those),
                }
            )
    return records, pairs


def _pairs(units: Units, names: list[str], kind: str) -> Iterator[Record]:
    """The difference of each pair of measures, with p corrected over all, and over those alike."""
    pairs = [
        {"first": first, "second": second, **units.difference(first, second, kind)}
        for first, second in combinations(names, 2)
    ]
    of = [[units.measures[pair[end]].of for end in ("first", "second")] for pair in pairs]
    alike = np.array([each == other for each, other in of], dtype=bool)
    p = np.array([pair["p"] for pair in pairs], dtype=float)
    within = np.full(len(pairs), math.nan)
    for name in {each for each, _ in of}:
        chosen = alike & np.array([each == name for each, _ in of], dtype=bool)
        within[chosen] = holm(p[chosen])
    for pair, over_all, over_alike in zip(pairs, holm(p), within, strict=True):
        yield pair | {"p_holm": float(over_all), "alike_p_holm": float(over_alike)}


def _behind(pairs: list[Record], best: list[str], name: str, prefix: str) -> Record:
    """How far a measure lies behind the best, where there is one that it is compared with."""
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
class Verdict:
    """What the pairs of one outcome show about the predictors that know every question.

    ``ahead_of`` are those shown to lie behind the ``leader``, ``level`` those that are not, and
    ``bound`` the largest difference between the leader and one of these that is not excluded; NaN
    for none. ``any_shown``: whether any of the ``n_pairs`` pairs differs.
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


def verdict(rows: pd.DataFrame, pairs: pd.DataFrame, of: str = "") -> Verdict | None:
    """The verdict on the rows and pairs of one outcome, group and correlation; titles for names.

    Of measures ``of`` one kind alone, or of all.
    None where fewer than two are compared: all overlap with the outcome, or none has an interval.
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
    shown = rest[f"{prefix}p_holm"].map(is_shown).astype(bool)
    level = rest[~shown]
    ends_of = level[[f"{prefix}behind_ci_low", f"{prefix}behind_ci_high"]].abs().to_numpy()
    return Verdict(
        titles[leader],
        float(of_leader["rho"]),
        tuple(rest.loc[shown, "measure_title"]),
        tuple(level["measure_title"]),
        float(np.max(ends_of)) if len(level) else math.nan,
        bool(pairs[f"{prefix}p_holm"].map(is_shown).any()),
        int(pairs["p"].notna().sum()),
    )
