"""Compares finished runs: differences with intervals, tests, effect sizes, and changed settings.

``ohr analyse compare RUN [RUN ...] --out DIR`` pairs the runs' conditions question by question. In
a single run, its knowledge bases are compared, or with ``--by`` its retrievers, readers and so on.

``ohr analyse compare OLD NEW --fail-if "retrieval:hit@2 < -0.02"`` is a gate for continuous
integration. It exits with 1 only if the 95 % interval of the change, over documents and paired by
question, lies entirely beyond the margin; with ``--fail-undecided`` also if some line is not
decided. Several conditions are corrected together.
"""

from __future__ import annotations

from typing import Annotated

import typer

from experiments._command import results_command
from experiments._parameters import Baseline, FinishedRuns, OptionalOut, OutcomeMetrics
from ohr.display.choices import ASPECTS


@results_command
def main(
    runs: FinishedRuns,
    out: OptionalOut = None,
    by: Annotated[
        str, typer.Option(help=f"What to compare: {', '.join(ASPECTS)}.", show_default=False)
    ] = "",
    baseline: Baseline = "",
    metric: OutcomeMetrics = None,
    groups: Annotated[
        bool, typer.Option("--groups", help="Also each evidence source, domain, form and task.")
    ] = False,
    fail_if: Annotated[
        list[str] | None,
        typer.Option(
            help="Exit with 1 if a loss is beyond a margin with confidence, such as "
            "'retrieval:hit@2 < -0.02'; repeat for more."
        ),
    ] = None,
    fail_undecided: Annotated[
        bool,
        typer.Option(
            "--fail-undecided", help="With --fail-if: exit with 1 too if a line is not decided."
        ),
    ] = False,
) -> int:
    """Compare finished runs, paired by question."""
    from ohr.analysis.comparison.report import compare_runs

    return compare_runs(
        runs, out, by, baseline, metric or [], groups, fail_if or [], fail_undecided
    )


if __name__ == "__main__":
    main()
