"""Which measure of reading says what noise will cost retrieval and answers.

``ohr analyse predictiveness RUN [RUN ...] --out DIR`` reads finished runs. A question's
damage is how much worse the page of its evidence was read under noise than by the same engine
without (by an engine, than the ground truth has it); its loss is what its score fell by.
``DIR/predictiveness.csv`` has Spearman's correlation of the two for each measure of the stage ocr,
outcome, kind of question and of noise: *pooled* over all conditions, *within* each, and
*between* the means of the conditions; with intervals, Kendall's tau, and how far each measure
lies behind the best, and behind the best of its kind (of pages, of the evidence).
``DIR/predictor_pairs.csv`` has every pair of measures, p corrected over all. Outcomes are hit@k and
the F1 of answers, then the retrieval LCS. Where a measure shares part of the outcome's definition,
as the LCS of the evidence with the page does with that of the evidence with the hits, the column
``overlaps`` says so, and the measure is compared with none.
``metrics=[default,reading]`` measures tables, formulas, regions and reading order too.
"""

from __future__ import annotations

from typing import Annotated

import typer

from experiments._command import FinishedRuns, OptionalOut, command


@command
def main(
    runs: FinishedRuns,
    out: OptionalOut = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(help="Outcome stage:metric, as retrieval:hit@2; repeat for more."),
    ] = None,
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
