"""Scores answers as QASPER's evaluator does, from prediction files or a finished run.

``ohr convert qasper PAPERS.json PREDICTIONS`` reads a published file of papers, and predictions.
These are a JSONL file with ``question_id``, ``predicted_answer`` and ``predicted_evidence``, or the
folder of a finished run on ``dataset.kind=qasper``. A run's answers are written to ``--out`` in the
JSONL format, one file per knowledge base and system. ``ohr.metrics.qasper`` defines the scores.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import command
from experiments._parameters import OptionalOut


@command
def main(
    papers: Annotated[Path, typer.Argument(metavar="PAPERS.json", help="Papers and questions.")],
    predictions: Annotated[
        Path, typer.Argument(metavar="FILE.jsonl|RUN", help="Predictions, or a finished run.")
    ],
    out: OptionalOut = None,
    drop_unanswerable: Annotated[
        bool,
        typer.Option(
            "--drop-unanswerable", help="Leave out annotations that call the question unanswerable."
        ),
    ] = False,
    text_evidence_only: Annotated[
        bool,
        typer.Option("--text-evidence-only", help="Do not count figures and tables as evidence."),
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
