"""Fits what error the signals of a reading speak for.

``python -m experiments.fit_quality RUN [RUN ...] --out model.json`` takes the pages of runs of
``experiments.confidence``. Every domain counts the same; the intervals are those that hold for
domains left out. The model that comes with the toolkit was made by it: its ``fitted_on`` says of
what.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import command


@command
def main(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN", help="Folders that experiments.confidence wrote."),
    ],
    out: Annotated[Path, typer.Option(help="File for the model.")],
) -> int:
    """Fit what error the signals of a reading speak for."""
    from ohr.adviser.quality.fit_report import report_fit

    return report_fit(runs, out)


if __name__ == "__main__":
    main()
