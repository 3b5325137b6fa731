"""The figures of finished runs by name: each takes runs and a folder, and returns its files."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ohr.analysis.attribution.figure import waterfalls
from ohr.analysis.attribution.table import make_losses
from ohr.analysis.comparison.differences import add_paired_intervals, run_differences
from ohr.analysis.curves.losses import loss_panels, setting_notes
from ohr.analysis.curves.table import axis_of
from ohr.analysis.figure3.figure import caption_of, draw_figure3
from ohr.analysis.figure3.table import figure3_points
from ohr.analysis.predictiveness.figure import correlations_figure
from ohr.analysis.predictiveness.table import predictiveness as predictiveness_table
from ohr.display.labels import noise_title
from ohr.display.notes import answerers, note_lines, reader_notes, run_notes
from ohr.errors import ConfigError, did_you_mean
from ohr.figures.axes import setting_file
from ohr.figures.bars import benchmark_bars
from ohr.figures.factors import draw_settings
from ohr.figures.loss import draw_losses
from ohr.figures.noise import noise_strength as strength
from ohr.figures.pareto import pareto_charts
from ohr.figures.sources import source_curves
from ohr.figures.style import Look, drawn_for
from ohr.ocr.progress import Progress
from ohr.study.results import StudyRun


def noise_curve(
    runs: Sequence[StudyRun], folder: Path, axis: str = "", most: int | None = None
) -> list[Path]:
    """Quality and its loss against measured noise, one figure for each setting.

    ``axis`` is by default the published r_noise; ``most``: settings drawn, by default all. Raises
    ConfigError for an unknown axis.
    """
    run = runs[0]
    axis = axis_of(run, axis)
    noise = noise_title(axis, run.cells)
    notes = _notes(run)
    paths = []
    for number, (setting, panels) in enumerate(loss_panels(run, axis)[:most], start=1):
        name = setting_file("noise_curve", setting, number)
        paths += draw_losses(panels, folder, name, noise, [*notes, f"Setting: {setting}."])
    return paths


def noise_settings(runs: Sequence[StudyRun], folder: Path, axis: str = "") -> list[Path]:
    """All settings in one figure: chunkers, retrievers, readers; nothing for a single setting."""
    run = runs[0]
    axis = axis_of(run, axis)
    return draw_settings(loss_panels(run, axis), folder, noise_title(axis, run.cells), _notes(run))


def _notes(run: StudyRun) -> list[str]:
    return [*setting_notes(run), *note_lines(answerers(run.cells), reader_notes(run.readers))]


def noise_strength(runs: Sequence[StudyRun], folder: Path) -> list[Path]:
    """Measured noise against the requested noise."""
    return strength(runs[0].cells, folder)


def sources(
    runs: Sequence[StudyRun], folder: Path, axis: str = "", most: int | None = None
) -> list[Path]:
    """Quality against noise by evidence source, one figure for each of at most ``most`` settings.

    Raises ConfigError for an unknown axis.
    """
    run = runs[0]
    axis = axis_of(run, axis)
    cells = add_paired_intervals(run.cells, run_differences(run, groups=True))
    return source_curves(cells, folder, reader_notes(run.readers), axis, most)


def benchmark(runs: Sequence[StudyRun], folder: Path) -> list[Path]:
    """Clean engines side by side."""
    run = runs[0]
    cells = add_paired_intervals(run.cells, run_differences(run, groups=True))
    return benchmark_bars(cells, folder, reader_notes(run.readers))


def pareto(runs: Sequence[StudyRun], folder: Path) -> list[Path]:
    """Clean engines' quality against time and cost."""
    run = runs[0]
    bases = run.manifest.get("knowledge_bases", {})
    return pareto_charts(run.cells, bases, folder, reader_notes(run.readers))


def attribution(runs: Sequence[StudyRun], folder: Path) -> list[Path]:
    """The F1 loss that each part of the system causes."""
    run = runs[0]
    return waterfalls(
        make_losses(run.plan, Progress()), run.cells, folder, reader_notes(run.readers)
    )


def predictiveness(
    runs: Sequence[StudyRun], folder: Path, metrics: Sequence[str] = ()
) -> list[Path]:
    """Which OCR metric predicts what noise costs. Raises OhrError."""
    return correlations_figure(predictiveness_table(runs, metrics), folder, run_notes(runs))


def figure3(runs: Sequence[StudyRun], folder: Path) -> list[Path]:
    """The paper's figure 3 of several runs."""
    points = figure3_points(runs)
    return draw_figure3(points, caption_of(runs, points), folder)


PLOTS: dict[str, Callable[..., list[Path]]] = {
    "attribution": attribution,
    "benchmark": benchmark,
    "figure3": figure3,
    "noise_curve": noise_curve,
    "noise_settings": noise_settings,
    "noise_strength": noise_strength,
    "pareto": pareto,
    "predictiveness": predictiveness,
    "sources": sources,
}
"""Every figure by its name."""


def draw(
    name: str, runs: Sequence[StudyRun], *, look: Look = "paper", **options: Any
) -> dict[str, bytes]:
    """The files of a figure, by file name: PNG, SVG, some as PDF, and notes as text.

    ``look`` is for the columns of a paper, or for slides.
    Raises ConfigError for an unknown figure, and if the runs have no data for it.
    """
    if name not in PLOTS:
        raise ConfigError(f"unknown plot {name!r}; {did_you_mean(name, PLOTS)}")
    with drawn_for(look), tempfile.TemporaryDirectory(prefix="ohr-plot-") as folder:
        paths = PLOTS[name](runs, Path(folder), **options)
        files = {path.name: path.read_bytes() for path in paths}
    if not files:
        raise ConfigError(f"plot {name!r}: {runs[0].path} has no data for it")
    return files
