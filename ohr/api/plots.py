"""A run's figures, for notebooks and files."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ohr.store.atomic import write_bytes
from ohr.study.results import StudyRun, check_distinct

Axis = Literal["", "r_noise_reference", "r_noise", "r_noise_content", "edit_distance", "intensity"]
"""The noise on the axis of a curve."""
Look = Literal["paper", "slides"]
"""What a figure is for; a figure for slides is larger and bolder."""


@dataclass(frozen=True)
class Plot:
    """Figures. A notebook displays them; :meth:`save` writes them."""

    files: Mapping[str, bytes]
    """File name -> bytes: PNG and SVG, some figures as PDF, and notes on the figure as text."""

    def save(self, folder: Path | str) -> list[Path]:
        """Write the files into a folder, and return their paths. Raises StoreError."""
        paths = [Path(folder) / name for name in self.files]
        for path, content in zip(paths, self.files.values(), strict=True):
            write_bytes(path, content)
        return paths

    def __repr__(self) -> str:
        return f"Plot({', '.join(self.files)})"

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """For Jupyter: the first figure as PNG, and HTML with all of them if there are several."""
        images = [content for name, content in self.files.items() if name.endswith(".png")]
        bundle: dict[str, Any] = {"text/plain": repr(self), "image/png": images[0]}
        if len(images) > 1:
            bundle["text/html"] = "".join(
                f'<img width="{_width(image)}" src="data:image/png;base64,'
                f'{base64.b64encode(image).decode()}">'
                for image in images
            )
        return bundle, {"image/png": {"width": _width(images[0])}}


def _width(png: bytes) -> int:
    """The width for display: half the pixels, since figures have twice a screen's resolution."""
    return int.from_bytes(png[16:20], "big") // 2


@dataclass(frozen=True)
class Plots:
    """The figures of a run."""

    run: StudyRun

    def __call__(self, name: str, *further: StudyRun, look: Look = "paper", **options: Any) -> Plot:
        """A figure by its name.

        Raises ConfigError for an unknown name, or if the runs lack the data for it.
        """
        from ohr.analysis.plots import draw

        runs = [self.run, *further]
        check_distinct(run.path for run in runs)
        return Plot(draw(name, runs, look=look, **options))

    def noise_curve(self, *, axis: Axis = "", look: Look = "paper") -> Plot:
        """Retrieval, generation and overall quality against measured noise."""
        return self("noise_curve", axis=axis, look=look)

    def noise_settings(self, *, axis: Axis = "", look: Look = "paper") -> Plot:
        """The curves of all chunkers, retrievers, readers and systems in one figure."""
        return self("noise_settings", axis=axis, look=look)

    def noise_strength(self, *, look: Look = "paper") -> Plot:
        """Measured noise against the requested level or intensity."""
        return self("noise_strength", look=look)

    def sources(self, *, axis: Axis = "", look: Look = "paper") -> Plot:
        """Quality against noise for each evidence source."""
        return self("sources", axis=axis, look=look)

    def benchmark(self, *, look: Look = "paper") -> Plot:
        """Bars of the clean engines by evidence source."""
        return self("benchmark", look=look)

    def pareto(self, *, look: Look = "paper") -> Plot:
        """The quality of clean engines against their seconds per page and their cost."""
        return self("pareto", look=look)

    def predictiveness(
        self, *further: StudyRun, metrics: Sequence[str] = (), look: Look = "paper"
    ) -> Plot:
        """How well each metric of OCR quality predicts the loss of each outcome."""
        return self("predictiveness", *further, metrics=metrics, look=look)

    def attribution(self, *, look: Look = "paper") -> Plot:
        """The F1 lost to OCR, chunking, retrieval and the reader; needs the study's cache."""
        return self("attribution", look=look)

    def figure3(self, *further: StudyRun, look: Look = "paper") -> Plot:
        """The paper's figure 3, from this run and further together."""
        return self("figure3", *further, look=look)
