"""What the signals of readings are worth where the truth is known: printed and written."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
from rich.table import Table
from rich.text import Text

from experiments.figures.confidence import reliability_figure
from experiments.reports.terminal import show
from experiments.studies.own_pages import with_predictions
from experiments.studies.signals import observed, signal_scores
from ohr.printable import plain
from ohr.quality.truth import TARGETS
from ohr.store.locking import locked
from ohr.study.config import StudyConfig
from ohr.study.csv import write_csv
from ohr.study.progress import Progress

PREDICTED = {f"predicted_{name}": f"predicted {title}" for name, title in TARGETS.items()}
FURTHER = {"docling": "docling's rules"} | PREDICTED


def report_confidence(
    config: StudyConfig, out: Path, *, pages: int, wobble: bool, words: bool
) -> int:
    """Look at pages under each noise, write the tables, print and draw them. Raises OhrError."""
    with locked(out):
        with Progress() as progress:
            table, of_words = observed(config, pages, wobble=wobble, words=words, report=progress)
        predictions = with_predictions(table)
        for target in TARGETS:
            table[f"predicted_{target}"] = predictions[target]
        scores = pd.DataFrame(signal_scores(table, FURTHER))
        write_csv(out / "signals.csv", table)
        write_csv(out / "scores.csv", scores)
        write_csv(out / "words.csv", of_words)
        figures = reliability_figure(of_words, out / "figures") if len(of_words) else []
    show(_table(scores))
    for line in (*_coverage_lines(table, predictions), *_word_lines(of_words)):
        print(plain(line))
    print(f"signals: {out / 'signals.csv'}")
    for path in figures:
        print(f"figure: {path}")
    return 0


def _table(scores: pd.DataFrame) -> Table:
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


def _coverage_lines(table: pd.DataFrame, predictions: pd.DataFrame) -> list[str]:
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


def _word_lines(words: pd.DataFrame) -> list[str]:
    lines = []
    for (noise, engine), part in words.groupby(["noise", "engine"], sort=False):
        total = part["n"].sum()
        gap = (part["right"] - part["confidence"]).abs().sum() / total
        lines.append(
            f"{engine}, {noise}: {part['right'].sum() / total:.1%} of {total:,} words are right, "
            f"{part['confidence'].sum() / total:.1%} confidence; calibration error {gap:.3f}"
        )
    return lines
