"""Checks every question of a dataset by the paper's criteria that need no model (section II.5)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import Settings, command
from ohr.display.options import DATASET
from ohr.study.config import StudyConfig


@command
def main(
    config: Annotated[StudyConfig, Settings(groups=(DATASET,), reads_pages=False)],
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write every finding to this file.")
    ] = None,
    examples: Annotated[int, typer.Option(min=0, help="Findings to print for each check.")] = 1,
) -> int:
    """Check a dataset's questions, and the noise of its truth.

    Exit code 0 if it is clean, 1 with findings, 2 on errors.
    """
    from ohr.datasets.floor import truth_floor
    from ohr.datasets.verify import verify
    from ohr.datasets.verify_report import findings_json, findings_table, floor_table
    from ohr.display.terminal import show
    from ohr.store.atomic import write_bytes
    from ohr.study.loading import load_dataset

    dataset = load_dataset(config)
    verification, floor = verify(dataset), truth_floor(dataset.questions, dataset.pages)
    show(findings_table(verification, examples))
    if floor:
        show(floor_table(floor))
    print(
        f"{verification.questions} questions, {verification.failing} with findings"
        if not verification.clean
        else f"{verification.questions} questions, no findings"
    )
    if json_file is not None:
        write_bytes(json_file, findings_json(verification, floor))
    return 0 if verification.clean else 1


if __name__ == "__main__":
    main()
