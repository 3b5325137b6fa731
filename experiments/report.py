"""Writes an interactive report of finished runs, with the cases behind the numbers.

``ohr report RUN [RUN ...] --out DIR`` writes ``DIR/index.html`` and the files it needs. Open it
with a double click, mail the folder, or serve it by any static server. It loads nothing from
elsewhere. The folder of a recommendation may be given as well: the report begins with its verdict.
"""

from __future__ import annotations

from typing import Annotated

import typer

from experiments._command import results_command
from experiments._parameters import FinishedRuns, Out
from ohr.report.options import ReportOptions


@results_command
def main(
    runs: FinishedRuns,
    out: Out,
    cases: Annotated[
        str, typer.Option(help="Cases with details: worst:N,random:N,failed:N or all.")
    ] = ReportOptions.cases,
    images: Annotated[
        str, typer.Option(help="Page images: webp:SIDE:QUALITY, or none.")
    ] = ReportOptions.images,
    max_mb: Annotated[
        int, typer.Option(min=1, help="Largest size of all page images, in MB.")
    ] = ReportOptions.most_mb,
    title: Annotated[
        str, typer.Option(help="Title of the report; default: the names of the runs.")
    ] = "",
) -> int:
    """Write an interactive HTML report of finished runs."""
    from ohr.report.build import build_report
    from ohr.report.recommendation import recommended_runs
    from ohr.study.opening import open_runs

    folders, verdict = recommended_runs(runs)
    opened = open_runs(folders)
    title = title or "Recommendation" * bool(verdict)
    built = build_report(opened, out, ReportOptions(cases, images, max_mb, title, verdict))
    for line in built.lines(out):
        print(line)
    return 0


if __name__ == "__main__":
    main()
