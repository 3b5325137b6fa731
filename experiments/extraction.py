"""Scores how much text of paragraphs and tables engines extract, after DRC's table 3.

``ohr paper extraction dataset.kind=sample "engines=[structured,tesseract]"`` takes a study's
options and reads the pages that are not in the cache. It compares the words of each document's
paragraphs, and of its tables, with those of the ground truth.
"""

from __future__ import annotations

from typing import Annotated

from experiments._command import Settings, command
from experiments._parameters import OptionalOut
from ohr.study.config import StudyConfig
from ohr.study.presets import preset


@command
def main(
    config: Annotated[StudyConfig, Settings(preset("extraction"))], out: OptionalOut = None
) -> int:
    """Score the words of paragraphs and tables (DRC's table 3)."""
    from experiments.papers.drc.extraction import extraction_table
    from experiments.papers.drc.extraction_report import EXPLANATION, FILE, extraction_report
    from ohr.display.terminal import say_files, show
    from ohr.ocr.progress import Progress
    from ohr.store.csv import write_csv

    scores = extraction_table(config, Progress())
    show(extraction_report(scores))
    print(EXPLANATION)
    if out is not None:
        write_csv(out / FILE, scores)
        say_files([out / FILE])
    return 0


if __name__ == "__main__":
    main()
