"""Bands of noise curves: how often they cover the whole true curve.

    python -m benchmarks.loss_bands [--simulations 200]

Studies are documents drawn from a population, with clean scores in [0, 1] that differ between
documents, and four intensities of noise, whose measured noise differs too. What noise takes is
simulated in several ways (:data:`KINDS`), on documents of equal and of very unequal size. The true
curve is that of 20,000 documents. Prints the share of studies whose band covers it everywhere, the
share in which the interval of the noise at which a tenth is lost holds the true one, and the mean
width of the band at its end. Takes about six minutes.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from benchmarks._tables import table
from ohr.statistics.clusters import Clusters
from ohr.statistics.loss_curves import LossCurve, loss_curve

DOCUMENTS = (5, 8, 14, 30, 60, 200)
POPULATION = 20_000
INTENSITIES = (0.25, 0.5, 0.75, 1.0)
RESAMPLES = 300


@dataclass(frozen=True)
class Study:
    """The questions of a simulated study before noise: each array is float ``(n,)``."""

    rng: np.random.Generator
    clean: np.ndarray
    chance: np.ndarray
    """In [0, 1], one number per document: those with a low one are lost first."""
    gamma: np.ndarray
    """How much noise costs the document; mean 1, sd .5."""
    exponential: np.ndarray
    """The same with sd 1, so that a few documents carry most of the loss."""
    normal: np.ndarray
    """The document's Gaussian loss; mean .2, sd .15."""

    def hit(self, chance: np.ndarray) -> np.ndarray:
        """The scores if each question is lost with some chance."""
        return np.where(self.rng.random(len(self.clean)) < np.clip(chance, 0, 1), 0, self.clean)


def _gaussian(study: Study, intensity: float) -> np.ndarray:
    noise = study.rng.normal(0, 0.2, len(study.clean))
    scores: np.ndarray = study.clean - study.normal * intensity + noise
    return scores


def _lost(study: Study, intensity: float) -> np.ndarray:
    return np.where(study.chance < 0.12 * intensity, 0, study.clean)


def _lost_and_some(study: Study, intensity: float) -> np.ndarray:
    rest = study.clean - 0.02 * intensity + study.rng.normal(0, 0.05, len(study.clean))
    return np.where(study.chance < 0.12 * intensity, 0, np.clip(rest, 0, 1))


def _mostly_lost(study: Study, intensity: float) -> np.ndarray:
    return np.where(study.chance < 0.88 * intensity, 0, study.clean)


def _nothing(study: Study, _: float) -> np.ndarray:
    return np.clip(study.clean + study.rng.normal(0, 0.1, len(study.clean)), 0, 1)


KINDS: Mapping[str, Callable[[Study, float], np.ndarray]] = {
    "Gaussian": _gaussian,
    "questions lost, evenly": lambda study, position: study.hit(0.4 * study.gamma * position),
    "questions lost, late": lambda study, position: study.hit(0.4 * study.gamma * position**3),
    "skewed": lambda study, position: study.hit(0.1 * study.exponential * position),
    "12 % of documents lost": _lost,
    "12 % of documents lost, others a little": _lost_and_some,
    "88 % of documents lost": _mostly_lost,
    "nothing lost": _nothing,
}
"""What noise takes: the scores of a study at an intensity."""


def simulated(
    rng: np.random.Generator, kind: str, documents: int, unequal: bool, resamples: int, seed: int
) -> LossCurve:
    """The loss curve of one simulated study."""
    spread = 0.9 if unequal else 0.0
    sizes = np.clip(np.round(rng.lognormal(1.6, spread, documents)), 1, 60).astype(int)
    index = np.repeat(np.arange(documents), sizes)
    n = len(index)
    study = Study(
        rng,
        np.clip(rng.normal(0.75, 0.25, documents)[index] + rng.normal(0, 0.3, n), 0, 1),
        rng.random(documents)[index],
        rng.gamma(4, 1 / 4, documents)[index],
        rng.gamma(1, 1, documents)[index],
        rng.normal(0.2, 0.15, documents)[index],
    )
    noise, quality = [np.clip(rng.normal(0.1, 0.03, n), 0, 1)], [study.clean]
    for intensity in INTENSITIES:
        more = 0.54 * intensity * rng.gamma(3, 1 / 3, documents)[index]
        noise.append(np.clip(noise[0] + more, 0, 1))
        quality.append(KINDS[kind](study, intensity))
    clusters = Clusters(index, documents, "document")
    return loss_curve(
        np.array(noise), np.array(quality), np.zeros(n), clusters, resamples=resamples, seed=seed
    )


@dataclass(frozen=True)
class Coverage:
    """Shares of the simulated studies."""

    band: float
    """Its band covers the true curve wherever both are known."""
    tenth: float
    """The interval of the noise at which a tenth is lost holds the true one."""
    width: float
    """Mean width of the band at its end."""


def coverage(kind: str, documents: int, unequal: bool, simulations: int) -> Coverage:
    """Simulate studies of some kind and size."""
    truth = simulated(np.random.default_rng(1), kind, POPULATION, unequal, 2, 0)
    true_tenth = truth.noise_at_loss()[0]
    covered, held, widths = 0, 0, []
    for seed in range(simulations):
        rng = np.random.default_rng([seed, documents])
        curve = simulated(rng, kind, documents, unequal, RESAMPLES, seed)
        position = np.interp(curve.added, truth.added, truth.fit)
        inside = curve.added <= truth.added[-1]
        within = (curve.low <= position + 1e-9) & (position <= curve.high + 1e-9)
        covered += bool(within[inside].all())
        _, low, high = curve.noise_at_loss()
        # "Not up to the end of the curve" is true of all that lies beyond it.
        end = float(curve.added[-1])
        held += bool(min(low, end) <= true_tenth <= high)
        widths.append(float(curve.high[-1] - curve.low[-1]))
    return Coverage(covered / simulations, held / simulations, float(np.mean(widths)))


def main() -> None:
    """Print a table for each rate."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--simulations", type=int, default=200)
    simulations = parser.parse_args().simulations
    settings = [(kind, unequal) for kind in KINDS for unequal in (False, True)]
    results = {
        (kind, unequal, documents): coverage(kind, documents, unequal, simulations)
        for kind, unequal in settings
        for documents in DOCUMENTS
    }
    titles = {
        "band": "the band covers the true curve",
        "tenth": "the interval holds the noise at which a tenth is lost",
        "width": "width of the band at its end",
    }
    for name, title in titles.items():
        rows = {
            f"{kind}{', unequal sizes' if unequal else ''}": [
                getattr(results[kind, unequal, n], name) for n in DOCUMENTS
            ]
            for kind, unequal in settings
        }
        table(f"{title}; documents:", rows, DOCUMENTS)


if __name__ == "__main__":
    main()
