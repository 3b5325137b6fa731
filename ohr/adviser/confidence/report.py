"""Prints how well signals agree with true errors."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from rich.table import Table
from rich.text import Text

from ohr.display.terminal import empty_table
from ohr.quality.truth import TARGETS
from ohr.statistics.numbers import percent

PREDICTED = {f"predicted_{name}": f"predicted {title}" for name, title in TARGETS.items()}
FURTHER = {"docling": "docling's rules"} | PREDICTED


def scores_table(scores: pd.DataFrame) -> Table:
    """One row per signal, one column per noise."""
    noises = list(dict.fromkeys(scores["noise"]))
    title = "Spearman with edit distance / AUROC of edit distance > 0.2"
    grid = empty_table(["signal"], noises, title=title)
    for signal in dict.fromkeys(scores["signal"]):
        mine = scores[scores["signal"] == signal].set_index("noise")
        cells = [
            f"{_number(mine.loc[noise, 'spearman_edit_distance'])} / "
            f"{_number(mine.loc[noise, 'auroc_edit_distance'])}"
            for noise in noises
        ]
        grid.add_row(Text(FURTHER.get(signal, signal.replace("_", " "))), *cells)
    return grid


def _number(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, float) and not math.isnan(value) else "-"


def coverage_lines(table: pd.DataFrame, predictions: pd.DataFrame) -> list[str]:
    """A line per error: true and predicted mean, and how often the intervals hold."""
    lines = []
    for target, title in TARGETS.items():
        true = table[f"true_{target}"].to_numpy(float)
        low = predictions[f"{target}_low"].to_numpy(float)
        high = predictions[f"{target}_high"].to_numpy(float)
        inside = (true >= low - 1e-9) & (true <= high + 1e-9)
        lines.append(
            f"{title}: true {true.mean():.3f}, predicted "
            f"{predictions[f'{target}_mean'].mean():.3f}; the 90 % intervals hold "
            f"{percent(inside.mean(), 1)} of {len(true)} pages, {np.mean(high - low):.3f} wide"
        )
    return lines


def word_lines(words: pd.DataFrame) -> list[str]:
    """A line per engine and noise: the share of right words, and the mean confidence."""
    lines = []
    for (noise, engine), part in words.groupby(["noise", "engine"], sort=False):
        total = part["n"].sum()
        gap = (part["right"] - part["confidence"]).abs().sum() / total
        lines.append(
            f"{engine}, {noise}: {percent(part['right'].sum() / total, 1)} of {total:,} words are "
            f"right, {percent(part['confidence'].sum() / total, 1)} confidence; calibration error "
            f"{gap:.3f}"
        )
    return lines
