"""The smallest loss of retrieval LCS that a study can show, by simulated studies.

``floors.json`` (``python -m benchmarks.plan_floors``) has it for the kept pilots of ``ohr plan``;
between its numbers of documents it is interpolated on logarithmic scales.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np

FILE = Path(__file__).with_name("floors.json")
_PILOTS = {"sample": "generated pages", "sroie": "receipts"}
_ELSE = "typeset pages"


def pilot_for(kind: str) -> str:
    """The kept pilot whose documents are most like those of a kind of dataset."""
    return _PILOTS.get(kind, _ELSE)


def smallest_loss(pilot: str, documents: int, curves: int, levels: int) -> float:
    """The smallest loss that is shown with power .8, in [0, 1].

    For further curves or levels than were simulated, that of the most.
    """
    rows = _floors()[pilot]
    n_curves = _nearest_above(curves, {row[1] for row in rows})
    n_levels = _nearest_above(levels, {row[2] for row in rows})
    points = [(row[0], row[3]) for row in rows if (row[1], row[2]) == (n_curves, n_levels)]
    counts, losses = np.array(sorted(points)).T
    return float(np.exp(np.interp(np.log(documents), np.log(counts), np.log(losses))))


def is_simulated(pilot: str, curves: int, levels: int) -> bool:
    """Whether as many curves and levels were simulated; else the smallest loss is larger."""
    rows = _floors()[pilot]
    return curves <= max(row[1] for row in rows) and levels <= max(row[2] for row in rows)


def _nearest_above(number: int, simulated: set[float]) -> float:
    return min((each for each in simulated if each >= number), default=max(simulated))


@cache
def _floors() -> dict[str, list[list[float]]]:
    floors: dict[str, list[list[float]]] = json.loads(FILE.read_text("utf-8"))
    return floors
