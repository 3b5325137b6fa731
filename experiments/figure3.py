"""The paper's figure 3: every stage of RAG against both kinds of noise.

``python -m experiments.figure3 RUN [RUN ...] --out DIR`` takes finished runs of ``noise_curve``:
formatting noise is laid on the ground truth and semantic noise read by OCR engines, so the two
mostly come from two runs. Semantic noise is dashed and averaged over the engines at each level,
formatting noise is solid. ``figure3.csv`` holds the points.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from experiments._command import CommandLine, with_errors
from experiments.analysis.figure3 import figure3_points
from experiments.figures.figure3 import (
    caption_of,
    draw_figure3,
)
from ohr.study.csv import write_csv
from ohr.study.results import read_run

main = CommandLine()


@main.command(help="Draw every stage against semantic and formatting noise (figure 3).")
def command(
    runs: Annotated[list[Path], typer.Argument(help="Folders of finished noise_curve runs.")],
    out: Annotated[Path, typer.Option(help="Folder for the figure and its points.")],
    debug: Annotated[bool, typer.Option("--debug")] = False,
) -> None:
    """Draw the figure."""
    with_errors(lambda: make_figure3(runs, out), debug)


def make_figure3(paths: Sequence[Path], out: Path) -> int:
    """Draw the figure of finished runs, and write its points. Raises OhrError."""
    runs = [read_run(path) for path in paths]
    points = figure3_points(runs)
    write_csv(out / "figure3.csv", points)
    for path in draw_figure3(points, caption_of(runs, points), out):
        print(f"figure: {path}")
    print(f"points: {out / 'figure3.csv'}")
    return 0


if __name__ == "__main__":
    main()
