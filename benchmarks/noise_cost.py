"""How often the interval of a mean noise cost holds the true cost, in simulated studies.

    python -m benchmarks.noise_cost [--simulations 400]

A population of documents of unequal size, with scores in [0, 1] of a baseline and of a condition on
clean pages and under noises, has a known mean noise cost. Studies are documents drawn from it. Each
gives an interval (:func:`ohr.analysis.noise_cost.table.cost_of`), unless the baseline's own loss
reaches 0 under all noises. Prints the tables of ``docs/reference/intervals.md``.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np

from ohr.analysis.noise_cost.table import AT_BASELINE, Losses, cost_of
from ohr.statistics import Clusters

DOCUMENTS = (10, 30, 100)
POPULATION = 20_000
"""Documents of the population, whose mean losses are the truth."""
RESAMPLES = 1000
"""Those of a study by default."""


@dataclass(frozen=True)
class Setting:
    """A kind of study: what noise costs the baseline, and the condition."""

    title: str
    baseline: tuple[float, ...]
    """Mean losses of the baseline's latent scores, one per noise."""
    condition: float
    """The condition's latent loss relative to the baseline's."""
    failing: float = 0.0
    """Share of the documents on which a noise makes every score of both 0."""


SETTINGS = (
    Setting("large losses, half the baseline's", (0.3, 0.4), 0.5),
    Setting("large losses, equal", (0.3, 0.4), 1.0),
    Setting("moderate losses, half the baseline's", (0.1, 0.15), 0.5),
    Setting("moderate losses, equal", (0.1, 0.15), 1.0),
    Setting("moderate losses, twice the baseline's", (0.1, 0.15), 2.0),
    Setting("small losses, equal", (0.04, 0.06), 1.0),
    Setting("one noise, moderate loss, equal", (0.1,), 1.0),
    Setting("one document in ten fails, equal", (0.02, 0.02), 1.0, failing=0.1),
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
        """The true mean noise cost, over all noises."""
        return AT_BASELINE * float(
            (self.condition.mean(axis=1) / self.baseline.mean(axis=1)).mean()
        )

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
    owners = np.repeat(np.arange(POPULATION), sizes)
    n, noises = len(owners), len(setting.baseline)
    shared = 0.6 + rng.normal(0, 0.25, POPULATION)[owners] + rng.normal(0, 0.35, n)
    harm = rng.gamma(2, 0.5, (noises, POPULATION))  # mean 1
    fails = rng.random((noises, POPULATION)) < setting.failing
    losses = []
    for ratio in (setting.condition, 1.0):
        latent = shared + rng.normal(0, 0.1, POPULATION)[owners] + rng.normal(0, 0.2, n)
        own = harm * rng.gamma(4, 0.25, (noises, POPULATION))
        taken = ratio * np.array(setting.baseline)[:, None] * own
        noisy = latent - taken[:, owners] + rng.normal(0, 0.2, (noises, n))
        scores = np.where(fails[:, owners], 0.0, np.clip(noisy, 0, 1))
        losses.append(np.clip(latent, 0, 1) - scores)
    first = np.concatenate([[0], np.cumsum(sizes)])
    return Population(losses[0], losses[1], first)


@dataclass(frozen=True)
class Rates:
    """What became of the simulated studies, as shares of all; widths are medians."""

    covered: float
    """Of the studies with an interval, the share whose interval holds the truth; else NaN."""
    undefined: float
    part_undefined: float
    """Share in which some noises count and others do not."""
    too_low: float
    """Of those with an interval, the share whose interval lies below the truth."""
    width: float


def rates(setting: Setting, documents: int, simulations: int) -> Rates:
    """Simulate studies with some number of documents."""
    rng = np.random.default_rng([SETTINGS.index(setting), documents])
    everything = population(setting, np.random.default_rng(SETTINGS.index(setting)))
    truth = everything.cost
    low, high, left_out = [], [], []
    for number in range(simulations):
        record = cost_of(everything.study(documents, rng), RESAMPLES, number)
        low.append(record["ci_low"])
        high.append(record["ci_high"])
        left_out.append(record["n_undefined"])
    ends = np.array([low, high])
    known = ~np.isnan(ends[0])
    noises = len(setting.baseline)
    nothing, some = np.equal(left_out, noises), np.greater(left_out, 0)
    inside = (ends[0] <= truth) & (truth <= ends[1])
    nan = float("nan")
    return Rates(
        float(inside[known].mean()) if known.any() else nan,
        float(nothing.mean()),
        float((some & ~nothing).mean()),
        float((ends[1][known] < truth).mean()) if known.any() else nan,
        float(np.median(ends[1][known] - ends[0][known])) if known.any() else nan,
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
        "covered": "holds the truth, where defined",
        "undefined": "undefined",
        "part_undefined": "some noises left out",
        "too_low": "lies below the truth, where defined",
        "width": "median width",
    }
    for name, title in titles.items():
        print(f"\n| {title}; documents: | {' | '.join(map(str, DOCUMENTS))} |")
        print(f"| --- {'| ---: ' * len(DOCUMENTS)}|")
        for setting in SETTINGS:
            values = [getattr(results[setting, n], name) for n in DOCUMENTS]
            shown = [f"{v:.0f}" if name == "width" else f"{v:.3f}".lstrip("0") for v in values]
            print(f"| {setting.title} | {' | '.join(shown)} |")


if __name__ == "__main__":
    main()
