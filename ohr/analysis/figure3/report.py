"""The paper's figure 3 and its points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd

from ohr.analysis.figure3.figure import (
    caption_of,
    draw_figure3,
)
from ohr.analysis.figure3.table import figure3_points
from ohr.display.labels import STAGE_METRICS
from ohr.display.terminal import say, say_files
from ohr.display.verdicts import MOST_NAMED, size_text
from ohr.display.wording import is_shown
from ohr.metrics.labels import heading
from ohr.statistics import too_few
from ohr.statistics.numbers import prose, prose_interval, prose_p
from ohr.store.csv import write_csv
from ohr.study.opening import open_runs


def verdict_lines(points: pd.DataFrame, documents: int) -> Iterator[str]:
    """What the strongest level of each kind of noise changes of whole systems' answers."""
    [(stage, _, title)] = [each for each in STAGE_METRICS if each[0] == "overall"]
    of_stage = points[points["stage"] == stage]
    keys = ["noise", "setting", "panel"]
    panels = [rows for _, rows in of_stage.groupby(keys, sort=False) if rows["p_adjusted"].count()]
    for rows in panels[:MOST_NAMED]:
        noisy = rows[rows["p_adjusted"].notna()]
        row, clean = (
            noisy.sort_values("r_noise", ascending=False, kind="stable").iloc[0],
            rows[rows["p_adjusted"].isna()],
        )
        change = "" if clean.empty else f"{prose(clean['mean'].iloc[0])} on clean pages, "
        yield (
            f"{heading(title)}, {row['panel']}, {row['noise']} noise ({row['setting']}): {change}"
            f"{prose(row['mean'])} at r_noise {prose(row['r_noise'])} ({_tested(row, documents)})."
        )
    yield size_text(int(points["n"].max()), documents)


def _tested(row: pd.Series, documents: int) -> str:
    if reason := too_few(documents):
        return f"nothing can be shown: {reason}"
    over = f"95 % CI {prose_interval(row['ci_low'], row['ci_high'])}, {prose_p(row['p_adjusted'])}"
    return over if is_shown(row["p_adjusted"]) else f"not significant, {over}"


def make_figure3(paths: Sequence[Path], out: Path) -> int:
    """Draw the figure of finished runs, and write its points. Raises OhrError."""
    runs = open_runs(paths)
    points = figure3_points(runs)
    write_csv(out / "figure3.csv", points)
    documents = max(run.rows["doc_id"].nunique() for run in runs)
    for line in verdict_lines(points, documents):
        say(line)
    say_files([out / "figure3.csv", *draw_figure3(points, caption_of(runs, points), out)])
    return 0
