"""Estimates the error of an engine, and the difference of two, from predictions, with intervals.

A few transcribed pages correct the predictions: the estimate is the mean prediction over all pages
plus the mean error of prediction over the transcribed ones, so it is valid even if the predictions
are bad (Angelopoulos et al. 2023, *Prediction-powered inference*). The weight of the predictions is
chosen so that the interval is shortest (their *PPI++*).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ohr.statistics.inference import ALPHA

FEWEST_LABELLED = 8
FEWEST_DOCUMENTS = 5
"""With fewer documents, intervals are over pages, and hold only for these documents."""
UNSEEN = 0.5
"""Error by which two outputs of a page that was not read may differ, either way. On most pages
engines hardly differ (by 0.003, the median of 384 pages of filings), and on a few by 0.4 to 0.8. A
sample without such a page looks surer than it is, so a comparison has to hold with one more. The
value was chosen with those filings in view."""
_MOST_TIMES = 2.0**40


@dataclass(frozen=True)
class Estimate:
    """A mean with its 95 % interval; ``labelled`` is the number of pages that corrected it."""

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
    alpha: float = ALPHA,
) -> Estimate:
    """Estimate the mean error of sampled pages.

    ``predicted`` is ``(n,)``, ``documents`` the document of each page, ``bias`` the deviation of
    a mean of predictions from the truth, ``truth`` ``(n,)`` with NaN for pages that were not
    transcribed. Fewer than :data:`FEWEST_LABELLED` transcribed pages correct nothing.

    Transcribed pages are among all pages, so the contributions of a page to both means are added
    before they are squared. The interval is Student's, over the transcribed pages (over all pages
    if none correct) or, if these are of enough documents, over their documents. ``alpha``, in
    (0, 1), is the chance that it misses the mean.
    """
    labelled = np.zeros(len(predicted), bool) if truth is None else ~np.isnan(truth)
    count = int(labelled.sum())
    if truth is None or count < FEWEST_LABELLED:
        mean, error = float(predicted.mean()), standard_error(predicted, documents)
        names = len(set(documents))
        degrees = (names if names >= FEWEST_DOCUMENTS else len(predicted)) - 1
        of_sampling = _student_t(degrees, alpha) * error if degrees else math.inf
        reach = math.hypot(of_sampling, _deviations(alpha) * bias)
        return Estimate(mean, mean - reach, mean + reach)
    weight = _weight(predicted, labelled, truth)
    remaining = truth[labelled] - weight * predicted[labelled]
    mean = float(weight * predicted.mean() + remaining.mean())
    of_predictions = weight * (predicted - predicted.mean()) / len(predicted)
    of_labelled = np.zeros(len(predicted))
    of_labelled[labelled] = (remaining - remaining.mean()) / count
    places = np.unique(np.asarray(documents), return_inverse=True)[1].ravel()
    reach = max(
        _reach(of_predictions, of_labelled, units, len(np.unique(units[labelled])), alpha)
        for units in (np.arange(len(predicted)), places)
    )
    return Estimate(mean, mean - reach, mean + reach, count)


def _reach(
    of_predictions: np.ndarray,
    of_labelled: np.ndarray,
    units: np.ndarray,
    n_labelled: int,
    alpha: float,
) -> float:
    """Half the interval, from each page's contributions, summed by unit; 0 for too few units."""
    if n_labelled < FEWEST_DOCUMENTS:
        return 0.0
    n = int(units.max()) + 1
    sums = math.sqrt(n / (n - 1)) * np.bincount(units, weights=of_predictions)
    sums += math.sqrt(n_labelled / (n_labelled - 1)) * np.bincount(units, weights=of_labelled)
    return _student_t(n_labelled - 1, alpha) * math.sqrt(float((sums**2).sum()))


def _student_t(degrees: float, alpha: float) -> float:
    """Student's quantile for a two-sided interval that errs with ``alpha``."""
    from scipy.special import stdtrit  # takes a tenth of a second: imported only when needed

    return float(stdtrit(degrees, 1 - alpha / 2))


def _deviations(alpha: float) -> float:
    """The same quantile of a normal distribution."""
    return _student_t(math.inf, alpha)


def _weight(predicted: np.ndarray, labelled: np.ndarray, truth: np.ndarray) -> float:
    """The weight of the predictions that makes the interval shortest, in [0, 1]."""
    known_values, of_known = truth[labelled], predicted[labelled]
    variance = float(predicted.var())
    if variance == 0:
        return 0.0
    share = len(known_values) / len(predicted)
    covariance = float(np.mean((known_values - known_values.mean()) * (of_known - of_known.mean())))
    return min(1.0, max(0.0, covariance / variance / (1 + share)))


def standard_error(values: np.ndarray, documents: Sequence[str]) -> float:
    """The standard error of a mean over pages: by document, or by page for few documents."""
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
class OutputComparison:
    """Which of two OCR outputs of the same pages is nearer to the truth.

    ``winner`` is 0 or 1, or None if they do not differ significantly. Then ``pages`` is the number
    of pages that would be enough, or None if no number would be and only transcribed pages can
    help. If transcribed pages correct the difference, ``transcribed`` of the pages would have to
    be transcribed: more pages alone hardly shorten the interval. ``needs_truth`` says that no
    number of pages would be enough at either end of the interval of sampling: the predictions are
    too uncertain.
    """

    difference: Estimate
    winner: int | None
    pages: int | None = None
    transcribed: int = 0
    needs_truth: bool = False


def compare(
    first: np.ndarray,
    second: np.ndarray,
    documents: Sequence[str],
    bias: float,
    truths: tuple[np.ndarray, np.ndarray] | None = None,
    *,
    alpha: float = ALPHA,
) -> OutputComparison:
    """Compare the predicted errors of two OCR outputs of the same pages; arguments as above.

    The interval of the difference has room for one more page that differs by :data:`UNSEEN`.
    ``alpha`` is the chance of a false winner. If the pair was chosen by its errors, such as the
    best engine with another, the alpha of all pairs is to be divided by their number (Bonferroni).
    """
    truth = None if truths is None else truths[0] - truths[1]
    seen = estimate(first - second, documents, bias, truth, alpha=alpha)
    pages = seen.labelled or len(first)
    unseen = UNSEEN / (pages + 1)
    gap = replace(seen, low=seen.low - unseen, high=seen.high + unseen)
    if gap.low > 0 or gap.high < 0:
        return OutputComparison(gap, int(gap.mean > 0))
    sure = 0.0 if gap.labelled else bias
    z = _deviations(alpha)
    variance = ((seen.high - seen.low) / 2 / z) ** 2 - sure**2
    if abs(gap.mean) <= z * sure or not math.isfinite(variance):
        farthest = abs(gap.mean) + z * math.sqrt(max(variance, 0.0))
        return OutputComparison(gap, None, needs_truth=farthest < _deviations(ALPHA) * sure)

    def is_shown(times: float) -> bool:
        reach = z * math.sqrt(max(variance, 0.0) / times + sure**2)
        return abs(gap.mean) > reach + UNSEEN / (pages * times + 1)

    times = _least(is_shown)
    return OutputComparison(
        gap, None, math.ceil(len(first) * times), math.ceil(gap.labelled * times)
    )


def _least(is_enough: Callable[[float], bool]) -> float:
    """The least factor from 1 that is enough, to a thousandth of it."""
    high = 1.0
    while not is_enough(high) and high < _MOST_TIMES:
        high *= 2
    low = max(1.0, high / 2)
    while high - low > low / 1000:
        middle = (low + high) / 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def pages_to_transcribe(predicted: Sequence[float], count: int, seed: int) -> list[int]:
    """Places of the pages that a person should transcribe, in order.

    They are a systematic sample of the pages sorted by predicted error (in their order if that is
    NaN), so every page has the same chance and the mean needs no weights. They are shuffled, so
    that the first ones are a random sample too, however many are transcribed.
    """
    rng = np.random.default_rng(seed)
    order = np.argsort(np.asarray(predicted), kind="stable")
    count = min(count, len(order))
    if count == 0:
        return []
    start, step = rng.uniform(), len(order) / count
    chosen = [int(order[int((place + start) * step)]) for place in range(count)]
    return [chosen[place] for place in rng.permutation(count)]
