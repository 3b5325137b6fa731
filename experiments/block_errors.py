"""Counts blocks with textual and structural OCR errors, after table S3 of the paper.

``ohr paper block-errors dataset.kind=ohrbench … "engines=[precomputed:MinerU]"`` takes a study's
options and reads the pages that are not in the cache. It cuts the ground truth into blocks of
running text, formulas and tables, finds each in the OCR output, and counts those with errors
(:mod:`ohr.metrics.blocks` defines an error).
"""

from __future__ import annotations

from typing import Annotated

from experiments._command import Settings, command
from experiments._parameters import OptionalOut
from ohr.study.config import StudyConfig
from ohr.study.presets import preset


@command
def main(
    config: Annotated[StudyConfig, Settings(preset("block-errors"))], out: OptionalOut = None
) -> int:
    """Count blocks with OCR errors (table S3)."""
    from experiments.papers.block_errors.report import EXPLANATION, FILE, errors_table
    from experiments.papers.block_errors.table import block_errors
    from ohr.display.terminal import say_files, show
    from ohr.ocr.progress import Progress
    from ohr.store.csv import write_csv

    errors = block_errors(config, Progress())
    show(errors_table(errors))
    print(EXPLANATION)
    if out is not None:
        write_csv(out / FILE, errors)
        say_files([out / FILE])
    return 0


if __name__ == "__main__":
    main()
