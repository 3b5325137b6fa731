"""Compares engines and retrievers on your PDFs by retrieval, under the requested noise."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ohr.errors import OhrError
from ohr.statistics import BestOf, compare_with_best
from ohr.statistics.intervals import mean_interval
from ohr.study.output.rows import UNIT_COLUMNS
from ohr.study.results import StudyRun, clusters_of, rows_of

METRIC = "lcs"
"""The metric of retrieval."""


@dataclass(frozen=True)
class Choice:
    """Engines with retrievers, compared by each question's mean over the conditions."""

    settings: tuple[tuple[str, str], ...]
    """Engine and retriever of each candidate, in the order of ``compared``."""
    compared: BestOf
    levels: tuple[str, ...]
    """Levels of noise that the means are over; empty: clean pages."""
    clean: tuple[float, ...]
    """Each candidate's mean on clean pages."""
    not_distorted: tuple[str, ...]
    """Engines that read no page images, and so are not candidates under noise."""
    intervals: tuple[tuple[float, float], ...] = ()
    """Each candidate's 95 % interval of its mean, NaN if there is none."""
    is_same: tuple[bool, ...] = ()
    """Whether each candidate has the score of the best on every question."""

    @property
    def names(self) -> list[str]:
        """Each candidate's engine, with its retriever if there are several."""
        several = len({retriever for _, retriever in self.settings}) > 1
        return [f"{e} with {r}" if several else e for e, r in self.settings]

    @property
    def engines(self) -> dict[str, int]:
        """Each engine's candidate with the best mean; the best engine first."""
        means = [standing.mean for standing in self.compared.standings]
        order = sorted(range(len(means)), key=lambda i: -means[i])
        best: dict[str, int] = {}
        for i in order:
            best.setdefault(self.settings[i][0], i)
        return best

    def distance_from_first(self, candidate: int) -> float:
        """The difference between the best mean and a candidate's mean."""
        standings = self.compared.standings
        return standings[self.compared.first].mean - standings[candidate].mean


def choose(
    run: StudyRun,
    engines: Collection[str],
    qids: Collection[str] | None = None,
    *,
    clean_only: bool = False,
) -> Choice:
    """Compare the combinations of ``engines`` and retrievers by retrieval LCS.

    If noise was measured, a question's score is its mean over the levels; engines that read no
    page images are left out. ``qids`` are the questions, by default all. With ``clean_only``, noise
    does not count. All differences between two combinations are one family
    (:func:`ohr.statistics.compare_with_best`). They are tested once, whatever the looks at errors.
    """
    rows = rows_of(run.rows, "retrieval", METRIC)
    rows = rows[rows["engine"].isin(list(engines))]
    if qids is not None:
        rows = rows[rows["qid"].isin(list(qids))]
    if clean_only:
        rows = rows[rows["noise"] == "none"]
    levels = tuple(dict.fromkeys(rows.loc[rows["noise"] != "none", "level"]))
    scores = _question_means(rows[rows["level"].isin(levels)] if levels else rows)
    clean = _question_means(rows[rows["noise"] == "none"])
    complete = pd.DataFrame(scores).dropna()
    if complete.empty:
        named = ", ".join(dict.fromkeys(engine for engine, _ in scores))
        raise OhrError(f"nothing to compare: no question has a score of all of {named}")
    values = complete.to_numpy(dtype=float).T
    clusters = clusters_of(complete.index.to_frame(index=False))
    ends = [mean_interval(each, clusters, bounded=True) for each in values]
    [compared] = compare_with_best(
        [values],
        clusters,
        largest=1.0,
        seed=run.seed,
    )
    return Choice(
        tuple(scores),
        compared,
        levels,
        tuple(float(clean[setting].reindex(complete.index).mean()) for setting in scores),
        tuple(dict.fromkeys(rows.loc[~rows["engine"].isin(dict(scores.keys())), "engine"])),
        tuple((each.low, each.high) for each in ends),
        tuple(np.array_equal(each, values[compared.first]) for each in values),
    )


def _question_means(rows: pd.DataFrame) -> dict[tuple[str, str], pd.Series]:
    """For each engine and retriever, the mean of each question over the levels.

    NaN if a level has no score.
    """
    means = {}
    for (engine, retriever), some in rows.groupby(["engine", "retriever"], sort=False):
        by_level = some.pivot_table(index=list(UNIT_COLUMNS), columns="level", values="value")
        means[str(engine), str(retriever)] = by_level.mean(axis=1, skipna=False)
    return means
