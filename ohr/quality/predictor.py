"""Predicts a page's errors from the signals that it has.

Signals and errors, each on a scale on which they are roughly normal, are modelled as jointly
normal. The prediction is the conditional mean of an error given the page's signals, so a missing
signal makes it less certain but needs no replacement. The model is a mean and a covariance. Its
intervals are conformal: their widths below and above are quantiles of the differences between
prediction and truth on domains that were left out, in units of the conditional deviation, with the
same weight for every domain (Lei et al. 2018, section 5.2; Dunn, Wasserman & Ramdas 2022 for groups
of pages).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from ohr.quality.bounds import Apart, possible_errors
from ohr.quality.signals import EARLIER_NAMES, SIGNALS
from ohr.quality.truth import DECISIVE, TARGETS

FORM = 3
"""Of the model's file. 2 has the kinds of pages, 3 the shifts of their means."""
COVERAGE = 0.9
LEAST_COVERAGE = 0.85
"""Least share of the pages of a kind left out of a fit that 90 % intervals must contain."""
FEWEST_DOCUMENTS = 5
"""Fewest documents of a kind or writing system that can show that predictions hold for it."""
OFFSET = 0.01
"""Added to a rate before its logarithm; errors below it look the same."""
OFFSET_OF_PASSAGES = 0.05
"""The same for a share of passages; a page has about twenty."""
OUT_OF_RANGE = 0.05
"""How far a signal may lie outside the fitted range, as a share of the range."""
_PLAIN = frozenset({"surprise", "length", "numbers", "markup"})
_OF_PASSAGES = frozenset({"r_noise_content", "lost_passages", "disputed_passages"})
_RIDGE = 1e-3
_LEAST_VARIANCE = 0.05
_STEPS = 200
_SETTLED = 1e-5
_STEPS_OUT, _WEIGHTS = np.polynomial.hermite_e.hermegauss(9)
_WEIGHTS = _WEIGHTS / math.sqrt(2 * math.pi)
KINDS = ("layer", "scan")
OUTSIDE = ("layer", "disagreement", "confidence")
"""Signals other than the text itself. Without any of them, predictions rank pages of new domains in
the wrong order (Spearman -.16 to -.46), so none is given. ``instability`` is not one of them:
it was fitted for only one engine, and not checked on a domain that was left out."""
COLUMNS = (*SIGNALS, *TARGETS)
_N_SIGNALS = len(SIGNALS)


@dataclass(frozen=True)
class Prediction:
    """A page's predicted error in [0, 1], its 90 % interval, and whether its signals are in range.

    ``value`` is the median of the predicted distribution; ``mean`` and ``spread`` are its mean and
    deviation, which means over pages use.
    """

    value: float
    mean: float
    spread: float
    low: float
    high: float
    in_range: bool


@dataclass(frozen=True)
class Predictor:
    """The model: mean and covariance of signals and errors on their scales, and how well it holds.

    ``ranges`` are the smallest and largest value of each signal. ``widths`` are the conformal
    factors of the errors, below and above the prediction, for pages of each :func:`kind`.
    ``coverage`` is the share of pages in ``covered`` whose truth such intervals contained; all
    domains that were left out weigh the same. ``bias`` is, for each kind, the error of predicted
    differences between two OCR outputs of the same pages in domains that were left out, as a share
    of the spread of the predictions. ``doubt`` is the part of it with which winners in such domains
    are right. ``page_kinds`` are the shares of pages of each kind whose truth the intervals of a
    fit to the other kinds contained. ``scripts`` are the numbers of documents that were fitted in
    each writing system. ``kind_widths`` are the factors for kinds of pages of which enough
    documents were left out, a domain at a time, where these are narrower; pages of other kinds
    have ``widths``. ``kind_offsets`` are how many
    deviations the errors of a kind of page are above what its signals say: 0 for other kinds.
    ``kind_mean_shifts`` are how many deviations the means of a kind of page are moved
    (:mod:`ohr.quality.calibration`).
    """

    mean: list[float]
    covariance: list[list[float]]
    ranges: dict[str, tuple[float, float]]
    widths: dict[str, dict[str, tuple[float, float]]]
    bias: dict[str, dict[str, float]]
    doubt: dict[str, dict[str, float]]
    coverage: dict[str, dict[str, float]] = field(default_factory=dict)
    covered: str = ""
    fitted_on: dict[str, Any] = field(default_factory=dict)
    page_kinds: dict[str, dict[str, float]] = field(default_factory=dict)
    scripts: dict[str, int] = field(default_factory=dict)
    kind_widths: dict[str, dict[str, tuple[float, float]]] = field(default_factory=dict)
    kind_offsets: dict[str, dict[str, float]] = field(default_factory=dict)
    kind_mean_shifts: dict[str, dict[str, float]] = field(default_factory=dict)
    form: int = FORM

    def knows_kind(self, page_kind: str, target: str = DECISIVE) -> bool:
        """Whether an error of pages of a kind (:mod:`ohr.quality.page_kind`) is assessed.

        Its intervals hold for :data:`LEAST_COVERAGE` of the pages when the whole kind is left out
        of the fit. A model without kinds assesses all. By default it is the error by which engines
        are compared, without which a page is not assessed at all.
        """
        return not self.page_kinds or (
            self.page_kinds.get(page_kind, {}).get(target, 0.0) >= LEAST_COVERAGE
        )

    def knows_script(self, script: str) -> bool:
        """Whether enough documents in a writing system were fitted; all are without a list."""
        return not self.scripts or self.scripts.get(script, 0) >= FEWEST_DOCUMENTS

    def predict(self, signals: Mapping[str, Any], target: str) -> Prediction:
        """Predict one error of a page; NaN is a signal that is not assessed.

        ``signals`` may also have the ``page_kind``, whose offset and intervals are then used.
        """
        return self._predicted(signals, target, *self.scaled(signals, target))

    def _predicted(
        self, signals: Mapping[str, Any], target: str, centre: float, deviation: float
    ) -> Prediction:
        page_kind = str(signals.get("page_kind") or "")
        below, above = (
            width * deviation for width in self.width_of(kind(signals), page_kind, target)
        )
        low, value, high = (unscaled(target, centre + step) for step in (-below, 0.0, above))
        mean, spread = self.kind_moments(page_kind, target, centre, deviation)
        return Prediction(value, mean, spread, low, high, self.is_in_range(signals))

    def kind_moments(
        self, page_kind: str, target: str, centre: float, deviation: float
    ) -> tuple[float, float]:
        """Mean and deviation of an error of a kind of page: see ``kind_mean_shifts``."""
        shift = self.kind_mean_shifts.get(page_kind, {}).get(target, 0.0)
        return moments(target, centre + shift * deviation, deviation)

    def width_of(self, which: str, page_kind: str, target: str) -> tuple[float, float]:
        """The factors below and above for pages of a :func:`kind` and of a kind of page."""
        return self.kind_widths.get(page_kind, self.widths[which])[target]

    def scaled_together(
        self,
        signals: Mapping[str, Mapping[str, Any]],
        pairs: Mapping[tuple[str, str], Mapping[str, Apart]],
        target: str,
    ) -> dict[str, tuple[float, float]]:
        """What :meth:`scaled` gives for one page by each engine, raised until all are possible.

        ``pairs`` are the distances of the outputs of two engines, for each error of
        :data:`ohr.quality.bounds.BOUNDED`.
        """
        by_engine = {engine: self.scaled(of, target) for engine, of in signals.items()}
        alone = {engine: unscaled(target, centre) for engine, (centre, _) in by_engine.items()}
        known_pairs = {both: of[target] for both, of in pairs.items() if target in of}
        together = possible_errors(alone, known_pairs)
        return {
            engine: (max(centre, scale(target, together[engine])), deviation)
            if together[engine] > alone[engine]
            else (centre, deviation)
            for engine, (centre, deviation) in by_engine.items()
        }

    def predict_together(
        self,
        signals: Mapping[str, Mapping[str, Any]],
        pairs: Mapping[tuple[str, str], Mapping[str, Apart]],
        target: str,
    ) -> dict[str, Prediction]:
        """Predict one error of a page for each engine, none below what the others' outputs imply.

        Two outputs that differ cannot both be right. So predictions that are not possible together
        are raised, with their intervals, and the lower end is at least what follows if the other
        engine's error is at its upper end.
        """
        by_engine = {
            engine: self._predicted(signals[engine], target, *of)
            for engine, of in self.scaled_together(signals, pairs, target).items()
        }
        lows = {engine: each.low for engine, each in by_engine.items()}
        for (first, second), of in pairs.items():
            if target in of and first in by_engine and second in by_engine:
                pair = of[target]
                lows[first] = max(lows[first], pair.least_first(by_engine[second].high))
                lows[second] = max(lows[second], pair.swapped().least_first(by_engine[first].high))
        return {
            engine: replace(each, low=min(lows[engine], each.value))
            for engine, each in by_engine.items()
        }

    def scaled(self, signals: Mapping[str, Any], target: str) -> tuple[float, float]:
        """The conditional mean and deviation on the scale of the errors, for its kind of page."""
        row = np.array([scale(name, signals.get(name, math.nan)) for name in SIGNALS])
        seen = tuple(np.flatnonzero(~np.isnan(row)).tolist())
        weights, deviation = self._weights(seen, _N_SIGNALS + list(TARGETS).index(target))
        mean = np.array(self.mean)
        place = _N_SIGNALS + list(TARGETS).index(target)
        shift = weights @ (row[list(seen)] - mean[list(seen)]) if seen else 0.0
        page_kind = str(signals.get("page_kind") or "")
        offset = self.kind_offsets.get(page_kind, {}).get(target, 0.0)
        return float(mean[place] + shift) + offset * deviation, deviation

    def _weights(self, seen: tuple[int, ...], place: int) -> tuple[np.ndarray, float]:
        covariance = np.array(self.covariance)
        position = list(seen)
        weights = np.linalg.solve(
            covariance[np.ix_(position, position)], covariance[position, place]
        )
        remaining = covariance[place, place] - weights @ covariance[position, place]
        return weights, math.sqrt(max(float(remaining), 1e-6))

    def is_in_range(self, signals: Mapping[str, float]) -> bool:
        """Whether every signal lies in the range that the model was fitted on."""
        for name, (low, high) in self.ranges.items():
            value = scale(name, signals.get(name, math.nan))
            slack = OUT_OF_RANGE * (high - low) + 1e-3  # the range is rounded
            if value < low - slack or value > high + slack:
                return False
        return True

    def to_json(self) -> str:
        """The model as text, for a file."""
        return json.dumps(asdict(self), indent=1) + "\n"


@cache
def shipped() -> Predictor:
    """The model that the toolkit ships; ``fitted_on`` has the command that made it."""
    return parse((files("ohr.quality") / "model.json").read_text("utf-8"))


def parse(text: str) -> Predictor:
    """A model from :meth:`Predictor.to_json`. Raises ValueError for one of a later version."""
    fields = json.loads(text)
    if fields.setdefault("form", 1) > FORM:
        raise ValueError(
            f"the model has form {fields['form']}, and this version reads up to {FORM}"
        )
    fields["ranges"] = {
        EARLIER_NAMES.get(name, name): tuple(both) for name, both in fields["ranges"].items()
    }
    for name in ("widths", "kind_widths"):
        fields[name] = {
            which: {target: tuple(both) for target, both in of.items()}
            for which, of in fields.get(name, {}).items()
        }
    return Predictor(**fields)


def scale(name: str, value: float) -> float:
    """A signal or error on the scale of the model; NaN stays NaN."""
    offset = _offset(name)
    if name in TARGETS:
        return math.log((value + offset) / (1 + offset - value))
    return value if name in _PLAIN else math.log(max(value, 0.0) + offset)


def unscaled(target: str, value: float) -> float:
    """An error in [0, 1] from the scale of the model."""
    offset = _offset(target)
    odds = math.exp(min(value, 50.0))
    return min(1.0, max(0.0, (odds * (1 + offset) - offset) / (1 + odds)))


def _offset(name: str) -> float:
    return OFFSET_OF_PASSAGES if name in _OF_PASSAGES else OFFSET


def moments(target: str, centre: float, deviation: float) -> tuple[float, float]:
    """Mean and deviation of an error that is normal on the scale of the model."""
    values = np.array([unscaled(target, centre + deviation * step) for step in _STEPS_OUT])
    mean = min(1.0, float(_WEIGHTS @ values))  # the weights add up to 1 except for rounding
    return mean, math.sqrt(max(0.0, float(_WEIGHTS @ (values - mean) ** 2)))


def kind(signals: Mapping[str, float]) -> str:
    """``layer`` for a page with a text layer as a signal, else ``scan``."""
    return "scan" if math.isnan(signals.get("layer", math.nan)) else "layer"


def is_assessable(signals: Mapping[str, float]) -> bool:
    """Whether a page has a signal of :data:`OUTSIDE`; without one, no prediction is shown."""
    return any(not math.isnan(signals.get(name, math.nan)) for name in OUTSIDE)


def scaled_rows(rows: Sequence[Mapping[str, float]]) -> np.ndarray:
    """Signals and errors of pages on their scales: ``(pages, len(COLUMNS))``, NaN if absent."""
    return np.array(
        [[scale(name, row.get(name, math.nan)) for name in COLUMNS] for row in rows], dtype=float
    ).reshape(len(rows), len(COLUMNS))


def joint_normal(rows: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance of rows with gaps, by expectation maximisation.

    ``rows`` is ``(n, d)`` with NaN for gaps, ``weights`` ``(n,)``. A column without values is
    uncorrelated, with deviation 1 (Little & Rubin 2002, chapter 11).
    """
    weights = weights / weights.sum()
    is_known = ~np.isnan(rows)
    filled = np.where(is_known, rows, 0.0)
    share = np.maximum(weights @ is_known, 1e-12)
    mean = weights @ filled / share
    spread = weights @ (np.where(is_known, rows - mean, 0.0) ** 2) / share
    spread = np.where(is_known.any(axis=0), np.maximum(spread, _LEAST_VARIANCE), 1.0)
    covariance = np.diag(spread)
    patterns, which = np.unique(is_known, axis=0, return_inverse=True)
    for _ in range(_STEPS):
        total = np.zeros(len(mean))
        squares = np.zeros_like(covariance)
        for number, pattern in enumerate(patterns):
            of = which.ravel() == number
            position, gaps = np.flatnonzero(pattern), np.flatnonzero(~pattern)
            whole, weight = rows[of].copy(), weights[of]
            remaining = np.zeros_like(covariance)
            if len(gaps):
                slope = np.linalg.solve(
                    covariance[np.ix_(position, position)], covariance[np.ix_(position, gaps)]
                )
                whole[:, gaps] = mean[gaps] + (whole[:, position] - mean[position]) @ slope
                remaining[np.ix_(gaps, gaps)] = (
                    covariance[np.ix_(gaps, gaps)] - covariance[np.ix_(gaps, position)] @ slope
                )
            total += weight @ whole
            squares += (whole * weight[:, None]).T @ whole + weight.sum() * remaining
        before, mean = covariance, total
        covariance = squares - np.outer(mean, mean)
        covariance += _RIDGE * np.diag(spread)
        if np.abs(covariance - before).max() < _SETTLED:
            break
    return mean, covariance
