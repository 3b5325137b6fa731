"""The paper's figure 3 and its points."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ohr.analysis.figure3.figure import (
    caption_of,
    draw_figure3,
)
from ohr.analysis.figure3.table import figure3_points
from ohr.display.terminal import say_files
from ohr.store.csv import write_csv
from ohr.study.opening import open_runs


def make_figure3(paths: Sequence[Path], out: Path) -> int:
    """Draw the figure of finished runs, and write its points. Raises OhrError."""
    runs = open_runs(paths)
    points = figure3_points(runs)
    write_csv(out / "figure3.csv", points)
    say_files([out / "figure3.csv", *draw_figure3(points, caption_of(runs, points), out)])
    return 0
