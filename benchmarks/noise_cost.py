"""How often the interval of a mean noise cost holds the true cost, in simulated studies.

    python -m benchmarks.noise_cost [--simulations 400]

A population of documents of unequal size, with scores in [0, 1] of a baseline and of a condition on
clean pages and under noises, has a known mean noise cost. Studies are documents drawn from it. Each
gives an interval (:func:`ohr.analysis.noise_cost.table.cost_of`), which is unbounded where the
baseline's own loss may be 0. Prints the tables of ``docs/reference/intervals-checked.md``.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np

from benchmarks._tables import table
from ohr.analysis.noise_cost.table import AT_BASELINE, Losses, cost_of
from ohr.statistics import Clusters

DOCUMENTS = (5, 10, 30, 100, 200)
POPULATION = 20_000
"""Documents of the population, whose mean losses are the truth."""


@dataclass(frozen=True)
class Setting:
    """A kind of study: what noise costs the baseline, and the condition."""

    title: str
    baseline: tuple[float, ...]
    """Mean losses of the baseline's latent scores, one per noise."""
    condition: float
    """The condition's latent loss relative to the baseline's."""
    failing: float = 0.0
    """Share of the documents on which a noise makes every score 0."""
    same: bool = True
    """Whether both fail on the same documents."""
    equal_sizes: bool = False
    """Whether all documents have eight questions; otherwise 1 to about 40."""
    gaussian: bool = False
    """Whether losses are Gaussian: the same mean, no scores cut to [0, 1], no skewed harm."""


SETTINGS = (
    Setting("large losses, half the baseline's", (0.3, 0.4), 0.5),
    Setting("large losses, equal", (0.3, 0.4), 1.0),
    Setting("moderate losses, half the baseline's", (0.1, 0.15), 0.5),
    Setting("moderate losses, equal", (0.1, 0.15), 1.0),
    Setting("moderate losses, twice the baseline's", (0.1, 0.15), 2.0),
    Setting("small losses, equal", (0.04, 0.06), 1.0),
    Setting("one noise, moderate loss, equal", (0.1,), 1.0),
    Setting("Gaussian losses, half the baseline's", (0.1, 0.15), 0.5, gaussian=True),
    Setting("12 % of documents lost, equal", (0.02, 0.02), 1.0, failing=0.12),
    Setting("12 % of documents lost, others", (0.02, 0.02), 1.0, failing=0.12, same=False),
    Setting("the same, documents of equal size", (0.02, 0.02), 1.0, 0.12, False, True),
    Setting("nothing else is lost", (0.0, 0.0), 1.0, 0.12, False),
)


@dataclass(frozen=True)
class Population:
    """Losses of every question: float ``(noises, n)`` of the condition and of the baseline."""

    condition: np.ndarray
    baseline: np.ndarray
    first: np.ndarray
    """The first question of each document, int ``(documents + 1,)``; the last is n."""

    @property
    def cost(self) -> float:
        """The true mean noise cost."""
        return AT_BASELINE * float(self.condition.mean() / self.baseline.mean())

    def study(self, documents: int, rng: np.random.Generator) -> Losses:
        """The losses on documents drawn at random."""
        drawn = rng.choice(len(self.first) - 1, documents, replace=False)
        questions = [np.arange(self.first[i], self.first[i + 1]) for i in drawn]
        owners = np.repeat(np.arange(documents), [len(part) for part in questions])
        places = np.concatenate(questions)
        return Losses(
            self.condition[:, places],
            self.baseline[:, places],
            Clusters(owners, documents, "document"),
            tuple(str(noise) for noise in range(len(self.baseline))),
        )


def population(setting: Setting, rng: np.random.Generator) -> Population:
    """All documents of a setting.

    A document has 1 question or more, 8 on average. A score is .6 and a part of the document, of
    the question, of the side and of the side with the question, cut to [0, 1], so many are 0 or 1.
    A noise takes more from some documents than from others, and nearly the same ones of both sides.
    """
    sizes = 1 + rng.geometric(0.5, POPULATION) * rng.integers(0, 8, POPULATION)
    sizes = np.full(POPULATION, 8) if setting.equal_sizes else sizes
    owners = np.repeat(np.arange(POPULATION), sizes)
    n, noises = len(owners), len(setting.baseline)
    shared = 0.6 + rng.normal(0, 0.25, POPULATION)[owners] + rng.normal(0, 0.35, n)
    harm = rng.gamma(2, 0.5, (noises, POPULATION))  # mean 1
    failing = rng.random((noises, POPULATION)) < setting.failing
    losses = []
    for ratio in (setting.condition, 1.0):
        if setting.gaussian:
            means = ratio * np.array(setting.baseline)[:, None]
            of_document = rng.normal(means, 0.1, (noises, POPULATION))
            losses.append(of_document[:, owners] + rng.normal(0, 0.2, (noises, n)))
            continue
        latent = shared + rng.normal(0, 0.1, POPULATION)[owners] + rng.normal(0, 0.2, n)
        own = harm * rng.gamma(4, 0.25, (noises, POPULATION))
        taken = ratio * np.array(setting.baseline)[:, None] * own
        noisy = latent - taken[:, owners]
        noisy += rng.normal(0, 0.2, (noises, n)) * (taken[:, owners] > 0)
        fails = failing if setting.same else rng.random(failing.shape) < setting.failing
        scores = np.where(fails[:, owners], 0.0, np.clip(noisy, 0, 1))
        losses.append(np.clip(latent, 0, 1) - scores)
    first = np.concatenate([[0], np.cumsum(sizes)])
    return Population(losses[0], losses[1], first)


@dataclass(frozen=True)
class Rates:
    """What became of the simulated studies, as shares of all; widths are medians."""

    covered: float
    """Of the studies with a cost, the share whose interval, bounded or not, holds the truth."""
    bounded: float
    """Share of all studies whose interval is bounded."""
    covered_bounded: float
    """Of these, the share whose interval holds the truth; NaN if they are fewer than 30."""
    undefined: float
    """Share in which the baseline loses nothing."""
    width: float
    """Of the bounded intervals."""


FEWEST = 30
"""With fewer studies a share says nothing."""


def rates(setting: Setting, documents: int, simulations: int) -> Rates:
    """Simulate studies with some number of documents."""
    rng = np.random.default_rng([SETTINGS.index(setting), documents])
    everything = population(setting, np.random.default_rng(SETTINGS.index(setting)))
    truth = everything.cost
    records = [cost_of(everything.study(documents, rng)) for _ in range(simulations)]
    ends = np.array([[record["ci_low"], record["ci_high"]] for record in records]).T
    is_known = ~np.isnan(ends[0])
    bounded = np.isfinite(ends[0])
    inside = (ends[0] <= truth) & (truth <= ends[1])
    nan = float("nan")
    return Rates(
        float(inside[is_known].mean()) if is_known.any() else nan,
        float(bounded.mean()),
        float(inside[bounded].mean()) if bounded.sum() >= min(FEWEST, simulations) else nan,
        float((~is_known).mean()),
        float(np.median(ends[1][bounded] - ends[0][bounded])) if bounded.any() else nan,
    )


def main() -> None:
    """Print every table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=400)
    options = parser.parse_args()
    results = {}
    for setting in SETTINGS:
        for n in DOCUMENTS:
            results[setting, n] = rates(setting, n, options.simulations)
            print(f"{setting.title}, {n} documents: {results[setting, n]}", flush=True)
    titles = {
        "covered": "holds the truth",
        "bounded": "is bounded",
        "covered_bounded": "holds the truth, where bounded",
        "undefined": "no cost, since the baseline loses nothing",
        "width": "median width, where bounded",
    }
    for name, title in titles.items():
        rows = {
            setting.title: [getattr(results[setting, n], name) for n in DOCUMENTS]
            for setting in SETTINGS
        }
        table(f"{title}; documents:", rows, DOCUMENTS, digits=0 if name == "width" else 3)


if __name__ == "__main__":
    main()
