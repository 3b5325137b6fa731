"""How often a judge errs, and its ``judged`` means without that error."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from ohr.analysis.judging.verdicts import CONDITION
from ohr.statistics import DOCUMENT
from ohr.statistics.judge_error import (
    Estimated,
    error_rates,
    estimated,
    kappa_of,
    powered_difference,
    rogan_gladen,
)
from ohr.study.results import clusters_of

JUDGE = "judge"


def confusion(answers: pd.DataFrame, checked: np.ndarray) -> pd.DataFrame:
    """The four counts of the sample, its ``n`` and documents, and the judge's error rates."""
    judged = answers["judged"].to_numpy(float)
    sampled = np.isfinite(checked)
    counts = {
        f"judged_{verdict}_checked_{truth}": int(((judged == j) & (checked == t)).sum())
        for verdict, j in (("right", 1), ("wrong", 0))
        for truth, t in (("right", 1), ("wrong", 0))
    }
    sensitivity, specificity = error_rates(judged[sampled], checked[sampled])
    documents = answers.loc[sampled, "doc_id"].nunique()
    return pd.DataFrame(
        [
            {**counts, "n": int(sampled.sum()), "documents": documents}
            | {"sensitivity": sensitivity, "specificity": specificity}
        ]
    )


def corrected(answers: pd.DataFrame, checked: np.ndarray) -> pd.DataFrame:
    """One row per condition: ``judged`` as it is, and corrected in two ways, with intervals."""
    judged = answers["judged"].to_numpy(float)
    everything = clusters_of(answers)
    records = []
    for key, part in answers.groupby(list(CONDITION), sort=False):
        places = part.index.to_numpy()
        mask = np.zeros(len(answers), bool)
        mask[places] = True
        clusters = clusters_of(part)
        of_judge, own = judged[places], checked[places]
        powered = estimated(powered_difference(of_judge, own), clusters)
        gladen = estimated(rogan_gladen(judged, checked, mask), everything)
        records.append(
            dict(zip(CONDITION, key, strict=True))
            | {"n": len(places), "checked": int(np.isfinite(own).sum()), "judged": of_judge.mean()}
            | _columns("corrected", powered)
            | _columns("rogan_gladen", gladen)
            | {"ci_unit": powered.interval.unit or gladen.interval.unit}
        )
    return pd.DataFrame(records)


def agreements(answers: pd.DataFrame, raters: dict[str, np.ndarray]) -> pd.DataFrame:
    """Cohen's kappa of each pair of raters, where both gave a verdict, with its interval."""
    records: list[dict[str, Any]] = []
    for (first, verdicts), (second, others) in combinations(raters.items(), 2):
        both = np.isfinite(verdicts) & np.isfinite(others)
        part = answers[both]
        clusters = clusters_of(part)
        kappa = estimated(kappa_of(verdicts[both], others[both]), clusters, low=-1.0)
        records.append(
            {"rater": first, "other": second, "n": int(both.sum())}
            | {"same": float((verdicts[both] == others[both]).mean()) if both.any() else np.nan}
            | _columns("kappa", kappa)
            | {"ci_unit": kappa.interval.unit}
        )
    return pd.DataFrame(records)


def _columns(name: str, estimate: Estimated) -> dict[str, float]:
    interval = estimate.interval
    return {name: estimate.value, f"{name}_low": interval.low, f"{name}_high": interval.high}


def unit_words(table: pd.DataFrame) -> str:
    """What the intervals of a table are over."""
    units = set(table["ci_unit"]) - {""}
    if not units:
        return "no intervals: fewer than three documents"
    return "95 % intervals over " + ("documents" if units == {DOCUMENT} else "pages")
