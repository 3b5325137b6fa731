"""Says which answers of a finished run can be trusted under noise.

``ohr analyse trust RUN --out DIR`` orders the answers of the whole chain by how sure they look: by
the reader's own confidence, the lead of the first hit, the agreement of the answers over two
engines or two draws of the noise, the words of the page that was found, and all of them. No page is
read again. It prints how many answers OCR broke, whether they look less sure than those still
right, and how many of them a check of a tenth by hand finds. ``DIR/trust.md`` also says whether a
risk promised on clean pages holds under noise, and what each signal does alone.
``DIR/trust.csv`` has a row per condition and signal, ``DIR/promises.csv`` the promises.
"""

from __future__ import annotations

from typing import Annotated

import typer

from experiments._command import results_command
from experiments._parameters import FinishedRun, Out


@results_command
def main(
    run: FinishedRun,
    out: Out,
    metric: Annotated[
        str, typer.Option(help="Metric of the stage overall that says how right an answer is.")
    ] = "f1",
    right: Annotated[
        float, typer.Option(help="Least score of an answer that counts as right.")
    ] = 0.5,
    risk: Annotated[
        list[float] | None,
        typer.Option(help="Largest share of wrong answers to promise; default: 0.05, 0.1 and 0.2."),
    ] = None,
) -> int:
    """Say which answers can be trusted under noise."""
    from ohr.analysis.trust.report import report_trust

    return report_trust(run, metric, right, risk or (), out)


if __name__ == "__main__":
    main()
