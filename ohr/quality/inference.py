"""What predictions say of an engine as a whole, and of two engines: estimates with intervals.

A few transcribed pages correct the predictions: the estimate is the mean prediction over all
pages plus the mean error of prediction over the transcribed ones, so it is right whatever the
predictions are worth (Angelopoulos et al. 2023, *Prediction-powered inference*); how much weight
the predictions get is chosen so that the interval is shortest (their *PPI++*).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ohr.statistics.intervals import LEVEL

FEWEST_LABELLED = 8
FEWEST_DOCUMENTS = 5
"""With fewer, intervals are over pages, and what is said is said of these documents alone."""


@dataclass(frozen=True)
class Estimate:
    """A mean in its 95 % interval; ``labelled`` pages corrected it."""

    mean: float
    low: float
    high: float
    labelled: int = 0


def estimate(
    predicted: np.ndarray,
    documents: Sequence[str],
    bias: float,
    truth: np.ndarray | None = None,
    *,
    comparisons: int = 1,
) -> Estimate:
    """The mean error of the pages that were sampled.

    ``predicted`` is ``(n,)``, ``documents`` the document of each page, ``bias`` the deviation of
    a mean of predictions from the truth, ``truth`` ``(n,)`` with NaN for pages that nobody
    transcribed. Fewer than :data:`FEWEST_LABELLED` transcribed pages correct nothing.

    Transcribed pages are among all pages: what each adds to either mean is added up page by page
    before it is squared. The interval is Student's, of the transcribed pages (of all, where none
    correct) or, where these are of enough documents, of those documents. It is one of so many
    ``comparisons``, which hold at 95 % together (Bonferroni).
    """
    labelled = np.zeros(len(predicted), bool) if truth is None else ~np.isnan(truth)
    count = int(labelled.sum())
    if truth is None or count < FEWEST_LABELLED:
        mean, error = float(predicted.mean()), standard_error(predicted, documents)
        names = len(set(documents))
        degrees = (names if names >= FEWEST_DOCUMENTS else len(predicted)) - 1
        of_sampling = _student_t(degrees, comparisons) * error if degrees else math.inf
        reach = math.hypot(of_sampling, _deviations(comparisons) * bias)
        return Estimate(mean, mean - reach, mean + reach)
    weight = _weight(predicted, labelled, truth)
    left = truth[labelled] - weight * predicted[labelled]
    mean = float(weight * predicted.mean() + left.mean())
    of_predictions = weight * (predicted - predicted.mean()) / len(predicted)
    of_labelled = np.zeros(len(predicted))
    of_labelled[labelled] = (left - left.mean()) / count
    places = np.unique(np.asarray(documents), return_inverse=True)[1].ravel()
    reach = max(
        _reach(of_predictions, of_labelled, units, len(np.unique(units[labelled])), comparisons)
        for units in (np.arange(len(predicted)), places)
    )
    return Estimate(mean, mean - reach, mean + reach, count)


def _reach(
    of_predictions: np.ndarray,
    of_labelled: np.ndarray,
    units: np.ndarray,
    n_labelled: int,
    comparisons: int,
) -> float:
    """Half of the interval from what each page adds to the mean, summed by unit; 0 for few."""
    if n_labelled < FEWEST_DOCUMENTS:
        return 0.0
    n = int(units.max()) + 1
    sums = math.sqrt(n / (n - 1)) * np.bincount(units, weights=of_predictions)
    sums += math.sqrt(n_labelled / (n_labelled - 1)) * np.bincount(units, weights=of_labelled)
    return _student_t(n_labelled - 1, comparisons) * math.sqrt(float((sums**2).sum()))


def _student_t(degrees: float, comparisons: int) -> float:
    """Student's quantile of one of so many two-sided intervals that hold at 95 % together."""
    from scipy.special import stdtrit  # a tenth of a second: only where it is needed

    return float(stdtrit(degrees, 1 - (1 - LEVEL) / 2 / comparisons))


def _deviations(comparisons: int) -> float:
    """The same of a normal distribution."""
    return _student_t(math.inf, comparisons)


def _weight(predicted: np.ndarray, labelled: np.ndarray, truth: np.ndarray) -> float:
    """The weight of the predictions that makes the interval shortest, in [0, 1]."""
    known, of_known = truth[labelled], predicted[labelled]
    variance = float(predicted.var())
    if variance == 0:
        return 0.0
    share = len(known) / len(predicted)
    covariance = float(np.mean((known - known.mean()) * (of_known - of_known.mean())))
    return min(1.0, max(0.0, covariance / variance / (1 + share)))


def standard_error(values: np.ndarray, documents: Sequence[str]) -> float:
    """Of a mean of pages: by document, or by page where there are too few documents."""
    names, places = np.unique(np.asarray(documents), return_inverse=True)
    n = len(values)
    if n < 2:
        return math.inf
    centred = values - values.mean()
    by_page = math.sqrt(float((centred**2).sum()) / (n - 1) / n)
    if len(names) < FEWEST_DOCUMENTS:
        return by_page
    sums = np.bincount(places.ravel(), weights=centred)
    return max(by_page, math.sqrt(float((sums**2).sum()) * len(names) / (len(names) - 1)) / n)


@dataclass(frozen=True)
class Verdict:
    """Which of two readings of the same pages is nearer to the truth.

    ``winner`` is 0 or 1, or None where they do not differ significantly; then ``pages`` is how many
    would do, or None where no number would and only transcribed pages can. Where transcribed pages
    correct the difference, so many of these would have to be ``transcribed``: more pages alone make
    its interval hardly shorter.
    """

    difference: Estimate
    winner: int | None
    pages: int | None = None
    transcribed: int = 0


def compare(
    first: np.ndarray,
    second: np.ndarray,
    documents: Sequence[str],
    bias: float,
    truths: tuple[np.ndarray, np.ndarray] | None = None,
    *,
    comparisons: int = 1,
) -> Verdict:
    """Compare the predicted errors of two readings of the same pages; arguments as above.

    Where a pair is chosen for its errors, such as the best engine with another, ``comparisons``
    is the number of all pairs it was chosen of.
    """
    truth = None if truths is None else truths[0] - truths[1]
    gap = estimate(first - second, documents, bias, truth, comparisons=comparisons)
    if gap.low > 0 or gap.high < 0:
        return Verdict(gap, int(gap.mean > 0))
    sure = 0.0 if gap.labelled else bias
    z = _deviations(comparisons)
    of_sampling = ((gap.high - gap.low) / 2 / z) ** 2 - sure**2
    wanted = (gap.mean / z) ** 2 - sure**2
    if wanted <= 0 or not math.isfinite(of_sampling):
        return Verdict(gap, None)
    times = max(of_sampling, 0.0) / wanted
    return Verdict(gap, None, math.ceil(len(first) * times), math.ceil(gap.labelled * times))


def pages_to_transcribe(predicted: Sequence[float], count: int, seed: int) -> list[int]:
    """Places of the pages that a person should transcribe, in the order in which to do so.

    A systematic sample of the pages in the order of their predicted error (in their own order
    where that is NaN), so every page has the same chance and the mean needs no weights. Shuffled:
    however many of the first are transcribed, they are a random sample.
    """
    rng = np.random.default_rng(seed)
    order = np.argsort(np.asarray(predicted), kind="stable")
    count = min(count, len(order))
    if count == 0:
        return []
    start, step = rng.uniform(), len(order) / count
    chosen = [int(order[int((place + start) * step)]) for place in range(count)]
    return [chosen[place] for place in rng.permutation(count)]
