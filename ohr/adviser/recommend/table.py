"""Which engine and retriever do best on a user's PDFs, under the noise that was asked for."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import pandas as pd

from ohr.errors import OhrError
from ohr.statistics import BestOf, compare_with_best
from ohr.study.output.rows import UNIT_COLUMNS
from ohr.study.results import Run, clusters_of, measured

METRIC = "lcs"
"""Retrieval is judged by it."""


@dataclass(frozen=True)
class Choice:
    """Engines with retrievers, compared by each question's mean over the conditions."""

    settings: tuple[tuple[str, str], ...]
    """Engine and retriever of each candidate, in the order of ``compared``."""
    compared: BestOf
    levels: tuple[str, ...]
    """Levels of noise that the means are over; none: the pages as they are."""
    clean: tuple[float, ...]
    """Each candidate's mean over the pages as they are."""
    not_distorted: tuple[str, ...]
    """Engines that no page image is given to: under noise they are not candidates."""

    @property
    def names(self) -> list[str]:
        """Each candidate's engine, with its retriever where there are several."""
        several = len({retriever for _, retriever in self.settings}) > 1
        return [f"{e} with {r}" if several else e for e, r in self.settings]

    @property
    def engines(self) -> dict[str, int]:
        """Each engine's candidate with the best mean; the best engine first."""
        means = [one.mean for one in self.compared.standings]
        order = sorted(range(len(means)), key=lambda i: -means[i])
        best: dict[str, int] = {}
        for i in order:
            best.setdefault(self.settings[i][0], i)
        return best

    def behind_first(self, candidate: int) -> float:
        """How far a candidate's mean lies behind the best one."""
        standings = self.compared.standings
        return standings[self.compared.first].mean - standings[candidate].mean


def choose(run: Run, engines: Collection[str]) -> Choice:
    """Compare the combinations of ``engines`` and retrievers by retrieval LCS.

    Where noise was measured, a question's score is its mean over the levels, each counted once;
    an engine that reads no page images has none and is left out. All differences between two
    combinations are one family (:func:`ohr.statistics.compare_with_best`).
    """
    rows = measured(run.rows, "retrieval", METRIC)
    rows = rows[rows["engine"].isin(list(engines))]
    levels = tuple(dict.fromkeys(rows.loc[rows["noise"] != "none", "level"]))
    scores = _by_question(rows[rows["level"].isin(levels)] if levels else rows)
    clean = _by_question(rows[rows["noise"] == "none"])
    there = pd.DataFrame(scores).dropna()
    if there.empty:
        named = ", ".join(dict.fromkeys(engine for engine, _ in scores))
        raise OhrError(f"nothing to compare: no question has a score of all of {named}")
    [compared] = compare_with_best(
        [there.to_numpy(dtype=float).T],
        clusters_of(there.index.to_frame(index=False)),
        largest=1.0,
        seed=run.seed,
    )
    return Choice(
        tuple(scores),
        compared,
        levels,
        tuple(float(clean[setting].reindex(there.index).mean()) for setting in scores),
        tuple(dict.fromkeys(rows.loc[~rows["engine"].isin(dict(scores.keys())), "engine"])),
    )


def _by_question(rows: pd.DataFrame) -> dict[tuple[str, str], pd.Series]:
    """Of each engine and retriever the mean of each question over the levels.

    NaN where a level has no score.
    """
    means = {}
    for (engine, retriever), some in rows.groupby(["engine", "retriever"], sort=False):
        by_level = some.pivot_table(index=list(UNIT_COLUMNS), columns="level", values="value")
        means[str(engine), str(retriever)] = by_level.mean(axis=1, skipna=False)
    return means
