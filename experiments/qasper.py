"""Scores answers as QASPER's evaluator does, from its prediction files or a finished run.

``ohr convert qasper PAPERS.json PREDICTIONS`` reads a published file of papers, and
predictions: a JSONL file with ``question_id``, ``predicted_answer`` and ``predicted_evidence``, or
the folder of a finished run on ``dataset.kind=qasper``, whose answers are written to ``--out`` in
that format, a file for each knowledge base and system. ``ohr.metrics.qasper`` says what the scores
are.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import OptionalOut, command


@command
def main(
    papers: Annotated[Path, typer.Argument(metavar="PAPERS.json", help="Papers and questions.")],
    predictions: Annotated[
        Path, typer.Argument(metavar="FILE.jsonl|RUN", help="Predictions, or a finished run.")
    ],
    out: OptionalOut = None,
    drop_unanswerable: Annotated[
        bool, typer.Option("--drop-unanswerable", help="Leave out answers that there is none.")
    ] = False,
    text_evidence_only: Annotated[
        bool, typer.Option("--text-evidence-only", help="Leave out figures and tables as evidence.")
    ] = False,
) -> int:
    """Score answers as QASPER's evaluator does."""
    from experiments.convert.qasper_scores import score_predictions

    return score_predictions(
        papers,
        predictions,
        out,
        unanswerable=not drop_unanswerable,
        text_evidence_only=text_evidence_only,
    )


if __name__ == "__main__":
    main()
