"""Which answers can be trusted: risk and coverage by condition and signal, and promises."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ohr.analysis.trust.signals import (
    CONFIDENT,
    SETTING,
    SIGNALS,
    answers_with_signals,
)
from ohr.errors import ConfigError
from ohr.statistics import NO_INTERVAL, Clusters
from ohr.statistics.selective import (
    Estimate,
    Ordered,
    calibration_error,
    cross_fitted,
    estimate,
    fold_of_clusters,
    logistic,
    promised_threshold,
)
from ohr.study.baselines import own_baseline
from ohr.study.results import KNOWLEDGE_BASE, StudyRun, clusters_of, knowledge_base_name

METRIC = "f1"
RIGHT = 0.5
"""Least score of an answer that counts as right."""
RISKS = (0.05, 0.1, 0.2)
CHECKED = 0.1
"""Share of the answers, the least sure ones, that are checked by hand."""
FEWEST = 10
"""With fewer documents nothing is said: scores are fitted on some and used on others."""
FOLDS = 5
COMBINED = "combination"
BROKEN = ("broken", "broken_confident", "broken_domains", "found_broken")


@dataclass(frozen=True)
class Trust:
    """``signals``: a row per condition and signal. ``promises``: per condition, signal and risk.

    ``answers`` are the answers with their chances of being right, for figures.
    """

    signals: pd.DataFrame
    promises: pd.DataFrame
    answers: pd.DataFrame


@dataclass(frozen=True)
class _Condition:
    """One knowledge base under one setting, beside its baseline: the same questions, in order."""

    key: dict[str, Any]
    frame: pd.DataFrame
    clean: pd.DataFrame | None
    clusters: Clusters
    right: float

    @property
    def is_wrong(self) -> np.ndarray:
        return self.frame["value"].to_numpy() < self.right

    @property
    def was_wrong(self) -> np.ndarray:
        assert self.clean is not None
        return self.clean["value"].to_numpy() < self.right


def trust(
    run: StudyRun, metric: str = METRIC, right: float = RIGHT, risks: Sequence[float] = RISKS
) -> Trust:
    """How far answers of a finished run can be trusted, by condition and signal.

    An answer is right if its overall ``metric`` is at least ``right``. A signal is turned into the
    chance that an answer is right by a logistic regression fitted on other documents of the same
    condition; so is their combination. Statistics: ``aurc``, ``excess`` over the order that knows
    which answers are wrong, ``coverage_5`` and so on (most answers of which at most that share is
    wrong), ``found`` (share of the wrong answers among the tenth that is least sure), ``broken``
    (AUROC of answers that the condition broke, against those it left right; ``broken_confident``
    among answers with a confidence, ``broken_domains`` with fits to other domains),
    ``found_broken`` (share of the broken answers among the tenth that most looks like them) and
    ``ece`` of the reader's own confidence, each with ends of its 95 % interval over documents.
    ``promises`` has the risk and coverage on other documents at the threshold of clean pages. All
    are NaN with fewer than ten documents. Raises ConfigError for shares outside (0, 1), and
    OhrError without answers.
    """
    for name, value in (("--right", right), *(("--risk", risk) for risk in risks)):
        if not 0 < value < 1:
            raise ConfigError(f"{name} {value:g}: a number between 0 and 1, as 0.2")
    frame = answers_with_signals(run, metric)
    signals, promises, answers = [], [], []
    for condition in _conditions(frame, right):
        chances = _chances(condition, run.seed)
        shared = condition.key | {"metric": metric, "right": right}
        for name, chance in chances.items():
            signals.append(shared | {"signal": name} | _measured(condition, name, chance, risks))
        if condition.clean is not None:
            promises += [
                shared | each for each in _promises(condition, list(chances), risks, run.seed)
            ]
        answers.append(condition.frame.assign(**condition.key, **_named(chances)))
    return Trust(pd.DataFrame(signals), pd.DataFrame(promises), pd.concat(answers))


def name_of(risk: float) -> str:
    """The column of the coverage at a risk."""
    return f"coverage_{100 * risk:g}"


def _named(chances: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {f"chance by {name}": chance for name, chance in chances.items()}


def _conditions(frame: pd.DataFrame, right: float) -> Iterator[_Condition]:
    """Each knowledge base and setting, all its draws together."""
    for setting, group in frame.groupby(list(SETTING), sort=False):
        bases = {
            knowledge_base_name(pd.Series(dict(zip(KNOWLEDGE_BASE, key, strict=True)))): (key, part)
            for key, part in group.groupby(list(KNOWLEDGE_BASE), sort=False)
        }
        for name, (key, part) in bases.items():
            labels = dict(zip(KNOWLEDGE_BASE, key, strict=True))
            baseline = own_baseline(pd.Series(labels), list(bases))
            part = part.sort_values(["qid", "draw"], kind="stable").reset_index(drop=True)
            clean = None
            if baseline is not None:
                of_base = bases[baseline[0]][1].drop_duplicates("qid").set_index("qid")
                part = part[part["qid"].isin(of_base.index)].reset_index(drop=True)
                clean = of_base.loc[part["qid"]].reset_index()
            labels |= dict(zip(SETTING, setting, strict=True))
            labels |= {"knowledge_base": name, "baseline": baseline[0] if baseline else ""}
            clusters = clusters_of(part)
            labels |= {"n": len(part), "n_clusters": clusters.size, "unit": clusters.unit}
            labels |= {"wrong": float((part["value"] < right).mean())}
            yield _Condition(labels, part, clean, clusters, right)


def _present(frame: pd.DataFrame) -> list[str]:
    """The signals that a condition has: not missing everywhere, and not always the same."""
    return [name for name in SIGNALS if frame[name].nunique() > 1]


def _is_enough(condition: _Condition) -> bool:
    return condition.clusters.size >= FEWEST


def _chances(condition: _Condition, seed: int) -> dict[str, np.ndarray]:
    """The chance of being right by each signal and by all, fitted on other documents."""
    frame, names = condition.frame, _present(condition.frame)
    if not _is_enough(condition) or not names:
        return dict.fromkeys(names or [CONFIDENT], np.full(len(frame), np.nan))
    folds = fold_of_clusters(condition.clusters, FOLDS, seed)
    is_right = ~condition.is_wrong
    by_name = {name: cross_fitted(frame[[name]].to_numpy(float), is_right, folds) for name in names}
    if len(names) > 1:
        by_name[COMBINED] = cross_fitted(frame[names].to_numpy(float), is_right, folds)
    return by_name


def _measured(
    condition: _Condition, name: str, chance: np.ndarray, risks: Sequence[float]
) -> dict[str, Any]:
    """The statistics of one signal, with intervals."""
    clusters, wrong = condition.clusters, condition.is_wrong
    enough = _is_enough(condition) and not np.isnan(chance).any()
    order = Ordered(chance, wrong) if enough else None
    nothing = Estimate(math.nan, NO_INTERVAL)
    statistics: dict[str, Callable[[np.ndarray], float]] = {}
    if order is not None:
        statistics = {"aurc": order.aurc, "excess": order.excess}
        statistics["found"] = partial(order.share_found, share=CHECKED)
        statistics |= {name_of(risk): partial(order.coverage, risk=risk) for risk in risks}
    values = dict.fromkeys(("aurc", "excess", "found", *map(name_of, risks)), nothing)
    values |= {label: estimate(each, clusters) for label, each in statistics.items()}
    values |= dict.fromkeys(BROKEN, nothing)
    if order and condition.clean is not None:
        values |= _broken(condition, name)
    values["ece"] = nothing
    if name == CONFIDENT and enough:
        values["ece"] = _calibration(condition)
    row: dict[str, Any] = {}
    for label, each in values.items():
        row |= {label: each.value}
        row |= {f"{label}_ci_low": each.interval.low, f"{label}_ci_high": each.interval.high}
    was = ~condition.was_wrong if condition.clean is not None else np.zeros(len(wrong), bool)
    return row | {"n_broken": int((was & wrong).sum()), "n_still_right": int((was & ~wrong).sum())}


def _broken(condition: _Condition, name: str) -> dict[str, Estimate]:
    """AUROC of broken answers against those still right, among the answers that were right.

    One signal: among the answers that have it. The combination is fitted to just that on other
    documents; ``broken_confident`` is its AUROC among answers with a confidence, ``broken_domains``
    that of a fit to other domains. ``found_broken`` is the share of the broken answers among the
    tenth of all answers that most looks like them.
    """
    frame, clusters = condition.frame, condition.clusters
    was, broken = ~condition.was_wrong, condition.is_wrong

    def auroc(scores: np.ndarray, members: np.ndarray) -> Estimate:
        if min(broken[members].sum(), (~broken[members]).sum()) < FEWEST:
            return Estimate(math.nan, NO_INTERVAL)
        order = Ordered(scores[members], broken[members])
        return estimate(order.auroc, clusters.only(members))

    if name != COMBINED:
        values = frame[name].to_numpy(float)
        return {"broken": auroc(values, was & ~np.isnan(values))}
    if min(broken[was].sum(), (~broken[was]).sum()) < FEWEST:
        return {}
    features = frame[_present(frame)].to_numpy(float)
    folds = fold_of_clusters(clusters, FOLDS)
    scores = cross_fitted(features, ~broken, folds, chosen=was)
    results = {"broken": auroc(scores, was)}
    results["broken_confident"] = auroc(scores, was & frame[CONFIDENT].notna().to_numpy())
    scores = cross_fitted(features, ~(was & broken), folds)
    order = Ordered(scores, was & broken)
    results["found_broken"] = estimate(partial(order.share_found, share=CHECKED), clusters)
    domains = pd.factorize(frame["domain"])[0]
    if len(np.unique(domains)) > 1:
        scores = cross_fitted(features, ~broken, domains, chosen=was)
        results["broken_domains"] = auroc(scores, was)
    return results


def _calibration(condition: _Condition) -> Estimate:
    confidence = condition.frame[CONFIDENT].to_numpy(float)
    has = ~np.isnan(confidence)
    right = ~condition.is_wrong[has]
    clusters = condition.clusters.only(has)
    return estimate(lambda w: calibration_error(confidence[has], right, w), clusters)


def _promises(
    condition: _Condition, names: Sequence[str], risks: Sequence[float], seed: int
) -> Iterator[dict[str, Any]]:
    """Thresholds of clean pages of other documents, on clean and on noisy pages.

    The chance by a signal is fitted on clean pages, too, for which no answers under noise are
    needed; so signals that only noisy pages have are left out.
    """
    clean, frame, clusters = condition.clean, condition.frame, condition.clusters
    assert clean is not None
    both = [name for name in names if name in _present(clean) and name in _present(frame)]
    if not _is_enough(condition):
        return
    folds = fold_of_clusters(clusters, FOLDS, seed)
    right = ~condition.was_wrong
    for name in [*both, *([COMBINED] if len(both) > 1 else [])]:
        columns = both if name == COMBINED else [name]
        features, noisy = clean[columns].to_numpy(float), frame[columns].to_numpy(float)
        on_clean = cross_fitted(features, right, folds)
        for risk in risks:
            is_in, was_in = np.zeros(len(frame), bool), np.zeros(len(frame), bool)
            thresholds = []
            for fold in range(FOLDS):
                mine = folds == fold
                threshold = promised_threshold(
                    on_clean[~mine], ~right[~mine], clusters.only(~mine), risk
                )
                fitted = logistic(features[~mine], right[~mine].astype(float))
                was_in[mine] = fitted(features[mine]) >= threshold
                is_in[mine] = fitted(noisy[mine]) >= threshold
                thresholds.append(threshold)
            row: dict[str, Any] = {"signal": name, "risk": risk}
            row["has_threshold"] = bool(np.isfinite(thresholds).all())
            row |= _let_through("clean", was_in, ~right, clusters)
            row |= _let_through("noisy", is_in, condition.is_wrong, clusters)
            paid = estimate(partial(_mean, was_in.astype(float) - is_in), clusters)
            yield row | _ends("coverage_paid", paid)


def _let_through(
    name: str, is_in: np.ndarray, is_wrong: np.ndarray, clusters: Clusters
) -> dict[str, float]:
    """Risk and coverage of the answers that were let through."""

    def risk(weights: np.ndarray) -> float:
        total = float((weights * is_in).sum())
        return float((weights * (is_in & is_wrong)).sum()) / total if total else math.nan

    coverage = partial(_mean, is_in.astype(float))
    return _ends(f"{name}_risk", estimate(risk, clusters)) | _ends(
        f"{name}_coverage", estimate(coverage, clusters)
    )


def _mean(values: np.ndarray, weights: np.ndarray) -> float:
    return float((weights * values).sum() / weights.sum())


def _ends(name: str, each: Estimate) -> dict[str, float]:
    low, high = each.interval.low, each.interval.high
    return {name: each.value, f"{name}_ci_low": low, f"{name}_ci_high": high}
