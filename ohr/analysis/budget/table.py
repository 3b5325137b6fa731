"""The most noise that a promised loss allows: one row per curve and group of questions."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from ohr.analysis.comparison.table import metrics_of
from ohr.analysis.curves.table import axis_of, curves_of
from ohr.errors import ConfigError, OhrError
from ohr.statistics.loss_budgets import budget_coverage, loss_budget
from ohr.study.results import StudyRun

AXIS = "r_noise_content"
DRAWS = 200
"""Number of random halves of the documents by which promises are checked."""


def budgets(
    runs: Sequence[StudyRun], lose: float, metrics: Sequence[str] = (), axis: str = ""
) -> pd.DataFrame:
    """One row per curve, all questions and each group: see :func:`loss_budget`.

    ``noise``, ``loss`` and ``bound`` are those of the level with the most noise that keeps the
    promise, ``next_noise``, ``next_loss`` and ``next_bound`` those of the level after it; NaN if
    there is none. ``kind`` says why. ``draws_with_budget`` and ``draws_held`` are counts of 200
    random halves of the documents: how often one half had a budget, and how often it held on the
    other half.
    ``axis`` is by default the content r_noise. Raises ConfigError for a share outside (0, 1), and
    OhrError if there is no noise curve.
    """
    if not 0 < lose < 1:
        raise ConfigError(f"--lose {lose:g}: a share of the clean score between 0 and 1, as 0.05")
    chosen = set(metrics_of(runs, metrics))
    rows = []
    for run in runs:
        x = axis_of(run, axis or _default(run))
        for measured in curves_of(run, x):
            if (measured.key["stage"], measured.key["metric"]) not in chosen:
                continue
            curve = measured.curve
            budget = loss_budget(curve, lose)
            coverage = budget_coverage(curve, lose, DRAWS, run.seed)
            row = measured.key | {"axis": x, "lose": lose, "kind": budget.kind}
            for name, promise in (("", budget.largest), ("next_", budget.next)):
                for part in ("noise", "loss", "bound"):
                    row[f"{name}{part}"] = getattr(promise, part, float("nan"))
            row |= {"clean": float(curve.quality[0].mean()), "n": curve.quality.shape[1]}
            row |= {"n_clusters": curve.clusters.size, "unit": curve.clusters.unit}
            row |= {"draws": coverage.draws, "draws_with_budget": coverage.budgets}
            rows.append(row | {"draws_held": coverage.held})
    if not rows:
        raise OhrError(
            "no noise curve in these runs: it needs noise, clean pages, the stage ocr, and "
            "retrieval or answers"
        )
    return pd.DataFrame(rows)


def _default(run: StudyRun) -> str:
    """The content r_noise, unless the run did not measure it or it does not move."""
    values = run.cells.loc[run.cells["metric"] == AXIS, "mean"]
    return AXIS if values.nunique() > 1 else ""
