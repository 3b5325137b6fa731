"""Writes a board of finished runs: their conditions, ranked by what noise costs them.

``ohr board RUN [RUN ...] --out DIR`` writes ``DIR/index.html``, a page that opens with a double
click and loads nothing from elsewhere, and the same figures as ``board.csv`` and ``board.json``.
Submissions of a suite are given as files, or as their folder: ``ohr board boards/ohr-c-1 --out
DIR``. ``ohr board check FILE`` checks one.

``--baseline gt`` compares with the ground truth under noise, and then also ranks engines that were
measured on clean pages alone.
"""

from __future__ import annotations

from typing import Annotated

import typer

from experiments._command import results_command
from experiments._parameters import FinishedRuns, Out, OutcomeMetrics
from ohr.errors import ConfigError


@results_command
def main(
    runs: FinishedRuns,
    out: Out,
    metric: OutcomeMetrics = None,
    title: Annotated[
        str, typer.Option(help="Title of the board; default: the names of the runs.")
    ] = "",
    baseline: Annotated[
        str,
        typer.Option(
            help="Condition whose loss is 100, such as 'gt' or 'gt, bm25'; default: Tesseract, "
            "BM25, extractive."
        ),
    ] = "",
) -> int:
    """Rank the conditions of finished runs by what noise costs."""
    from ohr.suites.report import are_submissions, print_suite, read_submissions

    if are_submissions(runs):
        if metric or title or baseline:
            raise ConfigError("a board of submissions has no --metric, --title and --baseline")
        print_suite(read_submissions(runs), out)
        return 0
    from ohr.report.board.build import build_board

    for line in build_board(runs, out, metric or [], title, baseline):
        print(line)
    return 0


if __name__ == "__main__":
    main()
