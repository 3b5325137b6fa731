"""Compares OCR text with page images as input to retrieval and answers, on one noise axis.

``ohr run vision [CONFIG.yaml] [key=value ...] --out RUN`` measures every retriever with every
reader; one of text and one of page images each make four routes. The axis is the measured noise of
one engine (``--axis-engine``) on the pages that all routes see, beside the intensity of the noise.
``RUN/routes.csv`` holds the points, ``RUN/table_s4.csv`` the clean pages by evidence source, as in
the paper's table S4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from experiments._parameters import Axis
from experiments._study_command import study_command
from ohr.study.presets import preset

if TYPE_CHECKING:
    from ohr.study.results import StudyRun

AxisEngine = Annotated[
    str | None,
    typer.Option(help="Engine whose noise is the axis; default: the first that reads images."),
]


@study_command(
    preset("vision"),
    needs="overall",
)
def main(run: StudyRun, axis_engine: AxisEngine = None, axis: Axis = None) -> None:
    """Compare OCR with page images on one noise axis."""
    from ohr.analysis.vision.report import report

    report(run, axis_engine, axis or "")


if __name__ == "__main__":
    main()
