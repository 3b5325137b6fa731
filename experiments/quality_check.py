"""How far predictions of quality hold on pages whose truth is known.

``ohr quality check RUN [RUN ...] --out DIR`` takes the pages of runs of
``ohr quality confidence`` that the shipped predictions were not fitted on, as they are, as if they
had no text layer, and by their text alone. Every domain counts the same, and the worst is named.
With ``--left-out`` each domain is predicted by a fit of the others, which says what a fit of these
runs is worth.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import Out, command


@command
def main(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN", help="Folders of ohr quality confidence."),
    ],
    out: Out,
    left_out: Annotated[
        bool, typer.Option("--left-out", help="Predict each domain by a fit of all the others.")
    ] = False,
) -> int:
    """Check predicted OCR errors on pages with known truth."""
    from ohr.adviser.quality.check import report_check

    return report_check(runs, out, left_out=left_out)


if __name__ == "__main__":
    main()
