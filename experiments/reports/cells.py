"""Makes a run's cells anew."""

from __future__ import annotations

from pathlib import Path

from ohr.printable import plain
from ohr.study.csv import write_csv
from ohr.study.results import cells_anew


def write_cells(run: Path, out: Path | None) -> int:
    """Write the cells of a run's rows, and say whether they are what was there. Raises OhrError."""
    cells = cells_anew(run)
    path = out or run / "cells.csv"
    there = path.read_bytes() if path.exists() else None
    write_csv(path, cells)
    same = "as it was" if there == path.read_bytes() else "new" if there is None else "changed"
    print(f"cells: {plain(str(path))} ({len(cells)} rows, {same})")
    return 0
