"""A run's tables and figures, as others make them: found by name, like plug-ins.

A package adds a table with an entry point of the group ``ohr.analyses``, a function of
(runs, options) that returns a DataFrame; a figure with one of ``ohr.plots``, a function of
(runs, folder, options) that returns the files which it wrote there.
"""

from __future__ import annotations

import base64
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Literal, Protocol

import pandas as pd

from ohr.errors import ConfigError
from ohr.names import did_you_mean
from ohr.store.atomic import write_bytes

Axis = Literal["r_noise", "r_noise_content", "edit_distance"]
"""What a curve's damage is measured by."""


class FinishedRun(Protocol):
    """A run, as far as this module knows it."""

    @property
    def path(self) -> Path:
        """Its folder."""


def analyse(name: str, runs: Sequence[FinishedRun], **options: Any) -> pd.DataFrame:
    """A table of runs by a registered analysis. Raises ConfigError for an unknown one."""
    table: pd.DataFrame = _function("analysis", "ohr.analyses", name)(runs, **options)
    return table


def draw(name: str, runs: Sequence[FinishedRun], **options: Any) -> Plot:
    """Figures of runs by a registered plot. Raises ConfigError if there is nothing to draw."""
    function = _function("plot", "ohr.plots", name)
    with tempfile.TemporaryDirectory(prefix="ohr-plot-") as folder:
        paths: Sequence[Path] = function(runs, Path(folder), **options)
        files = {path.name: path.read_bytes() for path in paths}
    if not files:
        raise ConfigError(f"plot {name!r}: {runs[0].path} measured nothing that it shows")
    return Plot(files)


def _function(kind: str, group: str, name: str) -> Callable[..., Any]:
    points = {point.name: point for point in entry_points(group=group)}
    if name not in points:
        raise ConfigError(f"unknown {kind} {name!r}; {did_you_mean(name, points)}")
    function: Callable[..., Any] = points[name].load()
    return function


@dataclass(frozen=True)
class Plot:
    """Drawn figures. A notebook shows them; :meth:`save` writes them."""

    files: Mapping[str, bytes]
    """Each file's bytes (PNG and SVG) by its name."""

    def save(self, folder: Path | str) -> list[Path]:
        """Write the files into a folder, and return their paths. Raises StoreError."""
        paths = [Path(folder) / name for name in self.files]
        for path, content in zip(paths, self.files.values(), strict=True):
            write_bytes(path, content)
        return paths

    def __repr__(self) -> str:
        return f"Plot({', '.join(self.files)})"

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """For Jupyter: the first figure as PNG, and all of them where there are several."""
        images = [content for name, content in self.files.items() if name.endswith(".png")]
        shown: dict[str, Any] = {"text/plain": repr(self), "image/png": images[0]}
        if len(images) > 1:
            shown["text/html"] = "".join(
                f'<img width="{_width(image)}" src="data:image/png;base64,'
                f'{base64.b64encode(image).decode()}">'
                for image in images
            )
        return shown, {"image/png": {"width": _width(images[0])}}


def _width(png: bytes) -> int:
    """Half the pixels: the figures are drawn for twice a screen's resolution."""
    return int.from_bytes(png[16:20], "big") // 2


@dataclass(frozen=True)
class Plots:
    """The figures of a run."""

    run: FinishedRun

    def __call__(self, name: str, *others: FinishedRun, **options: Any) -> Plot:
        """A figure by the name that it is registered under; one's own too."""
        return draw(name, [self.run, *others], **options)

    def noise_curve(self, *, axis: Axis = "r_noise") -> Plot:
        """Retrieval, generation and overall quality against measured noise."""
        return self("noise_curve", axis=axis)

    def noise_strength(self) -> Plot:
        """Measured noise against the level or intensity that was asked for."""
        return self("noise_strength")

    def sources(self, *, axis: Axis = "r_noise") -> Plot:
        """Quality against noise for each evidence source."""
        return self("sources", axis=axis)

    def benchmark(self) -> Plot:
        """Bars of the clean engines by evidence source."""
        return self("benchmark")

    def pareto(self) -> Plot:
        """Clean engines' quality against the seconds and the cost of reading."""
        return self("pareto")

    def predictiveness(self, *others: FinishedRun, metrics: Sequence[str] = ()) -> Plot:
        """How well each measure of reading predicts each outcome's loss."""
        return self("predictiveness", *others, metrics=metrics)

    def attribution(self) -> Plot:
        """What OCR, chunking, retrieval and reading each cost; reads the study's cache."""
        return self("attribution")

    def figure3(self, *others: FinishedRun) -> Plot:
        """The paper's figure 3, of this run and others together."""
        return self("figure3", *others)
