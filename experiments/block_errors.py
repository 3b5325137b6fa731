"""Blocks with textual and structural errors, by engine and noise, after table S3 of the paper.

``python -m experiments.block_errors dataset.kind=ohrbench … "engines=[precomputed:MinerU]"``
takes a study's options, reads what is not yet read, cuts the ground truth into blocks of running
text, formulas and tables, finds each in the reading, and counts those with errors
(:mod:`ohr.metrics.blocks` says what an error is).
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import command
from experiments.analysis.block_errors import block_errors
from experiments.reports.block_errors import (
    EXPLANATION,
    FILE,
    errors_table,
)
from experiments.reports.terminal import show
from ohr.study.config import StudyConfig, load_config
from ohr.study.csv import write_csv
from ohr.study.progress import Progress

DEFAULTS = {"stages": ["ocr"]}


@command("Count the blocks of a page that were read with errors, by engine and noise.")
def main(
    settings: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CONFIG.yaml] [key=value ...]",
            help="A YAML file and options such as engines=[tesseract]; quote brackets.",
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help=f"Folder for {FILE}.")] = None,
) -> int:
    """Count blocks with errors."""
    return _run(load_config(settings or [], DEFAULTS), out)


def _run(config: StudyConfig, out: Path | None) -> int:
    found = block_errors(config, Progress())
    show(errors_table(found))
    print(EXPLANATION)
    if out is not None:
        write_csv(out / FILE, found)
        print(f"table: {out / FILE}")
    return 0


if __name__ == "__main__":
    main()
