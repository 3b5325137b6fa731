"""Several seeds of one study: how much a number depends on the draw of the noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ohr.statistics.intervals import LEVEL


@dataclass(frozen=True, slots=True)
class SeedSummary:
    """Mean over seeds, their variance and standard deviation (n - 1), and a 95 % interval."""

    n_seeds: int
    mean: float
    variance: float
    sd: float
    low: float
    high: float


def summarise_seeds(values: np.ndarray) -> SeedSummary:
    """Summarise a number under several seeds, float ``(seeds,)``; NaNs are left out.

    The interval is Student's, mean ± t(n - 1) sd / sqrt(n). It is about other draws of the noise on
    the same questions; an interval over documents is about other documents. With fewer than two
    seeds, all but the mean is NaN. Source: Bouthillier et al., Accounting for variance in machine
    learning benchmarks, 2021.
    """
    is_known = values[~np.isnan(values)]
    n = len(is_known)
    mean = float(is_known.mean()) if n else float("nan")
    if n < 2:
        nan = float("nan")
        return SeedSummary(n, mean, nan, nan, nan, nan)
    variance = float(is_known.var(ddof=1))
    from scipy.special import stdtrit  # a tenth of a second: only where it is needed

    half = float(stdtrit(n - 1, (1 + LEVEL) / 2)) * (variance / n) ** 0.5
    return SeedSummary(n, mean, variance, variance**0.5, mean - half, mean + half)
