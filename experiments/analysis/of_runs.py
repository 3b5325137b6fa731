"""What ``run.compare()`` and its like call: finished runs in, a table out."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from experiments.analysis.attribution import make_losses
from experiments.analysis.comparison import compare
from experiments.analysis.curves import statistics_table
from experiments.analysis.predictiveness import predictiveness
from ohr.study.progress import Progress
from ohr.study.results import Run

__all__ = ["attribution", "compare", "curves", "predictiveness"]


def curves(runs: Sequence[Run], axis: str = "r_noise") -> pd.DataFrame:
    """Each noise curve's statistics. Raises ConfigError for an unknown axis."""
    return statistics_table(runs, axis)


def attribution(runs: Sequence[Run]) -> pd.DataFrame:
    """The F1 that each part of the first run's system costs. Raises ConfigError, StoreError."""
    return make_losses(runs[0].plan, Progress())
