"""Which measure of reading says what noise will cost: rank correlations with the loss."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from experiments.analysis.comparison import metrics_of
from experiments.analysis.damage import SETTING, Damage, damages
from experiments.analysis.settings import Setting
from ohr.errors import OhrError
from ohr.statistics import (
    NO_INTERVAL,
    Clusters,
    Interval,
    RankCorrelation,
    holm,
    percentile_interval,
    rank_correlations,
    sign_flip_test,
)
from ohr.study.groups import group_rows
from ohr.study.results import Run, clusters_of

POOLED, WITHIN, BETWEEN = "pooled", "within", "between"
CORRELATIONS = (POOLED, WITHIN, BETWEEN)
"""Over all questions and conditions; over the questions within each condition, ranks taken in
each; over the conditions' means."""
COMPARED = ("stage", "metric", *SETTING, "conditions", "group", "correlation")
"""What is the same for measures that are held against each other."""
FEWEST_CONDITIONS = 3
MAIN_GROUPS = ("all", "source:")


def predictiveness(
    runs: Sequence[Run], metrics: Sequence[str] = (), groups: bool = False
) -> pd.DataFrame:
    """A row for each outcome, setting, conditions, group of questions, correlation and measure.

    ``metrics`` are the outcomes, ``stage:metric``; by default those that figures show.
    ``groups``: also each domain, answer form and task, not each evidence source alone.
    ``correlation`` is Spearman's of the measure's damage and the outcome's loss (see
    :class:`experiments.analysis.damage.Damage`), with a bootstrap interval over documents, or
    over pages where documents are few. ``behind`` is how far it lies behind that of the best
    measure on the questions of both, with interval and p of a test that swaps the two measures'
    ranks, document by document; ``p_holm`` corrects over the measures. The best is the greatest
    of those that say something about every question of the group and, where any has, have an
    interval: a measure that changes on a page or two has none. Columns that begin with ``alike_``
    hold a measure against the best of its kind: of pages, or of the evidence, which must be known.
    Raises OhrError where there is no noise, nothing to hold it against, or no measure of reading.
    """
    wanted = [pair for pair in metrics_of(runs, metrics) if pair[0] != "ocr"]
    records: list[dict[str, Any]] = []
    measured = False
    for damage in damages(runs, wanted):
        measured = True
        known = {"stage": damage.outcome.stage, "metric": damage.outcome.metric}
        known |= {"title": damage.outcome.label, **damage.setting}
        for conditions, frame in _conditions(damage.frame):
            for group, members in group_rows(frame):
                every = groups or group.startswith(MAIN_GROUPS)
                if not every or (conditions != "all" and group != "all"):
                    continue
                key = known | {"conditions": conditions, "group": group}
                units = _Units.of(members, damage, runs[0])
                records += [key | record for record in _records(units)]
    if not records:
        raise _nothing(runs, wanted, measured)
    table = pd.DataFrame(records)
    for prefix, compared in (("", COMPARED), ("alike_", (*COMPARED, "of"))):
        together = table.groupby(list(compared), sort=False, dropna=False)[f"{prefix}p"]
        table[f"{prefix}p_holm"] = together.transform(lambda p: holm(p.to_numpy()))
    return table


def outcomes_of(table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Each outcome and setting of the table by name, as ``Retrieval LCS, tokens, bm25, 2 hits``."""
    for key, rows in table.groupby(["title", *SETTING], sort=False):
        title, *values = map(str, key)
        setting = Setting(**dict(zip(SETTING, values, strict=True)))
        yield ", ".join(part for part in (title, *setting.parts) if part), rows


def _nothing(runs: Sequence[Run], wanted: Sequence[tuple[str, str]], measured: bool) -> OhrError:
    where = ", ".join(str(run.path) for run in runs)
    if not wanted:
        return OhrError(f"{where}: no score of retrieval or of answers: run it with those stages")
    if measured:
        return OhrError(f"{where}: no measure of reading: run it with the stage ocr")
    return OhrError(
        f"{where}: nothing to hold noise against: it takes noise and the clean pages that the same "
        "engine read, or gt and another engine"
    )


def _conditions(frame: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """All conditions, then those of each engine and of each kind of noise, no set twice."""
    seen = {frozenset(frame["condition"])}
    yield "all", frame
    for column in ("engine", "noise"):
        for name, rows in frame.groupby(column, sort=False):
            there = frozenset(rows["condition"])
            if there not in seen:
                seen.add(there)
                yield f"{column}:{name}", rows


@dataclass(frozen=True)
class _Units:
    """Questions under conditions, as arrays: ``(n,)``, damages a measure each."""

    measures: dict[str, dict[str, Any]]
    damages: dict[str, np.ndarray]
    loss: np.ndarray
    conditions: np.ndarray
    questions: pd.DataFrame
    resamples: int
    seed: int

    @classmethod
    def of(cls, frame: pd.DataFrame, damage: Damage, run: Run) -> _Units:
        return cls(
            {
                one.metric: {"measure": one.metric, "measure_title": one.title, "of": one.of}
                for one in damage.readings
            },
            {one.metric: frame[one.metric].to_numpy(dtype=float) for one in damage.readings},
            frame["loss"].to_numpy(dtype=float),
            pd.factorize(frame["condition"])[0],
            frame[["doc_id", "page_no", "qid"]].reset_index(drop=True),
            run.resamples,
            run.seed,
        )

    def members(self, name: str) -> np.ndarray:
        """Indices of the units about which a measure says something."""
        return np.flatnonzero(~np.isnan(self.damages[name]))

    def estimate(self, name: str, correlation: str, members: np.ndarray) -> _Estimate:
        damage, loss = self.damages[name][members], self.loss[members]
        conditions = self.conditions[members]
        clusters = clusters_of(self.questions.iloc[members])
        if correlation == BETWEEN:
            counts = clusters.resampled_counts(self.resamples, self.seed)
            return _between(damage, loss, conditions, clusters, counts)
        ranked = RankCorrelation(damage, loss, conditions if correlation == WITHIN else None)
        drawn = ranked.resampled(clusters, self.resamples, self.seed)
        return _Estimate(ranked.value, drawn, clusters, ranked.products)


@dataclass(frozen=True)
class _Estimate:
    """A correlation, its draws ``(resamples,)``, and what each unit adds to it, if anything."""

    rho: float
    drawn: np.ndarray
    clusters: Clusters
    products: np.ndarray | None = None

    @property
    def certain(self) -> bool:
        """Whether it has an interval."""
        return bool(self.interval.unit)

    @cached_property
    def interval(self) -> Interval:
        return percentile_interval(self.drawn, self.clusters)


def _between(
    damage: np.ndarray,
    loss: np.ndarray,
    conditions: np.ndarray,
    clusters: Clusters,
    counts: np.ndarray,
) -> _Estimate:
    """Spearman's correlation of the conditions' means; NaN of draws that lack a condition."""
    present, place = np.unique(conditions, return_inverse=True)
    size, n = len(present), clusters.size
    cell = place * n + clusters.index
    weights = np.concatenate([np.ones((1, n)), counts])
    lost, worse, number = (
        weights @ np.bincount(cell, values, size * n).reshape(size, n).T
        for values in (loss, damage, np.ones(len(loss)))
    )
    means = [np.round(part / np.where(number > 0, number, math.nan), 9) for part in (worse, lost)]
    rho = rank_correlations(*means) if size >= FEWEST_CONDITIONS else np.full(len(lost), math.nan)
    return _Estimate(float(rho[0]), rho[1:], clusters)


def _records(units: _Units) -> Iterator[dict[str, Any]]:
    members = {name: units.members(name) for name in units.measures}
    members = {name: those for name, those in members.items() if len(those)}
    whole = [name for name, those in members.items() if len(those) == len(units.loss)]
    for correlation in CORRELATIONS:
        found = {name: units.estimate(name, correlation, those) for name, those in members.items()}
        ranked = sorted(
            (name for name in whole if not math.isnan(found[name].rho)),
            key=lambda name: (found[name].certain, found[name].rho),
            reverse=True,
        )
        for name, estimate in found.items():
            those = members[name]
            record = units.measures[name] | {"correlation": correlation, "rho": estimate.rho}
            record |= _ends("rho", estimate.interval)
            record |= {"ci_unit": estimate.interval.unit, "kendall": math.nan}
            if correlation == POOLED:
                record["kendall"] = _kendall(units.damages[name][those], units.loss[those])
            alike = [one for one in ranked if units.measures[one]["of"] == record["of"]]
            for prefix, rivals in (("", ranked), ("alike_", alike)):
                behind = _behind(units, correlation, rivals[:1], name, found, those)
                record |= {f"{prefix}{column}": value for column, value in behind.items()}
            asked = units.questions.iloc[those]
            yield record | {
                "n": len(those),
                "n_questions": asked["qid"].nunique(),
                "n_documents": asked["doc_id"].nunique(),
                "n_conditions": len(np.unique(units.conditions[those])),
            }


def _behind(
    units: _Units,
    correlation: str,
    best: Sequence[str],
    name: str,
    found: dict[str, _Estimate],
    members: np.ndarray,
) -> dict[str, Any]:
    """How far one measure lies behind the best, if any, on the units of both."""
    nothing = {"behind": math.nan, **_ends("behind", NO_INTERVAL), "p": math.nan}
    if not best or name == best[0]:
        return {"best": "", **nothing}
    if math.isnan(found[name].rho):
        return {"best": best[0], **nothing}
    first, second = found[best[0]], found[name]
    if len(members) < len(units.loss):
        first = units.estimate(best[0], correlation, members)
    behind = first.rho - second.rho
    interval = percentile_interval(first.drawn - second.drawn, second.clusters)
    p = math.nan
    if first.products is not None and second.products is not None and second.clusters.unit:
        # Swapping two measures' ranks in a document turns the sign of what it adds.
        p = sign_flip_test(first.products - second.products, second.clusters, seed=units.seed)
    return {"best": best[0], "behind": behind, **_ends("behind", interval), "p": p}


def _ends(name: str, interval: Interval) -> dict[str, float]:
    return {f"{name}_ci_low": interval.low, f"{name}_ci_high": interval.high}


def _kendall(damage: np.ndarray, loss: np.ndarray) -> float:
    """Kendall's tau-b."""
    from scipy.stats import kendalltau  # half a second: only where it is needed

    return float(kendalltau(damage, loss).statistic)
