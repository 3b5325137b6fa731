"""Applies metrics to cases: pages, evidence, hits and answers."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from ohr.errors import OhrError, PluginError
from ohr.plugins import Metric
from ohr.plugins.metric import Case, Judge, Of
from ohr.scoring.cases import Cases
from ohr.scoring.stored_scores import ROUNDING, Columns, StoredScores, is_storable
from ohr.scoring.units import Units
from ohr.types import Outcome, Status

JUDGE = "(judge)"
"""Label of the judge among the readers."""


@dataclass(frozen=True)
class Measured:
    """One metric of each page or question; a value is NaN where the metric does not apply."""

    values: np.ndarray
    """Float ``(n,)``, in the order of the units."""
    statuses: tuple[Status, ...]
    ungraded: tuple[int, ...] = ()
    """Places for which the judge gave no grade."""


@dataclass
class Measuring:
    """Applies metrics to cases of some units."""

    units: Units
    stored: StoredScores | None = None
    """Where scores are kept, if they are."""
    _needed: dict[tuple[Of, str], np.ndarray] = field(default_factory=dict)

    def measure(
        self,
        cases: Cases,
        metrics: Mapping[str, Metric],
        *,
        needs_page: bool = False,
        judges: Mapping[str, Judge] | None = None,
    ) -> dict[str, Measured]:
        """Each metric of the kind of the cases, by label.

        A case that failed scores each metric's :attr:`~ohr.plugins.Metric.missing` value.
        ``needs_page``: whether questions without a page are left out of all metrics. ``judges``:
        who is asked, for metrics that need a judge. Raises PluginError for a metric that fails or
        leaves its range.
        """
        of, failed = cases.of, np.asarray(cases.failed, bool)
        columns = {label: np.full(len(cases.cases), math.nan) for label in metrics}
        applies = {}
        for label, metric in metrics.items():
            applies[label] = self._applies(of, metric)
            if needs_page:
                applies[label] = applies[label] & self._has(of, "page")
            columns[label][applies[label] & failed] = metric.missing
        alive = {label: applies[label] & ~failed for label in metrics}
        statuses = {label: tuple(cases.statuses) for label in metrics}
        ungraded: dict[str, tuple[int, ...]] = {}
        for label, metric in metrics.items():
            if not metric.takes_all:
                continue
            places = np.flatnonzero(alive[label]).tolist()
            chosen = [cases.cases[place] for place in places]
            outcomes = _measured_together(label, metric, chosen, (judges or {}).get(label))
            by_place = dict(zip(places, outcomes, strict=True))
            for place, outcome in by_place.items():
                columns[label][place] = metric.missing if outcome.value is None else outcome.value
            ungraded[label] = tuple(p for p, outcome in by_place.items() if outcome.value is None)
            statuses[label] = tuple(
                max(status, by_place[place].status, key=lambda status: status.severity)
                if place in by_place
                else status
                for place, status in enumerate(cases.statuses)
            )

        def fill(labels: Collection[str], places: Sequence[int]) -> Columns:
            # Case by case, so that metrics can share cached work on one case.
            for place in places:
                case = cases.cases[place]
                for label in labels:
                    if alive[label][place]:
                        columns[label][place] = _measured(label, metrics[label], case)
                    elif (
                        (of in ("page", "answer") or "fact" in metrics[label].needs)
                        and applies[label][place]
                        and math.isnan(_measured(label, metrics[label], case))
                    ):
                        columns[label][place] = math.nan  # it does not apply to such a case
            return {label: columns[label][places] for label in labels}

        singly = {label: metric for label, metric in metrics.items() if not metric.takes_all}
        storable = {label: metric for label, metric in singly.items() if is_storable(metric)}
        if self.stored is not None and storable and of != "answer":
            columns |= self.stored.columns(cases, storable, applies, partial(fill, storable))
            singly = {label: singly[label] for label in singly if label not in storable}
        if singly:
            fill(singly, range(len(cases.cases)))
        return {
            label: Measured(columns[label], statuses[label], ungraded.get(label, ()))
            for label in metrics
        }

    def _applies(self, of: Of, metric: Metric) -> np.ndarray:
        """Whether each page or question has what a metric needs: bool ``(n,)``."""
        applies = np.ones(self.units.count(of), bool)
        if of == "page":
            applies &= self._has(of, "truth")
            if not metric.order_free:
                applies &= self._has(of, "order")
        if of == "evidence" and "fact" not in metric.needs:
            applies &= self._has(of, "evidence")
        if of == "answer":
            applies &= self._has(of, "answer")
        for need in sorted(metric.needs - {"judge", "formats"}):
            applies &= self._has(of, need)
        return applies

    def _has(self, of: Of, need: str) -> np.ndarray:
        key = (of, need)
        if key not in self._needed:
            self._needed[key] = np.array(self.units.has(of, need), bool)
        return self._needed[key]


def _measured_together(
    label: str, metric: Metric, cases: Sequence[Case], judge: Judge | None
) -> list[Outcome[float]]:
    try:
        outcomes = metric.measure_many(cases, judge)
    except OhrError:
        raise
    except Exception as error:
        raise PluginError(f"metric {label!r}: {type(error).__name__}: {error}") from error
    if len(outcomes) != len(cases):
        raise PluginError(f"metric {label!r} did not measure all of {len(cases)} cases")
    return [
        outcome
        if outcome.value is None
        else Outcome(_checked(label, metric, outcome.value), outcome.status, outcome.detail)
        for outcome in outcomes
    ]


def _measured(label: str, metric: Metric, case: Case) -> float:
    try:
        value = metric.measure(case)
    except OhrError:
        raise
    except Exception as error:
        raise PluginError(f"metric {label!r}: {type(error).__name__}: {error}") from error
    return _checked(label, metric, value)


def _checked(label: str, metric: Metric, value: object) -> float:
    """A metric's value. Raises PluginError if it is not between the metric's worst and best."""
    low, high = sorted((metric.worst, metric.best))
    if isinstance(value, int | float | np.number | np.bool_):
        number = float(value)
        if math.isnan(number) or low - ROUNDING <= number <= high + ROUNDING:
            return number
    raise PluginError(
        f"metric {label!r} gave {value!r}: its values lie between {low:g} and {high:g}, or are NaN "
        "where it does not apply"
    )
