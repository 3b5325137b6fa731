"""What ``run.plot`` draws: finished runs and a folder in, the files written there out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ohr.names import did_you_mean

from experiments.analysis.attribution import make_losses
from experiments.analysis.differences import run_differences, with_paired_intervals
from experiments.analysis.figure3 import figure3_points
from experiments.analysis.labels import NOISE_AXES
from experiments.analysis.notes import reader_notes, run_notes
from experiments.analysis.predictiveness import predictiveness as predictiveness_table
from experiments.figures.attribution import waterfalls
from experiments.figures.bars import benchmark_bars
from experiments.figures.figure3 import caption_of, draw_figure3
from experiments.figures.noise import noise_curves
from experiments.figures.noise import noise_strength as strength
from experiments.figures.pareto import pareto_charts
from experiments.figures.predictiveness import correlations_figure
from experiments.figures.sources import source_curves
from ohr.errors import ConfigError
from ohr.study.progress import Progress
from ohr.study.results import Run


def noise_curve(runs: Sequence[Run], folder: Path, axis: str = "r_noise") -> list[Path]:
    """Quality against measured noise. Raises ConfigError for an unknown axis."""
    run = runs[0]
    cells = with_paired_intervals(run.cells, run_differences(run))
    return noise_curves(cells, folder, reader_notes(run.readers), _known(axis))


def noise_strength(runs: Sequence[Run], folder: Path) -> list[Path]:
    """Measured noise against what was asked for."""
    return strength(runs[0].cells, folder)


def sources(runs: Sequence[Run], folder: Path, axis: str = "r_noise") -> list[Path]:
    """Quality against noise by evidence source. Raises ConfigError for an unknown axis."""
    run = runs[0]
    cells = with_paired_intervals(run.cells, run_differences(run, groups=True))
    return source_curves(cells, folder, reader_notes(run.readers), _known(axis))


def benchmark(runs: Sequence[Run], folder: Path) -> list[Path]:
    """Clean engines side by side."""
    run = runs[0]
    cells = with_paired_intervals(run.cells, run_differences(run, groups=True))
    return benchmark_bars(cells, folder, reader_notes(run.readers))


def pareto(runs: Sequence[Run], folder: Path) -> list[Path]:
    """Clean engines' quality against what they took."""
    run = runs[0]
    bases = run.manifest.get("knowledge_bases", {})
    return pareto_charts(run.cells, bases, folder, reader_notes(run.readers))


def attribution(runs: Sequence[Run], folder: Path) -> list[Path]:
    """What each part of the system costs."""
    run = runs[0]
    return waterfalls(
        make_losses(run.plan, Progress()), run.cells, folder, reader_notes(run.readers)
    )


def predictiveness(runs: Sequence[Run], folder: Path, metrics: Sequence[str] = ()) -> list[Path]:
    """Which measure of reading predicts what noise costs. Raises OhrError."""
    return correlations_figure(predictiveness_table(runs, metrics), folder, run_notes(runs))


def figure3(runs: Sequence[Run], folder: Path) -> list[Path]:
    """The paper's figure 3 of several runs."""
    points = figure3_points(runs)
    return draw_figure3(points, caption_of(runs, points), folder)


def _known(axis: str) -> str:
    if axis not in NOISE_AXES:
        raise ConfigError(f"unknown axis {axis!r}; {did_you_mean(axis, NOISE_AXES)}")
    return axis
