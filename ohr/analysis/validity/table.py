"""Whether made questions rank conditions as given ones do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ohr.display.wording import is_shown
from ohr.errors import OhrError
from ohr.statistics import Clusters, infer
from ohr.statistics.flips import FLIPS, smallest_p
from ohr.statistics.pairs import all_pairs
from ohr.study.conditions import CONDITION_COLUMNS
from ohr.study.config import BUILT_IN
from ohr.study.results import StudyRun, knowledge_base_name

CONDITION = list(CONDITION_COLUMNS)
AGREE, DISAGREE = "same order", "opposite order"
ONE_SETTLES, UNDECIDED = "one undecided", "both undecided"


@dataclass(frozen=True)
class Scores:
    """Scores of questions under conditions, ``(n, k)``, and the document of each, ``(n,)``."""

    values: np.ndarray
    documents: np.ndarray
    pages: np.ndarray
    conditions: tuple[str, ...]

    @property
    def means(self) -> np.ndarray:
        """The mean of each condition, ``(k,)``."""
        means: np.ndarray = self.values.mean(axis=0)
        return means


def scores_of(run: StudyRun, stage: str, metric: str) -> Scores:
    """The scores of the questions that every condition has, as means over draws of the noise.

    Raises OhrError.
    """
    rows = run.rows
    rows = rows[(rows["stage"] == stage) & (rows["metric"] == metric)]
    if rows.empty:
        raise OhrError(f"{run.path} has no {stage}:{metric}")
    number = rows.groupby(CONDITION, sort=False, dropna=False, observed=True).ngroup()
    names = _names(rows.loc[~number.duplicated(), CONDITION])
    table = rows.assign(condition=number.map(dict(enumerate(names)))).pivot_table(
        index=["qid", "doc_id", "page_no"], columns="condition", values="value", observed=True
    )
    table = table.dropna().sort_index()
    index = table.index.to_frame()
    return Scores(
        table.to_numpy(dtype=float),
        index["doc_id"].astype(str).to_numpy(),
        (index["doc_id"].astype(str) + "/" + index["page_no"].astype(str)).to_numpy(),
        tuple(map(str, table.columns)),
    )


def _names(conditions: pd.DataFrame) -> list[str]:
    """Names of conditions: knowledge base and setting, with the number of hits if it varies.

    Raises OhrError if two conditions have the same name.
    """
    several = conditions["top_k"].nunique() > 1
    names = []
    for _, row in conditions.iterrows():
        system = "" if row["system"] == BUILT_IN else row["system"]
        parts = [system, row["retriever"], row["chunker"], row["reader"]]
        if several and pd.notna(row["top_k"]):
            parts.append(f"top {row['top_k']:g}")
        names.append(", ".join([knowledge_base_name(row), *(part for part in parts if part)]))
    for name, count in Counter(names).items():
        if count > 1:
            raise OhrError(f"{count} conditions are called {name!r}: give them labels")
    return names


def tau_b(x: np.ndarray, y: np.ndarray) -> float:
    """Kendall's tau_b of two rankings, ``(k,)`` each; NaN if all ranks of one are equal.

    It has no interval: means over documents drawn again have more noise than the means, so their
    tau_b lies lower, and percentiles of it can exclude the estimate
    (``benchmarks.rank_intervals``).
    Source: Kendall, The treatment of ties in ranking problems, 1945.
    """
    dx = np.sign(np.subtract.outer(x, x))
    dy = np.sign(np.subtract.outer(y, y))
    scale = np.sqrt((dx * dx).sum() * (dy * dy).sum())
    return float((dx * dy).sum() / scale) if scale > 0 else float("nan")


def settled_pairs(scores: Scores, *, flips: int = FLIPS) -> pd.DataFrame:
    """Every pair of conditions, and whether a question set shows which is better.

    ``difference`` is the second's mean less the first's. Interval and ``p_adjusted`` are those of
    all pairs together (:func:`ohr.statistics.infer`), ``p`` that of the pair alone; ``settled``
    says whether the difference is shown. If conditions are exchangeable within documents, a pair is
    settled in 5 % of studies; if only their means are equal, in more
    (``docs/reference/intervals.md``).
    """
    clusters = Clusters.from_labels(scores.documents, scores.pages)
    pairs = all_pairs(scores.values.T, clusters)
    results = infer([pair.paired for pair in pairs], flips=flips)
    return pd.DataFrame(
        {
            "first": scores.conditions[pair.first],
            "second": scores.conditions[pair.second],
            "difference": result.difference,
            "ci_low": result.interval.low,
            "ci_high": result.interval.high,
            "p": result.p,
            "p_adjusted": result.p_adjusted,
            "settled": result.is_shown,
        }
        for pair, result in zip(pairs, results, strict=True)
    )


def can_settle(scores: Scores) -> bool:
    """Whether there are enough documents for a p of .05."""
    return is_shown(smallest_p(Clusters.from_labels(scores.documents, scores.pages).size))


def differences(original: Scores, generated: Scores) -> pd.DataFrame:
    """Every pair of conditions on both sets of questions, each with its own family of tests.

    Columns of :func:`settled_pairs`, prefixed ``given_`` and ``made_``, and a ``verdict``: both
    sets settle the pair and :data:`AGREE` or :data:`DISAGREE`, one alone does, or neither.
    """
    key = ["first", "second"]
    parts = [
        settled_pairs(scores).set_index(key).add_prefix(f"{name}_")
        for name, scores in (("given", original), ("made", generated))
    ]
    table = pd.concat(parts, axis=1).reset_index()
    same = np.sign(table["given_difference"]) == np.sign(table["made_difference"])
    count = table["given_settled"].astype(int) + table["made_settled"]
    both = np.where(same, AGREE, DISAGREE)
    table["verdict"] = np.where(count == 2, both, np.where(count == 1, ONE_SETTLES, UNDECIDED))
    return table


def half_tau(given: Scores, *, draws: int = 200, seed: int = 0) -> float:
    """The mean tau_b of two random halves of the given questions: the effect of chance."""
    rng = np.random.default_rng(seed)
    taus = []
    for _ in range(draws):
        order = rng.permutation(len(given.values))
        first, second = np.array_split(order, 2)
        taus.append(tau_b(given.values[first].mean(axis=0), given.values[second].mean(axis=0)))
    is_known = [tau for tau in taus if not np.isnan(tau)]
    return float(np.mean(is_known)) if is_known else float("nan")


def swings(by_maker: Mapping[str, Scores]) -> pd.DataFrame:
    """The rank of each condition, 1 the best, by each engine's questions, and its swing.

    Ties share the mean of their ranks. ``swing`` is the largest rank less the smallest.
    """
    ranks = {
        maker: pd.Series(scores.means, index=scores.conditions).rank(ascending=False)
        for maker, scores in by_maker.items()
    }
    table = pd.DataFrame(ranks)
    table["swing"] = table.max(axis=1) - table.min(axis=1)
    return table.rename_axis("condition").reset_index()
