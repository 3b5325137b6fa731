"""Bands of noise curves: how often they cover the whole true curve.

    python -m benchmarks.loss_bands [--simulations 120]

Studies are simulated: documents differ in how much noise costs them, questions in how noisy their
evidence is. Four intensities are drawn three times each. The true curve is that of 4,000 documents.
Prints the share of studies whose band covers it everywhere, for costs that grow evenly with noise,
late, and not at all. Takes about five minutes.
"""

from __future__ import annotations

import argparse

import numpy as np

from ohr.statistics.clusters import Clusters
from ohr.statistics.loss_curves import LossCurve, loss_curve

SIZES = ((8, 3), (24, 4), (60, 5))
"""Documents, and questions in each."""
SHAPES = {"even": (0.4, 1), "late": (0.4, 3), "none": (0.0, 1)}
"""The largest mean cost, and the power of the intensity that it grows with."""
TRUE_SIZE = (4000, 5)


def simulated(
    rng: np.random.Generator, size: tuple[int, int], shape: str, resamples: int, seed: int = 0
) -> LossCurve:
    """The loss curve of one simulated study."""
    documents, questions = size
    cost, power = SHAPES[shape]
    n = documents * questions
    index = np.repeat(np.arange(documents), questions)
    sensitivity = rng.gamma(4, 1 / 4, documents)[index]
    clean = (rng.random(n) < 0.7).astype(float)
    noise, quality = [np.clip(rng.normal(0.1, 0.03, n), 0, 1)], [clean]
    for intensity in (0.25, 0.5, 0.75, 1.0):
        for _ in range(3):
            noise.append(np.clip(0.1 + 0.54 * intensity * rng.gamma(3, 1 / 3, n), 0, 1))
            chance = np.clip(cost * sensitivity * intensity**power, 0, 1)
            quality.append(np.where(rng.random(n) < chance, 0, clean))
    clusters = Clusters(index, documents, "document")
    return loss_curve(
        np.array(noise), np.array(quality), np.zeros(n), clusters, resamples=resamples, seed=seed
    )


def main() -> None:
    """Print the coverage of each shape and size."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--simulations", type=int, default=120)
    simulations = parser.parse_args().simulations
    rng = np.random.default_rng(1)
    print("cost   documents  questions  covered")
    for shape in SHAPES:
        truth = simulated(rng, TRUE_SIZE, shape, 2)
        for size in SIZES:
            covered = 0
            for seed in range(simulations):
                curve = simulated(rng, size, shape, 300, seed)
                inside = (curve.x >= truth.x[0]) & (curve.x <= truth.x[-1])
                at = np.interp(curve.x, truth.x, truth.fit)
                fits = (curve.low <= at + 1e-9) & (at <= curve.high + 1e-9)
                covered += bool(fits[inside].all())
            print(f"{shape:5}  {size[0]:9}  {size[0] * size[1]:9}  {covered / simulations:.3f}")


if __name__ == "__main__":
    main()
