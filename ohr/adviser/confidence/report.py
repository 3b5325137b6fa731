"""What the signals of readings are worth where the truth is known, as it is printed."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from rich.table import Table
from rich.text import Text

from ohr.files.safe_text import plain
from ohr.quality.truth import TARGETS

PREDICTED = {f"predicted_{name}": f"predicted {title}" for name, title in TARGETS.items()}
FURTHER = {"docling": "docling's rules"} | PREDICTED


def scores_table(scores: pd.DataFrame) -> Table:
    """A row for each signal, a column for each noise."""
    noises = list(dict.fromkeys(scores["noise"]))
    shown = Table(
        header_style="bold",
        box=None,
        pad_edge=False,
        title="Spearman with edit distance / AUROC of edit distance > .2",
    )
    shown.add_column("signal")
    for noise in noises:
        shown.add_column(plain(noise), justify="right")
    for signal in dict.fromkeys(scores["signal"]):
        mine = scores[scores["signal"] == signal].set_index("noise")
        cells = [
            f"{_number(mine.loc[noise, 'spearman_edit_distance'])} / "
            f"{_number(mine.loc[noise, 'auroc_edit_distance'])}"
            for noise in noises
        ]
        shown.add_row(Text(FURTHER.get(signal, signal.replace("_", " "))), *cells)
    return shown


def _number(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, float) and not math.isnan(value) else "-"


def coverage_lines(table: pd.DataFrame, predictions: pd.DataFrame) -> list[str]:
    """For each error its true and its predicted mean, and how often the intervals hold."""
    lines = []
    for target, title in TARGETS.items():
        true = table[f"true_{target}"].to_numpy(float)
        low = predictions[f"{target}_low"].to_numpy(float)
        high = predictions[f"{target}_high"].to_numpy(float)
        inside = (true >= low - 1e-9) & (true <= high + 1e-9)
        lines.append(
            f"{title}: true {true.mean():.3f}, predicted "
            f"{predictions[f'{target}_mean'].mean():.3f}; the 90 % intervals hold "
            f"{inside.mean():.1%} of {len(true)} pages, {np.mean(high - low):.3f} wide"
        )
    return lines


def word_lines(words: pd.DataFrame) -> list[str]:
    """For each engine and noise how many words are right, and how sure it was of them."""
    lines = []
    for (noise, engine), part in words.groupby(["noise", "engine"], sort=False):
        total = part["n"].sum()
        gap = (part["right"] - part["confidence"]).abs().sum() / total
        lines.append(
            f"{engine}, {noise}: {part['right'].sum() / total:.1%} of {total:,} words are right, "
            f"{part['confidence'].sum() / total:.1%} confidence; calibration error {gap:.3f}"
        )
    return lines
