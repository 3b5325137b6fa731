"""How much of a score's spread comes from a model that answers differently each time.

Each of ``n`` questions is scored in ``k`` repeats. The variance of one answer's score is that
between the questions (their expected scores) and that within a question, over its repeats: a random
effects model with one random factor. A mean over ``k`` repeats has the variance within a question
divided by ``k``. The interval of the mean over clusters of questions contains both parts, since
each question's mean contains what is left of the second.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ohr.statistics.clusters import Clusters
from ohr.statistics.intervals import jackknife_error


@dataclass(frozen=True, slots=True)
class RepeatSpread:
    """The spread of ``repeats`` scores of each of ``n`` questions."""

    repeats: int
    n: int
    mean: float
    sd_within: float
    """Standard deviation of the scores of one question, pooled over the questions."""
    share_of_variance: float
    """Part of the variance of one answer's score that is within a question; NaN without any."""
    share_of_interval: float
    """Part of the squared standard error of the mean that is due to the model; NaN without one."""
    lowest_mean: float
    """The lowest of the means that single repeats give, and the highest."""
    highest_mean: float
    sd_of_means: float
    same_score: float
    """Share of questions whose repeats all have the same score."""


def repeat_spread(scores: np.ndarray, clusters: Clusters) -> RepeatSpread:
    """The spread of scores ``(k, n)``, finite, of ``k`` ≥ 2 repeats of ``n`` ≥ 1 questions.

    The variance between questions is that of their means, less what the repeats leave in it; it is
    0 where that is negative.
    """
    repeats, n = scores.shape
    means = scores.mean(axis=0)
    within = float(scores.var(axis=0, ddof=1).mean())
    between = max(0.0, float(means.var(ddof=1)) - within / repeats) if n > 1 else 0.0
    total = between + within
    mean = float(means.mean())
    error = float("nan")
    if clusters.unit:
        error = jackknife_error(mean, clusters.means_without(means))
    of_model = within / (repeats * n)
    by_repeat = scores.mean(axis=1)
    return RepeatSpread(
        repeats,
        n,
        mean,
        float(np.sqrt(within)),
        within / total if total > 0 else float("nan"),
        min(1.0, of_model / error**2) if error > 0 else float("nan"),
        float(by_repeat.min()),
        float(by_repeat.max()),
        float(by_repeat.std(ddof=1)),
        float((np.ptp(scores, axis=0) < 1e-9).mean()),
    )


def same_pairs(answers: list[list[str]]) -> float:
    """The share of pairs of repeats with the same answer; ``answers``: a list for each repeat.

    Case and spaces do not count. NaN without two repeats of a question.
    """
    plain = [[" ".join(text.casefold().split()) for text in repeat] for repeat in answers]
    same = [
        first == second
        for repeat, earlier in combinations(plain, 2)
        for first, second in zip(repeat, earlier, strict=True)
    ]
    return float(np.mean(same)) if same else float("nan")
