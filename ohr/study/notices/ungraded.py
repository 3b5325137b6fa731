"""Between what bounds a judged mean lies where some answers could not be graded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ohr.files.safe_text import plain
from ohr.plugins import Metric
from ohr.study.conditions import Condition, name_of
from ohr.study.config import Stage

_SHOWN = 5


@dataclass
class _Sum:
    n: int = 0
    total: float = 0.0
    ungraded: int = 0
    worst: float = 0.0
    best: float = 1.0


@dataclass
class Ungraded:
    """Sums of metrics that ask the judge, over the draws of the noise."""

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
        """One metric's values, ``(n,)`` with NaN where it does not apply; ``ungraded``: the places
        that the judge was asked about in vain, whatever they count as.
        """
        low, high = sorted((metric.worst, metric.best))
        kept = np.array(values, float)
        kept[list(ungraded)] = low
        known = _Sum(worst=low, best=high)
        entry = self._sums.setdefault((condition, stage, name), known)
        entry.n += int(np.isfinite(kept).sum())
        entry.total += float(np.nansum(kept))
        entry.ungraded += len(ungraded)

    def entries(self) -> list[dict[str, Any]]:
        """For the manifest: each mean with ungraded answers, and the least and most it can be."""
        return [
            {
                "condition": name_of(condition),
                "stage": str(stage),
                "metric": name,
                "n": one.n,
                "ungraded": one.ungraded,
                "low": round(one.total / one.n, 6),
                "high": round((one.total + one.ungraded * (one.best - one.worst)) / one.n, 6),
            }
            for (condition, stage, name), one in self._sums.items()
            if one.ungraded
        ]


def bound_lines(entries: Sequence[Mapping[str, Any]]) -> list[str]:
    """A line for each of the first means, from :meth:`Ungraded.entries`."""
    lines = [
        f"{plain(one['metric'])} ({one['stage']}; {plain(one['condition'])}): between "
        f"{one['low']:.3f} if all {one['ungraded']} ungraded of {one['n']} answers are incorrect "
        f"and {one['high']:.3f} if all are correct"
        for one in entries[:_SHOWN]
    ]
    if len(entries) > _SHOWN:
        lines.append(f"{len(entries) - _SHOWN} more such means: see ungraded in manifest.json")
    return lines
