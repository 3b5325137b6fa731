"""Adds up judged scores, for the bounds of their mean when some answers could not be graded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ohr.plugins import Metric
from ohr.study.conditions import Condition, name_of
from ohr.study.config import Stage


@dataclass
class _Sum:
    n: int = 0
    total: float = 0.0
    ungraded: int = 0
    worst: float = 0.0
    best: float = 1.0


@dataclass
class Ungraded:
    """Adds up metrics that ask the judge, over the draws of the noise."""

    _sums: dict[tuple[Condition, Stage, str], _Sum] = field(default_factory=dict)

    def add(
        self,
        condition: Condition,
        stage: Stage,
        name: str,
        metric: Metric,
        values: np.ndarray,
        ungraded: Sequence[int],
    ) -> None:
        """Add one metric's values ``(n,)``, NaN where it does not apply.

        ``ungraded`` are the places for which the judge gave no grade.
        """
        low, high = sorted((metric.worst, metric.best))
        graded = np.array(values, float)
        graded[list(ungraded)] = low
        first_sum = _Sum(worst=low, best=high)
        entry = self._sums.setdefault((condition, stage, name), first_sum)
        entry.n += int(np.isfinite(graded).sum())
        entry.total += float(np.nansum(graded))
        entry.ungraded += len(ungraded)

    def entries(self) -> list[dict[str, Any]]:
        """For the manifest: each mean with ungraded answers, with its lowest and highest value."""
        return [
            {
                "condition": name_of(condition),
                "stage": str(stage),
                "metric": name,
                "n": sums.n,
                "ungraded": sums.ungraded,
                "low": round(sums.total / sums.n, 6),
                "high": round((sums.total + sums.ungraded * (sums.best - sums.worst)) / sums.n, 6),
            }
            for (condition, stage, name), sums in self._sums.items()
            if sums.ungraded
        ]
