"""Finished runs side by side: differences with intervals, tests, effect sizes, what changed.

``ohr analyse compare RUN [RUN ...] --out DIR`` pairs the runs' conditions question by
question. One run alone is compared within: its knowledge bases, or ``--by`` retriever, reader
and so on.
"""

from __future__ import annotations

from typing import Annotated

import typer

from experiments._command import FinishedRuns, OptionalOut, command
from ohr.display.choices import ASPECTS


@command
def main(
    runs: FinishedRuns,
    out: OptionalOut = None,
    by: Annotated[
        str, typer.Option(help=f"What to compare: {', '.join(ASPECTS)}.", show_default=False)
    ] = "",
    baseline: Annotated[
        str, typer.Option(help="What to compare with, as 'gt, clean'; else the first.")
    ] = "",
    metric: Annotated[
        list[str] | None, typer.Option(help="stage:metric, as retrieval:hit@2; repeat for more.")
    ] = None,
    groups: Annotated[
        bool, typer.Option("--groups", help="Also each evidence source, domain, form and task.")
    ] = False,
) -> int:
    """Compare finished runs, paired by question."""
    from ohr.analysis.comparison.report import compare_runs

    return compare_runs(runs, out, by, baseline, metric or [], groups)


if __name__ == "__main__":
    main()
