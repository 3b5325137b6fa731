"""Asks whether the same amount of noise costs the same, whatever its kind.

``ohr analyse equal-noise RUN [RUN ...] --at 0.1 --at 0.2`` takes finished runs with the ground
truth and at least one engine or noise. For each engine and kind of noise it draws a curve from the
ground truth over clean pages to the strongest noise, and reads off the loss where the content
r_noise is 0.1 and 0.2. Each kind is compared with the ``--reference``: paired where the questions
are the same, as independent samples where the pages are others. So it says whether r_noise measures
damage in the same unit for formatting noise, image noise, simulated errors and real scans.
"""

from __future__ import annotations

from typing import Annotated

import typer

from experiments._command import results_command
from experiments._parameters import Axis, FinishedRuns, OptionalOut, OutcomeMetrics


@results_command
def main(
    runs: FinishedRuns,
    at: Annotated[
        list[float] | None,
        typer.Option(help="Amount of noise; repeat for more. Default: 0.1, 0.2, 0.3 and 0.4."),
    ] = None,
    reference: Annotated[
        str,
        typer.Option(
            help="Kind to compare with, such as 'tesseract, semantic'; default: the kind with "
            "the most levels."
        ),
    ] = "",
    out: OptionalOut = None,
    metric: OutcomeMetrics = None,
    axis: Axis = None,
) -> int:
    """Compare kinds of noise at the same amount of noise.

    Without --out the table and the figure go to the first run's folder.
    """
    from ohr.analysis.equal_noise.report import report_equal_noise
    from ohr.analysis.equal_noise.table import AT

    return report_equal_noise(runs, at or AT, reference, metric or [], axis or "", out)


if __name__ == "__main__":
    main()
