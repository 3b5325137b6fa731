"""Shows what noise costs: a page of each document of the sample, clean and warped, RapidOCR."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from experiments._parameters import Axis, Look
from experiments._study_command import study_command
from ohr.study.presets import preset

if TYPE_CHECKING:
    from ohr.study.results import StudyRun

NEXT = (
    "next: all 24 pages at 150 dpi, rotated, with Tesseract (apt-get install tesseract-ocr)",
    '  ohr run noise-curve "engines=[tesseract]" "noise=[rotation]" --out runs/rotation',
)


@study_command(preset("demo"), out=Path("runs/demo"), next_steps=NEXT)
def main(run: StudyRun, axis: Axis = None, look: Look = "paper") -> None:
    """Run a small study on bundled pages: what noise costs."""
    from ohr.analysis.curves.study_report import report
    from ohr.figures.style import drawn_for

    with drawn_for(look):
        report(run, axis or "", brief=True)


if __name__ == "__main__":
    main()
