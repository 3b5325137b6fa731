"""Checks models of OCR errors on pages that they were not fitted to.

``ohr dev check-errors SOURCE --models tesseract,mineru --out DIR`` makes errors by each model
on the pages of a finished run, or of two folders (the truth's and the OCR output's, as for
``ohr dev fit-errors``), and compares them with the real ones page by page. So it says how far a
model may be carried: to another engine, another kind of document, or your own pages. It writes
``transfer.csv``.
"""

from __future__ import annotations

from typing import Annotated

import typer

from experiments._command import names, results_command
from experiments._parameters import LIST, Domains, OcrOutput, Out, OutputQuestions, Seed


@results_command
def main(
    sources: OcrOutput,
    out: Out,
    models: Annotated[
        str, typer.Option(metavar=LIST, help="Models by name or path, separated by commas.")
    ] = "tesseract,rapidocr,mineru",
    engine: Annotated[str, typer.Option(help="The engine's label, if a run has several.")] = "",
    questions: OutputQuestions = None,
    domains: Domains = "",
    check_pages: Annotated[
        int,
        typer.Option(min=1, help="Most pages on which errors are made; at least a document."),
    ] = 600,
    seed: Seed = 0,
) -> int:
    """Check models of OCR errors on pages of your own."""
    from ohr.analysis.ocr_errors.report import check_models

    return check_models(
        sources, names(models), out, engine, questions, names(domains), check_pages, seed
    )


if __name__ == "__main__":
    main()
