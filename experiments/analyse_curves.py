"""Noise curves in numbers: area, slope, breakpoint and retention.

``ohr analyse curves RUN [RUN ...] --out DIR`` writes ``curves.csv``, with one row per engine,
noise, retriever, reader, stage, metric and group. For runs that differ in their seed it also
writes ``seeds.csv``, with the variance of each number between seeds.

``--axis`` names the metric of damage. Formatting noise and image noise can be compared only by a
metric that sees both, ``r_noise_reference`` or ``edit_distance``, on the same questions. Under
``default`` scoring, r_noise hardly sees mark-up.
"""

from __future__ import annotations

from experiments._command import results_command
from experiments._parameters import Axis, FinishedRuns, OptionalOut


@results_command
def main(
    runs: FinishedRuns,
    out: OptionalOut = None,
    axis: Axis = None,
) -> int:
    """Print area, slope and retention of noise curves.

    Without --out the tables go to the first run's folder.
    """
    from ohr.analysis.curves.report import report_curves

    return report_curves(runs, axis or "", out)


if __name__ == "__main__":
    main()
