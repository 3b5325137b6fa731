"""Shows which OCR metric best predicts what noise costs retrieval and answers.

``ohr analyse predictiveness RUN [RUN ...] --out DIR`` reads finished runs. A question's damage is
how much worse the OCR output of its evidence page is than the same engine's without noise (for a
clean engine: than the ground truth). Its loss is how much its score falls.
``DIR/predictiveness.csv`` has Spearman's correlation of the two for each metric of the stage ocr,
outcome, kind of question and kind of noise: *pooled* over all conditions, *within* each, and
*between* the conditions' means. It also has intervals, Kendall's tau, and how far each metric is
behind the best, and behind the best of its kind (of pages, of the evidence).
``DIR/predictor_pairs.csv`` has every pair of metrics, with p corrected over all. Outcomes are hit@k
and the F1 of answers, then the retrieval LCS. A metric that shares part of the outcome's
definition is marked in the column ``overlaps`` and not compared with others: for example the LCS of
the evidence with the page, where the outcome is its LCS with the hits.
``metrics=[default,reading]`` in the study adds metrics of tables, formulas, regions and reading
order.
"""

from __future__ import annotations

from typing import Annotated

import typer

from experiments._command import results_command
from experiments._parameters import FinishedRuns, OptionalOut, OutcomeMetrics


@results_command
def main(
    runs: FinishedRuns,
    out: OptionalOut = None,
    metric: OutcomeMetrics = None,
    groups: Annotated[
        bool, typer.Option("--groups", help="Also each domain, answer form and task.")
    ] = False,
) -> int:
    """Find which OCR metric predicts the loss.

    Without --out the table goes to the first run's folder.
    """
    from ohr.analysis.predictiveness.report import report_predictiveness

    return report_predictiveness(runs, out, metric or [], groups)


if __name__ == "__main__":
    main()
