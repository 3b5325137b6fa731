"""Compares whole RAG systems under noise, on the same questions: losses and their causes.

``ohr run systems "systems=[rag,p3]" "engines=[gt,tesseract]" "noise=[semantic]" --out RUN`` runs a
study with several systems. ``RUN/systems.csv`` has each system's scores, losses and their
differences, with intervals; ``RUN/system_costs.csv`` has the cost of its answers. With ``--parts``
each system is asked again with its outline, its search or its reading from the ground truth, and
``RUN/system_parts.csv`` has the loss through each. Questions that were written for one system's
rules are left out of all figures; ``RUN/tables/written_for.csv`` has the F1 without and with them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from experiments._parameters import Axis
from experiments._study_command import study_command
from ohr.study.presets import preset

if TYPE_CHECKING:
    from ohr.study.results import StudyRun

Parts = Annotated[
    bool, typer.Option("--parts", help="Also attribute the loss to outline, finding and reading.")
]


@study_command(
    preset("systems"),
    needs="overall",
)
def main(run: StudyRun, parts: Parts = False, axis: Axis = None) -> None:
    """Compare whole RAG systems under noise."""
    from ohr.analysis.systems.report import report

    report(run, parts=parts, axis=axis or "")


if __name__ == "__main__":
    main()
