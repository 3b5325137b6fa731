"""Fits what error the signals of a reading speak for.

``ohr quality fit RUN [RUN ...] --out model.json`` takes the pages of runs of
``ohr quality confidence``. Every domain counts the same; the intervals are those that hold for
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
        typer.Argument(metavar="RUN", help="Folders of ohr quality confidence."),
    ],
    out: Annotated[Path, typer.Option(help="File for the model.")],
) -> int:
    """Fit the predictor of OCR errors to signals of finished runs."""
    from ohr.adviser.quality.fit_report import report_fit

    return report_fit(runs, out)


if __name__ == "__main__":
    main()
