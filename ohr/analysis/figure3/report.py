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
from ohr.display.verdicts import MOST_NAMED, effect_text, size_text
from ohr.metrics.labels import heading
from ohr.statistics.numbers import prose
from ohr.store.csv import write_csv
from ohr.study.opening import open_runs


def verdict_lines(points: pd.DataFrame, documents: int) -> Iterator[str]:
    """What the strongest level of each kind of noise changes of whole systems' answers."""
    [(stage, _, title)] = [each for each in STAGE_METRICS if each[0] == "overall"]
    stage_points = points[points["stage"] == stage]
    keys = ["noise", "setting", "panel"]
    panels = [
        rows for _, rows in stage_points.groupby(keys, sort=False) if rows["p_adjusted"].count()
    ]
    for rows in panels[:MOST_NAMED]:
        noisy = rows[rows["p_adjusted"].notna()]
        row, clean = (
            noisy.sort_values("r_noise", ascending=False, kind="stable").iloc[0],
            rows[rows["p_adjusted"].isna()],
        )
        text = f"{heading(title)}, {row['panel']}, {row['noise']} noise ({row['setting']}): "
        noisy_score = f"{prose(row['mean'])} at r_noise {prose(row['r_noise'])}"
        if clean.empty:
            yield f"{text}{noisy_score}."
            continue
        # The interval is that of the paired change, drawn around the noisy mean.
        base = clean["mean"].iloc[0]
        ends = (row["ci_low"] - base, row["ci_high"] - base)
        change = effect_text(row["mean"] - base, *ends, row["p_adjusted"], documents)
        yield f"{text}{prose(base)} on clean pages, {noisy_score}: a change of {change}."
    if len(panels) > MOST_NAMED:
        yield f"figure3.csv has {len(panels) - MOST_NAMED} more panels."
    yield size_text(int(points["n"].max()), documents)


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
