"""A report of finished runs that opens by double click, with the cases behind the numbers.

``ohr report RUN [RUN ...] --out DIR`` writes ``DIR/index.html`` and what it
needs. It can be opened from disk, mailed as a folder, or served by any static server; nothing is
loaded from elsewhere.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import FinishedRuns, Out, command
from ohr.report.options import ReportOptions


@command
def main(
    runs: FinishedRuns,
    out: Out,
    cases: Annotated[
        str, typer.Option(help="Which cases have details: worst:N,random:N,failed:N or all.")
    ] = ReportOptions.cases,
    images: Annotated[
        str, typer.Option(help="Pictures of pages: webp:SIDE:QUALITY, or none.")
    ] = ReportOptions.images,
    max_mb: Annotated[
        int, typer.Option(min=1, help="That pictures may take in all.")
    ] = ReportOptions.most_mb,
    title: Annotated[str, typer.Option(help="Of the report; by default the runs' names.")] = "",
) -> int:
    """Write an interactive HTML report of finished runs."""
    from ohr.report.build import build_report
    from ohr.study.results import open_run

    opened = [open_run(Path(run)) for run in runs]
    built = build_report(opened, out, ReportOptions(cases, images, max_mb, title))
    for line in built.lines(out):
        print(line)
    return 0


if __name__ == "__main__":
    main()
