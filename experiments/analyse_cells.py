"""Recomputes a run's ``cells.csv`` from ``rows.parquet``.

Means, intervals and counts are taken from the rows, and the metrics' properties from the manifest.
The result equals what the study wrote, to the byte.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import results_command
from experiments._parameters import FinishedRun


@results_command
def main(
    run: FinishedRun,
    out: Annotated[
        Path | None, typer.Option(help="File to write; default: the run's cells.csv.")
    ] = None,
) -> int:
    """Recompute cells.csv from rows.parquet."""
    from ohr.files.safe_text import plain
    from ohr.store.csv import write_csv
    from ohr.study.results import recompute_cells

    cells = recompute_cells(run)
    path = out or run / "cells.csv"
    before = path.read_bytes() if path.exists() else None
    write_csv(path, cells)
    state = "unchanged" if before == path.read_bytes() else "new" if before is None else "changed"
    print(f"cells: {plain(str(path))} ({len(cells)} rows, {state})")
    return 0


if __name__ == "__main__":
    main()
