"""A report of finished runs that opens by double click, with the cases behind the numbers.

``python -m experiments.report RUN [RUN ...] --out DIR`` writes ``DIR/index.html`` and what it
needs. It can be opened from disk, mailed as a folder, or served by any static server; nothing is
loaded from elsewhere.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import FinishedRuns, Out, command
from experiments.browser.build import build_report
from experiments.browser.select import DEFAULT
from ohr.study.results import open_run


@command
def main(
    runs: FinishedRuns,
    out: Out,
    cases: Annotated[
        str, typer.Option(help="Which cases have details: worst:N,random:N,failed:N or all.")
    ] = DEFAULT,
    images: Annotated[
        str, typer.Option(help="Pictures of pages: webp:SIDE:QUALITY, or none.")
    ] = "webp:1024:60",
    max_mb: Annotated[int, typer.Option(min=1, help="That pictures may take in all.")] = 200,
    title: Annotated[str | None, typer.Option(help="Of the report.")] = None,
) -> int:
    """Write a report to look into."""
    opened = [open_run(Path(run)) for run in runs]
    called = title or ", ".join(run.name for run in opened)
    selection = build_report(opened, out, called, cases, images, max_mb)
    print(f"{selection.sentence()}")
    print(f"report: {out / 'index.html'}")
    return 0


if __name__ == "__main__":
    main()
