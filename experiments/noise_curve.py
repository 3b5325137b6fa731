"""Shows quality against measured noise, at every stage, on distorted pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments._command import CurveAxis, study_command

if TYPE_CHECKING:
    from ohr.study.results import Run


@study_command({"engines": ["tesseract"], "noise": ["salt_and_pepper"], "ground_truth": True})
def main(run: Run, axis: CurveAxis = None) -> None:
    """Measure OCR, retrieval and answers under noise."""
    from ohr.analysis.curves.study_report import report

    report(run, axis or "")


if __name__ == "__main__":
    main()
