"""Checks predicted OCR errors on pages whose truth is known.

``ohr dev check-quality RUN [RUN ...] --out DIR`` takes the pages of runs of ``ohr quality
confidence`` that the shipped model was not fitted on. It predicts their errors with all signals,
without the text layer, and from the text alone. Every domain has the same weight, and the worst is
named. With ``--left-out`` each domain is predicted by a fit to the others, which shows what a fit
to these runs is worth. ``DIR/kinds.csv`` has the coverage by kind of page.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import command
from experiments._parameters import Out


@command
def main(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN", help="Result folders of ohr quality confidence."),
    ],
    out: Out,
    left_out: Annotated[
        bool, typer.Option("--left-out", help="Predict each domain by a fit to all others.")
    ] = False,
    other_half: Annotated[
        bool,
        typer.Option("--other-half", help="Only documents that fit-quality --half does not fit."),
    ] = False,
    model: Annotated[
        Path | None,
        typer.Option(help="A model of fit-quality to check instead of the shipped one."),
    ] = None,
    fitted: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="RUN", help="Runs of fit-quality --half: documents that it fitted are left out."
        ),
    ] = None,
) -> int:
    """Check predicted OCR errors on pages with known truth."""
    from ohr.adviser.quality.check import report_check

    return report_check(
        runs, out, left_out=left_out, other_half=other_half, model=model, fitted=fitted or ()
    )


if __name__ == "__main__":
    main()
