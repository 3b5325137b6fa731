"""Make a run's cells.csv anew from its rows.

``rows.parquet`` is the truth: means, intervals and counts are taken of it, with what the manifest
says of the metrics. The result is what the study wrote, to the byte.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import FinishedRun, command


@command
def main(
    run: FinishedRun,
    out: Annotated[
        Path | None, typer.Option(help="File to write; by default the run's own cells.csv.")
    ] = None,
) -> int:
    """Take the means of a run's rows again."""
    from experiments.reports.cells import write_cells

    return write_cells(run, out)


if __name__ == "__main__":
    main()
