"""Whether made questions rank conditions as given ones do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from ohr.errors import OhrError
from ohr.statistics.clusters import Clusters
from ohr.statistics.multiple import holm
from ohr.statistics.paired import sign_flip_test
from ohr.study.conditions import CONDITION_COLUMNS
from ohr.study.config import BUILT_IN
from ohr.study.results import Run, knowledge_base_name

CONDITION = list(CONDITION_COLUMNS)
SIGNIFICANT = 0.05


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


def scores_of(run: Run, stage: str, metric: str) -> Scores:
    """The scores of a run's questions that every condition has, the mean of the draws of a noise.

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
    """What conditions are called: the knowledge base, and what is asked of it, with the number of
    hits where there are several. Raises OhrError for two of one name.
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
    """Kendall's tau_b of two rankings, ``(k,)`` each; NaN where one has no order.

    Source: Kendall, The treatment of ties in ranking problems, 1945.
    """
    dx = np.sign(np.subtract.outer(x, x))
    dy = np.sign(np.subtract.outer(y, y))
    scale = np.sqrt((dx * dx).sum() * (dy * dy).sum())
    return float((dx * dy).sum() / scale) if scale > 0 else float("nan")


def tau_interval(
    given: Scores, made: Scores, *, resamples: int = 2000, seed: int = 0
) -> tuple[float, float]:
    """95 % percentile interval of tau_b over documents drawn with replacement.

    Both sets of questions are of the same documents, which are drawn together.
    """
    documents = np.unique(np.concatenate([given.documents, made.documents]))
    rng = np.random.default_rng(seed)
    draws = rng.multinomial(len(documents), np.full(len(documents), 1 / len(documents)), resamples)
    sums = []
    for one in (given, made):
        index = np.searchsorted(documents, one.documents)
        by_document = np.zeros((len(documents), one.values.shape[1]))
        np.add.at(by_document, index, one.values)
        counts = np.bincount(index, minlength=len(documents))
        sums.append((draws @ by_document) / np.maximum(draws @ counts, 1)[:, None])
    taus = [tau_b(a, b) for a, b in zip(*sums, strict=True)]
    low, high = np.nanquantile(taus, [0.025, 0.975])
    return float(low), float(high)


def differences(given: Scores, made: Scores) -> pd.DataFrame:
    """Every pair of conditions: its difference on both sets, p on the given ones (Holm), and
    whether the signs agree.
    """
    clusters = Clusters.of(given.documents, given.pages)
    rows = []
    for a, b in combinations(range(len(given.conditions)), 2):
        apart = given.values[:, b] - given.values[:, a]
        other = made.values[:, b] - made.values[:, a]
        p = sign_flip_test(apart, clusters) if clusters.unit else float("nan")
        rows.append(
            {
                "first": given.conditions[a],
                "second": given.conditions[b],
                "given": float(apart.mean()),
                "made": float(other.mean()),
                "p": p,
            }
        )
    table = pd.DataFrame(rows)
    table["p_holm"] = holm(table["p"].to_numpy())
    table["significant"] = table["p_holm"] <= SIGNIFICANT
    table["same_sign"] = np.sign(table["given"]) == np.sign(table["made"])
    return table


def reversed_on_made(table: pd.DataFrame, made: Scores) -> pd.DataFrame:
    """Significant differences of the given questions whose sign made ones reverse, with the p
    that they have on these, corrected by Holm's method over the differences reversed.
    """
    wrong = table[table["significant"] & ~table["same_sign"]]
    clusters = Clusters.of(made.documents, made.pages)
    place = {name: at for at, name in enumerate(made.conditions)}
    ps = []
    for row in wrong.to_dict("records"):
        first, second = (place[str(row[name])] for name in ("first", "second"))
        apart = made.values[:, second] - made.values[:, first]
        ps.append(sign_flip_test(apart, clusters) if clusters.unit else float("nan"))
    return wrong.assign(p_made=ps, p_made_holm=holm(np.array(ps, dtype=float)))


def half_tau(given: Scores, *, draws: int = 200, seed: int = 0) -> float:
    """The mean tau_b of two random halves of the given questions: what chance alone leaves."""
    rng = np.random.default_rng(seed)
    taus = []
    for _ in range(draws):
        order = rng.permutation(len(given.values))
        first, second = np.array_split(order, 2)
        taus.append(tau_b(given.values[first].mean(axis=0), given.values[second].mean(axis=0)))
    known = [tau for tau in taus if not np.isnan(tau)]
    return float(np.mean(known)) if known else float("nan")


def swings(by_maker: Mapping[str, Scores]) -> pd.DataFrame:
    """The rank of each condition, 1 the best, by the questions of each maker, and its swing.

    Ties share the mean of their ranks. ``swing`` is the largest rank less the smallest.
    """
    ranks = {
        maker: pd.Series(one.means, index=one.conditions).rank(ascending=False)
        for maker, one in by_maker.items()
    }
    table = pd.DataFrame(ranks)
    table["swing"] = table.max(axis=1) - table.min(axis=1)
    return table.rename_axis("condition").reset_index()
