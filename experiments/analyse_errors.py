"""Counts questions by whether OCR and answer are right, after the paper's figure 5.

``ohr analyse errors RUN [RUN ...] --out DIR`` reads finished runs. OCR is right where the
evidence's word LCS with its page is above 0.95, by the tokens of ``--axis``: by default those of
the published r_noise. The paper does not define a right answer; here its F1 must
reach ``--right``, by default 0.5.
"""

from __future__ import annotations

from typing import Annotated

import typer

from experiments._command import results_command
from experiments._parameters import Axis, FinishedRuns, Out
from ohr.display.choices import ANSWER_STAGES, RIGHT


@results_command
def main(
    runs: FinishedRuns,
    out: Out,
    right: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="F1 from which an answer is right.")
    ] = RIGHT,
    stage: Annotated[
        str, typer.Option(help="overall (retrieved chunks) or generation (gold pages).")
    ] = ANSWER_STAGES[0],
    axis: Axis = None,
) -> int:
    """Count where OCR and answer are right (figure 5)."""
    from ohr.analysis.error_analysis.report import analyse_errors

    return analyse_errors(runs, out, right, stage, axis or "")


if __name__ == "__main__":
    main()
