"""What the numbers say, in sentences with their intervals, and nothing that they do not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from ohr.display.labels import interval_units
from ohr.display.wording import excluded, is_shown, short
from ohr.report.rows import Rows, setting_name
from ohr.statistics import compare_paired, holm
from ohr.statistics.paired import FEWEST_TO_SHOW
from ohr.study.results import clusters_of
from ohr.study.scoring.metrics import MetricInfo


@dataclass(frozen=True)
class Loss:
    """What one setting lost under one condition against the clean one, question by question."""

    place: tuple[int, int]
    """Condition and setting, as the rows number them."""
    condition: str
    baseline: str
    setting: str
    stage: str
    n: int
    clean: float
    score: float
    loss: float
    low: float
    high: float
    p: float
    """After Holm's correction over all losses of the stage; NaN where nothing can be said."""
    clusters: int
    """Documents, or pages where those are too few for an interval."""
    unit: str
    tests: int
    """How many losses of the stage p is corrected over."""

    @property
    def excluded(self) -> float:
        """The largest change that is not excluded; NaN without an interval."""
        return max(abs(self.low), abs(self.high))

    @property
    def is_shown(self) -> bool:
        """Whether a loss or gain is shown."""
        return is_shown(self.p) and self.clusters >= FEWEST_TO_SHOW

    def sentence(self, title: str) -> str:
        """``tesseract, semantic mild less tesseract, clean: F1 of … −.020 [−.031, −.009], p .012``,
        and the two means.
        """
        change = short(-self.loss)
        if np.isnan(self.low):
            said = f"{change}, no interval"
        else:
            said = f"{change} [{short(-self.high)}, {short(-self.low)}]"
            if self.is_shown:
                said += f", p {short(self.p) if self.p >= 0.001 else '<.001'} after Holm"
                said += f" over {self.tests}"
            elif self.clusters < FEWEST_TO_SHOW:
                said += f", {self.clusters} {interval_units([self.unit])} are too few for a test"
            else:
                said += f", not shown ({excluded(self.low, self.high)})"
        return (
            f"{self.condition} less {self.baseline}: {title} of {self.setting} {said}; "
            f"{short(self.score)} in place of {short(self.clean)}."
        )


def losses(rows: Rows, stage: str) -> list[Loss]:
    """Every condition that has a clean one, under every setting of a stage."""
    found = list(_losses(rows, stage))
    p = holm(np.array([one.p for one in found]))
    return [
        replace(one, p=float(adjusted), tests=int(np.isfinite(p).sum()))
        for one, adjusted in zip(found, p, strict=True)
    ]


def _losses(rows: Rows, stage: str) -> Iterator[Loss]:
    of_stage = [n for n, setting in enumerate(rows.settings) if setting["stage"] == stage]
    frame = rows.frame[rows.frame["setting"].isin(of_stage) & rows.frame["loss"].notna()]
    for (of, by), group in frame.groupby(["condition", "setting"], sort=True):
        condition, setting = int(str(of)), int(str(by))
        units: pd.DataFrame = rows.questions.iloc[group["question"].to_numpy()]
        paired = compare_paired(group["loss"].to_numpy(), clusters_of(units))
        yield Loss(
            (condition, setting),
            rows.condition_name(condition),
            rows.conditions[rows.conditions[condition]["clean"]]["name"],
            setting_name(rows.settings[setting]),
            stage,
            paired.n,
            float(group["clean"].mean()),
            float(group["score"].mean()),
            paired.difference,
            paired.interval.low,
            paired.interval.high,
            paired.p,
            paired.n_clusters,
            paired.interval.unit,
            1,
        )


def caveats(rows: Rows, measures: dict[str, MetricInfo]) -> list[str]:
    """What should not be concluded."""
    said = [
        "An interval speaks of further documents like these, not of other kinds of documents.",
        "'Not shown' does not mean 'none': changes up to the given size are not excluded.",
        "Noise is compared with the same engine's clean pages, an engine on clean pages with the "
        "ground truth.",
    ]
    documents = rows.questions["doc_id"].nunique()
    if documents < 20:
        said.insert(0, f"There are {documents} documents: little can be said about others.")
    if "overall" not in measures and "generation" not in measures:
        said.append("No reader was asked: nothing here is about answers.")
    return said
