"""Measures what noise costs each condition, relative to a frozen baseline: 100 is the baseline.

``ohr analyse noise-cost RUN [RUN ...] --out DIR`` divides the loss of each condition (engine,
system, chunker, retriever, reader) by that of Tesseract 5 with BM25 and the extractive reader, on
the same pages, both over all noises. One of the runs must have the baseline. Letters mark the
conditions that do not differ significantly.
"""

from __future__ import annotations

from experiments._command import results_command
from experiments._parameters import FinishedRuns, Out, OutcomeMetrics


@results_command
def main(
    runs: FinishedRuns,
    out: Out,
    metric: OutcomeMetrics = None,
) -> int:
    """Measure what noise costs, relative to a frozen baseline."""
    from ohr.analysis.noise_cost.report import report_costs

    return report_costs(runs, out, metric or [])


if __name__ == "__main__":
    main()
