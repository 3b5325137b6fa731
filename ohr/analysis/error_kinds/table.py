"""What each kind of error costs: shares of the loss, halves repaired, kinds planted alone."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ohr.analysis.attribution.loss_shares import Share, share_columns, share_of
from ohr.analysis.attribution.table import swapping
from ohr.analysis.error_kinds.repairs import (
    REST,
    Repairs,
    chosen_kinds,
    error_places,
    find_repairs,
    place_labels,
)
from ohr.analysis.error_kinds.scores import (
    Measured,
    Scores,
    Setting,
    draw_questions,
    measure_kinds,
    measure_places,
    setting_of,
)
from ohr.errors import ConfigError
from ohr.metrics.labels import stage_label
from ohr.ocr.progress import Progress
from ohr.ocr_errors.error_kinds import ERROR_KINDS
from ohr.plugins import KnowledgeBaseSource
from ohr.statistics import NO_INTERVAL, Clusters, Inferred, Paired, infer
from ohr.statistics.shapley import attribute
from ohr.study.output.groups import make_grouping
from ohr.study.plan import Plan, Variant

PER = 1000
"""Errors, or characters, by which a loss is divided."""
SHOWN_GROUPS = ("all", "source:")
TITLES: Mapping[str, str] = {
    "retrieval:lcs": "retrieval LCS",
    "generation:f1": stage_label("generation", "F1"),
    "overall:f1": stage_label("overall", "F1"),
}
"""The names of outcomes; hits are called by their metric."""
NAMES: Mapping[str, str] = {kind: name for kind, (name, _) in ERROR_KINDS.items()} | {
    REST: "all other kinds"
}


def choose_variant(plan: Plan, engine: str, noise: str = "") -> Variant:
    """The knowledge base whose errors are undone: of clean pages, if the run has them.

    ``noise`` names another condition as tables do (``photocopy moderate``); of several seeds, the
    first is taken. Raises ConfigError.
    """
    variants = [
        variant
        for variant in plan.variants
        if not isinstance(plan.engines[variant.engine.label], KnowledgeBaseSource)
        or variant.engine.name != "gt"
    ]
    labels = list(dict.fromkeys(variant.engine.label for variant in variants))
    if engine and engine not in labels:
        raise ConfigError(f"no engine {engine!r} in the run; there: {', '.join(labels) or 'none'}")
    if not engine and len(labels) != 1:
        raise ConfigError(
            "the run has no engine but the ground truth"
            if not labels
            else f"the run has several engines: name one of {', '.join(labels)} with --engine"
        )
    engine = engine or labels[0]
    own = [variant for variant in variants if variant.engine.label == engine]
    if noise:
        by_noise = {each.label.removeprefix(f"{engine}, "): each for each in reversed(own)}
        if noise not in by_noise:
            names = ", ".join(reversed(by_noise))
            raise ConfigError(f"no noise {noise!r} in the run; there: {names}")
        return by_noise[noise]
    return min(own, key=lambda variant: variant.noise.intensity)


@dataclass(frozen=True)
class KindCosts:
    """What the errors of an engine cost, by kind (:func:`loss_table`) and by place."""

    variant: Variant
    setting: Setting
    plan: Plan
    """With the questions that were scored."""
    repairs: Repairs
    losses: pd.DataFrame
    places: pd.DataFrame
    """Empty unless places were measured."""


def kind_costs(
    plan: Plan,
    progress: Progress,
    engine: str = "",
    *,
    noise: str = "",
    documents: int = 0,
    each: int = 0,
    orders: int = 2,
    seed: int = 0,
    kinds: Collection[str] = (),
    by_place: bool = True,
    halves: bool = True,
    distances: Sequence[int] = (),
) -> KindCosts:
    """Repair the errors of an engine kind by kind, and score. Raises OhrError.

    ``kinds`` are undone one by one and all others together; by default each is undone by itself.
    Without ``halves`` no random half of a kind's errors is repaired.
    ConfigError if the engine has no error. See :func:`choose_variant`, :func:`draw_questions`
    and, for ``distances``, :func:`~ohr.analysis.error_kinds.repairs.error_places`.
    """
    variant, setting = choose_variant(plan, engine, noise), setting_of(plan)
    label_of = chosen_kinds(kinds) if kinds else None
    plan = draw_questions(plan, documents, each, seed)
    with swapping(plan, progress) as swaps:
        read = swaps.knowledge_bases.knowledge_base(variant)
        repairs = find_repairs(plan, read, seed, progress.new_stage("finding", "pages"))
        if not repairs.all_labels:
            raise ConfigError(f"{variant.label} has no error: its pages are the truth")
        if label_of is not None:
            repairs = repairs.relabelled(label_of)
        scoring = progress.new_stage("scoring", "knowledge bases")
        scores = Scores(plan, swaps.scorer, variant, setting)
        losses = loss_table(repairs, measure_kinds(repairs, scores, orders, scoring, halves))
        places = pd.DataFrame()
        if by_place:
            placed = repairs.relabelled(error_places(plan, distances))
            labels = place_labels(distances)
            places = loss_table(placed, measure_places(placed, scores, labels, scoring))
    return KindCosts(variant, setting, plan, repairs, losses, places)


def kind_table(repairs: Repairs, words: int) -> pd.DataFrame:
    """One row per kind: its errors, per 1,000 ``words`` of the truth, and its wrong characters."""
    errors, characters = repairs.count()
    total = sum(characters.values())
    return pd.DataFrame(
        {
            "kind": label,
            "errors": errors[label],
            "errors_per_1000_words": PER * errors[label] / words if words else math.nan,
            "share_of_errors": errors[label] / sum(errors.values()),
            "characters": characters[label],
            "share_of_characters": characters[label] / total if total else math.nan,
        }
        for label in (*ERROR_KINDS, REST)
        if errors[label]
    )


def loss_table(repairs: Repairs, measured: Measured) -> pd.DataFrame:
    """One row per outcome, group of questions and label (a kind or a place).

    ``loss`` per question is the label's part of the whole ``loss_of_all``: its mean gain when it is
    repaired after others, over the orders; losses of all labels add up to the whole. ``half`` is
    the gain when a random half of its errors is repaired in the engine's output (no column where
    that was not measured), ``alone`` the
    loss when the truth has these errors only. Each has an interval and an adjusted p; all labels
    are one family. ``per_1000_errors`` and ``per_1000_characters``: the loss summed over the
    questions, by errors and by wrong characters of the label. ``share`` is NaN where the whole loss
    may be 0.
    """
    return pd.DataFrame(_records(repairs, measured))


def _records(repairs: Repairs, measured: Measured) -> Iterator[dict[str, Any]]:
    questions = make_grouping(repairs.plan).questions
    errors, characters = repairs.count()
    for outcome, read in measured.nothing.items():
        truth = measured.everything[outcome]
        values = attribute(
            {done: column[outcome] for done, column in measured.sets.items()},
            measured.labels,
            measured.orders,
        )
        applies = ~np.isnan(values.by_order).any(axis=(0, 1)) & ~np.isnan(read + truth)
        for group, all_members in questions.groups.items():
            members = all_members[applies[all_members]]
            if not len(members) or not group.startswith(SHOWN_GROUPS):
                continue
            clusters = Clusters.from_labels(questions.documents[members], questions.pages[members])
            losses = values.values[:, members]
            whole = clusters.sums((truth - read)[members])
            low, high = values.extremes(members)
            tests: dict[str, list[Inferred]] = {"loss": _tested(losses, clusters)}
            if measured.halves:
                gains = [measured.halves[label][outcome] - read for label in measured.labels]
                tests["half"] = _tested(np.array(gains)[:, members], clusters)
            alone = [truth - measured.alone(label)[outcome] for label in measured.labels]
            tests["alone"] = _tested(np.array(alone)[:, members], clusters)
            for place, label in enumerate(measured.labels):
                record: dict[str, Any] = {"outcome": outcome, "group": group, "kind": label}
                for name, results in tests.items():
                    record |= _test_columns(name, results[place])
                share = share_of(clusters.sums(losses[place]), whole, clusters)
                if not share.interval.unit:  # the whole loss may be 0: a share could be anything
                    share = Share(math.nan, NO_INTERVAL)
                total = float(losses[place].sum())
                yield (
                    record
                    | share_columns(share)
                    | {
                        "order_low": float(low[place]),
                        "order_high": float(high[place]),
                        "per_1000_errors": PER * total / errors[label],
                        "per_1000_characters": PER * total / max(1, characters[label]),
                        "score_of_output": float(read[members].mean()),
                        "score_of_truth": float(truth[members].mean()),
                        "loss_of_all": float((truth - read)[members].mean()),
                        "ci_unit": clusters.unit,
                        "n": len(members),
                        "n_documents": clusters.size,
                    }
                )


def _tested(differences: np.ndarray, clusters: Clusters) -> list[Inferred]:
    """Each row's mean with its interval; the rows ``(labels, n)`` are one family."""
    return infer([Paired(row, clusters) for row in differences])


def _test_columns(name: str, result: Inferred) -> dict[str, float]:
    return {
        name: result.difference,
        f"{name}_ci_low": result.interval.low,
        f"{name}_ci_high": result.interval.high,
        f"{name}_p": result.p_adjusted,
    }
