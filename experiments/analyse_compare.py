"""Compares finished runs: differences with intervals, tests, effect sizes, and changed settings.

``ohr analyse compare RUN [RUN ...] --out DIR`` pairs the runs' conditions question by question. In
a single run, its knowledge bases are compared, or with ``--by`` its retrievers, readers and so on.

``ohr analyse compare OLD NEW --fail-if "retrieval:hit@2 < -0.02"`` is a gate for continuous
integration. It exits with 1 only if the 95 % interval of the change, over documents and paired by
question, lies entirely beyond the margin. Several conditions are corrected together.
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
) -> int:
    """Compare finished runs, paired by question."""
    from ohr.analysis.comparison.report import compare_runs

    return compare_runs(runs, out, by, baseline, metric or [], groups, fail_if or [])


if __name__ == "__main__":
    main()
