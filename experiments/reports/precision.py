"""Whether the differences of a table can be told from chance, and how many questions it takes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pandas as pd

from experiments.analysis.labels import shown_measures
from ohr.statistics.clusters import FEWEST

_WHERE_NO_QUALITY = (("ocr", "r_noise", "r_noise"),)


@dataclass(frozen=True)
class _Column:
    """A measure's means over all questions, as one column of a table."""

    title: str
    n: int
    difference: float
    """Between its greatest and its least mean."""
    half_width: float
    """Of its widest 95 % interval; NaN if one mean has none."""

    @property
    def told_apart(self) -> bool:
        return self.half_width < self.difference

    def __str__(self) -> str:
        parts = f"{self.title} on n = {self.n}"
        if math.isnan(self.half_width):
            return f"{parts}: no interval from fewer than {FEWEST} documents or pages"
        parts += f": ± {self.half_width:.3f}"
        if self.difference < 0.0005:
            return f"{parts}, no difference"
        needed = self.n * (self.half_width / self.difference) ** 2
        return (
            f"{parts}, differences up to {self.difference:.3f}; "
            f"it would take about {_rounded(needed)} questions"
        )


def precision_line(cells: pd.DataFrame) -> str:
    """Which measures differ by less than their 95 % intervals; empty if none does.

    A half-width shrinks with the square root of the number of questions, so it takes about
    n (half-width / difference)^2 of them. Means that all are alike to the last digit, such as
    an engine's with itself, are not spoken of.
    """
    columns = [one for measure in shown_measures(cells) if (one := _column(cells, *measure))]
    if not columns:
        columns = [one for measure in _WHERE_NO_QUALITY if (one := _column(cells, *measure))]
    unclear = [column for column in columns if not column.told_apart]
    if not unclear:
        return ""
    what = "Nothing can" if len(unclear) == len(columns) else "Some means cannot"
    line = f"{what} be told apart by these intervals: {'; '.join(str(one) for one in unclear)}."
    if all(math.isnan(column.half_width) for column in unclear):
        return line  # nor is there an interval of paired questions
    return f"{line} The same questions paired may tell more: python -m experiments.compare RUN"


def _column(cells: pd.DataFrame, stage: str, metric: str, title: str) -> _Column | None:
    chosen = cells[
        (cells["stage"] == stage) & (cells["metric"] == metric) & (cells["group"] == "all")
    ]
    chosen = chosen[["n", "mean", "ci_low", "ci_high"]].apply(pd.to_numeric)
    chosen = chosen[chosen["n"] > 0]
    if len(chosen) < 2:
        return None
    half_widths = (chosen["ci_high"] - chosen["ci_low"]) / 2
    difference = float(chosen["mean"].max() - chosen["mean"].min())
    half_width = float(half_widths.max(skipna=False))
    if difference < 0.0005 and half_width < 0.0005:
        return None
    return _Column(title, int(chosen["n"].min()), difference, half_width)


def _rounded(number: float) -> str:
    """To two significant digits, upwards."""
    unit = 10 ** max(0, math.floor(math.log10(number)) - 1)
    return f"{math.ceil(number / unit - 1e-9) * unit:,}"
