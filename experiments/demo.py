"""Shows what noise costs: what two engines read from 60 documents of the sample is shipped."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from experiments._parameters import Axis, Look
from experiments._study_command import study_command
from ohr.study.presets import preset

if TYPE_CHECKING:
    from ohr.study.results import StudyRun

NEXT = (
    "next: read pages yourself, with the engine that comes with OHR",
    "  ohr run noise-curve --engines rapidocr --noise semantic --levels severe --out runs/first",
)


@study_command(preset("demo"), out=Path("runs/demo"), next_steps=NEXT)
def main(run: StudyRun, axis: Axis = None, look: Look = "paper") -> None:
    """Run a small study on shipped OCR output: what noise costs."""
    from ohr import registry
    from ohr.analysis.curves.study_report import report
    from ohr.figures.style import drawn_for
    from ohr.plugins.shipped import ShippedEngine

    with drawn_for(look):
        report(run, axis or "", brief=True)
    engines = [registry.create("engine", spec) for spec in run.config.engines]
    if readers := [engine.read_by() for engine in engines if isinstance(engine, ShippedEngine)]:
        print(f"no engine ran here: shipped texts, read once by {' and '.join(readers)}")


if __name__ == "__main__":
    main()
