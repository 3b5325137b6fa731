"""What the numbers say, in sentences with their intervals, and nothing that they do not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from experiments.browser.rows import Rows, setting_name
from ohr.statistics import compare_paired, holm
from ohr.study.measures import Measure
from ohr.study.results import clusters_of

ALPHA = 0.05
FEW = 5
"""Documents with which no p is .05 or less."""


@dataclass(frozen=True)
class Loss:
    """What one setting lost under one condition against the clean one, question by question."""

    place: tuple[int, int]
    """Condition and setting, as the rows number them."""
    condition: str
    held_against: str
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
    documents: int

    def sentence(self, title: str) -> str:
        """``tesseract, semantic mild: F1 .28 where … gives .30: .02 lost (.01 to .03).``"""
        change = f"{abs(self.loss):.3f} {'lost' if self.loss >= 0 else 'gained'}"
        if np.isnan(self.p) or self.documents <= FEW:
            told = f"{self.documents} documents are too few to test whether that is chance"
        elif self.p > ALPHA:
            told = "that cannot be told from none"
        else:
            told = f"p after Holm {self.p:.3f}"
        interval = ""
        if not np.isnan(self.low):
            ends = (self.low, self.high) if self.loss >= 0 else (-self.high, -self.low)
            interval = f" ({ends[0]:z.3f} to {ends[1]:z.3f})"
        return (
            f"{self.condition}: {title} of {self.setting} is {self.score:.3f} where "
            f"{self.held_against} gives {self.clean:.3f}: {change}{interval}; {told}."
        )


def losses(rows: Rows, stage: str) -> list[Loss]:
    """Every condition that has a clean one, under every setting of a stage."""
    found = list(_losses(rows, stage))
    p = np.array([one.p for one in found])
    known = ~np.isnan(p)
    p[known] = holm(p[known])
    return [
        Loss(**{**one.__dict__, "p": float(adjusted)})
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
            units["doc_id"].nunique(),
        )


def caveats(rows: Rows, measures: dict[str, Measure]) -> list[str]:
    """What should not be concluded."""
    said = [
        "An interval speaks of further documents like these, not of other kinds of documents.",
        "A loss that cannot be told from none is not shown to be none.",
    ]
    documents = rows.questions["doc_id"].nunique()
    if documents < 20:
        said.insert(0, f"There are {documents} documents: little can be said about others.")
    if "overall" not in measures and "generation" not in measures:
        said.append("No reader was asked: nothing here is about answers.")
    return said
