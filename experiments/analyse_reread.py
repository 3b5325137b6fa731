"""Says which pages to read again first, for the most answers.

``ohr analyse reread RUN --out DIR`` takes a finished run with an engine and a better text of the
same clean pages: the ground truth, or ``--second``. A page's expected answers are the number of
questions whose hits are on it, times what damage such as its costs on other documents.
``DIR/reread.csv`` has the pages in this order; ``DIR/reread_orders.csv`` says what it wins back of
the answers that OCR lost, after 5, 10, 20 and 40 % of the pages, beside the worst OCR first, the
most reached pages first, random pages and an oracle, on questions that were not counted.
With ``--slow ENGINE``, ``DIR/routes.csv`` sends the first ``--share`` of the pages to that engine,
and ``ohr read FILES --routes DIR/routes.csv`` reads them so.
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
    engine: Annotated[
        str, typer.Option(help="Engine whose pages are read again; default: the only one.")
    ] = "",
    second: Annotated[
        str, typer.Option(help="Engine that reads them again, or gt for a perfect text.")
    ] = "gt",
    damage: Annotated[
        str,
        typer.Option(
            help="How damaged a page is: a metric of pages, or garbage (no truth needed)."
        ),
    ] = "edit_distance",
    metric: Annotated[str, typer.Option(help="Metric of answers, of the stage overall.")] = "f1",
    slow: Annotated[
        str, typer.Option(help="Engine to read the first pages again: writes routes.csv.")
    ] = "",
    share: Annotated[
        float | None,
        typer.Option(min=0.0, max=1.0, help="Share of the pages that --slow reads; default: 0.2."),
    ] = None,
) -> int:
    """Say which pages to read again first."""
    from ohr.analysis.reread.report import report_reread

    return report_reread(run, engine, second, damage, metric, out, slow=slow, share=share)


if __name__ == "__main__":
    main()
