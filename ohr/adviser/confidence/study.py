"""Measures how well signals agree with true errors; prints, writes and draws the results."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from ohr.adviser.confidence.figure import reliability_figure
from ohr.adviser.confidence.report import FURTHER, coverage_lines, scores_table, word_lines
from ohr.adviser.own_pages import add_predictions
from ohr.adviser.quality.known_truth import observe_pages, signal_scores
from ohr.display.terminal import say_files, show
from ohr.files.safe_text import plain
from ohr.ocr.progress import Progress
from ohr.quality.truth import TARGETS
from ohr.store.csv import write_csv
from ohr.store.locking import locked
from ohr.study.config import StudyConfig


def report_confidence(
    config: StudyConfig, out: Path, *, pages: int, instability: bool, words: bool
) -> int:
    """Observe pages under each noise; write, print and draw the tables. Raises OhrError."""
    with locked(out):
        with Progress() as progress:
            table, of_words = observe_pages(
                config, pages, instability=instability, words=words, progress=progress
            )
        predictions = add_predictions(table)
        for target in TARGETS:
            table[f"predicted_{target}"] = predictions[target]
        scores = pd.DataFrame(signal_scores(table, FURTHER))
        write_csv(out / "signals.csv", table)
        write_csv(out / "scores.csv", scores)
        write_csv(out / "words.csv", of_words)
        figures = reliability_figure(of_words, out / "figures") if len(of_words) else []
    show(scores_table(scores))
    for line in (*coverage_lines(table, predictions), *word_lines(of_words)):
        print(plain(line))
    say_files([*(out / f"{name}.csv" for name in ("signals", "scores", "words")), *figures])
    return 0
