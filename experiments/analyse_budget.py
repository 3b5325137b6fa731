"""Says how clean OCR must be: the noise curve read backwards.

``ohr analyse budget RUN [RUN ...] --lose 0.05`` takes finished runs with several levels of noise.
For each engine, noise, metric and kind of evidence it names the most noise that was measured at
which a further set of as many documents loses at most 5 % of the clean score, in 95 % of all cases.
It is the content r_noise by default. ``budgets.csv`` has every curve, with the loss and its bound
there and at the next level, and how often budgets by half of the documents held on the other half.
"""

from __future__ import annotations

from typing import Annotated

import typer

from experiments._command import results_command
from experiments._parameters import Axis, FinishedRuns, OptionalOut, OutcomeMetrics


@results_command
def main(
    runs: FinishedRuns,
    lose: Annotated[
        float, typer.Option(help="Largest share of the clean score that may be lost.")
    ] = 0.05,
    out: OptionalOut = None,
    metric: OutcomeMetrics = None,
    axis: Axis = None,
) -> int:
    """Say how much noise a loss that you accept allows.

    Without --out the table goes to the first run's folder.
    """
    from ohr.analysis.budget.report import report_budgets

    return report_budgets(runs, lose, metric or [], axis or "", out)


if __name__ == "__main__":
    main()
