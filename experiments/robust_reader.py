"""How well readers stand noise, beside each other: retention, paired tests, the paper's table S5.

``ohr analyse robustness RUN --out DIR`` reads a finished run with several readers.
A noisy knowledge base is held against the same engine's reading of the clean pages, an engine's
clean reading against the ground truth. A reader's retention is its F1 above what it scores with
nothing to read, over the same from the clean knowledge base.
"""

from __future__ import annotations

from typing import Annotated

import typer

from experiments._command import FinishedRun, Out, command


@command
def main(
    run: FinishedRun,
    out: Out,
    baseline: Annotated[
        str, typer.Option(help="Reader to compare the others with; else the first.")
    ] = "",
) -> int:
    """Compare readers by the quality they keep under noise (S5)."""
    from ohr.analysis.robustness.report import compare_readers
    from ohr.study.results import open_run

    return compare_readers(open_run(run), out, baseline)


if __name__ == "__main__":
    main()
