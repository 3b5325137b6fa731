"""Shows quality against measured noise, at every stage, on distorted pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments._parameters import Axis, Look
from experiments._study_command import study_command
from ohr.study.presets import preset

if TYPE_CHECKING:
    from ohr.study.results import StudyRun


@study_command(preset("noise-curve"))
def main(run: StudyRun, axis: Axis = None, look: Look = "paper") -> None:
    """Measure OCR, retrieval and answers under noise."""
    from ohr.analysis.curves.study_report import report
    from ohr.figures.style import drawn_for

    with drawn_for(look):
        report(run, axis or "")


if __name__ == "__main__":
    main()
