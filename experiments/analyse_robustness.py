"""Compares how well readers keep their quality under noise: retention and tests (table S5).

``ohr analyse robustness RUN --out DIR`` reads a finished run with several readers. A noisy
knowledge base is compared with the same engine on clean pages, and a clean engine with the ground
truth. A reader's retention is its F1 above its F1 without context, divided by the same on the clean
knowledge base.
"""

from __future__ import annotations

from experiments._command import results_command
from experiments._parameters import Baseline, FinishedRun, Out


@results_command
def main(
    run: FinishedRun,
    out: Out,
    baseline: Baseline = "",
) -> int:
    """Compare readers by the quality they keep under noise (S5)."""
    from ohr.analysis.robustness.report import compare_readers
    from ohr.study.opening import open_runs

    [opened] = open_runs([run])
    return compare_readers(opened, out, baseline)


if __name__ == "__main__":
    main()
