"""Compares OCR engines: OCR, retrieval, generation and overall quality by evidence source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments._study_command import study_command
from ohr.study.presets import preset

if TYPE_CHECKING:
    from ohr.study.results import StudyRun


@study_command(preset("ocr-benchmark"))
def main(run: StudyRun) -> None:
    """Compare OCR engines by retrieval and answers.

    The output of any other tool is an engine too: engines=[precomputed:FOLDER].
    """
    from ohr.analysis.benchmark.report import report

    report(run)


if __name__ == "__main__":
    main()
