"""OCR or pictures: the routes from pages to answers side by side, on the same noise axis.

``ohr run vision [CONFIG.yaml] [key=value ...] --out RUN`` measures every retriever
with every reader: with one of text and one of page images each, the four routes. The axis is the
measured noise of an engine's reading (``--axis-engine``) of the very pages that all routes see, and
the intensity of the noise beside it. ``RUN/routes.csv`` holds the points, ``RUN/table_s4.csv`` the
clean pages by evidence source, as the paper's table S4 has them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from experiments._command import Axis, study_command

if TYPE_CHECKING:
    from ohr.study.results import Run

AxisEngine = Annotated[
    str | None,
    typer.Option(help="Engine whose measured noise is the axis; by default the first of images."),
]


@study_command(
    {"engines": ["tesseract"], "noise": ["semantic"], "stages": ["ocr", "retrieval", "overall"]},
    needs="overall",
)
def main(run: Run, axis_engine: AxisEngine = None, axis: Axis = "r_noise") -> None:
    """Compare OCR with page images on one noise axis."""
    from ohr.analysis.vision.report import report

    report(run, axis_engine, axis)


if __name__ == "__main__":
    main()
