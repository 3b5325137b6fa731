"""Fits a model of an engine's OCR errors to its output, for noise=[ocr_errors].

``ohr dev fit-errors RUN --out model.json`` takes the OCR output and the ground truth of a
finished run (``ohr run noise-curve`` with ``engines=[tesseract] noise=[semantic]``, for example;
its clean pages and each intensity are a level of the model). Pages that the run did not read are
left out; the run's data must be in place. ``ohr dev fit-errors TRUTH OUTPUT
--out model.json`` takes two folders with ``<domain>/<document>.json``, such as OHR-Bench's ``gt``
and ``MinerU``; ``--questions`` names the questions about them. The model holds counts and no text.

The check is part of it. Errors are made by models that were fitted to other documents, and compared
with the real ones: r_noise, losses of retrieval, runs of words, and whether a classifier tells them
apart. With a single document nothing is tested. Its outcome stands in the model;
``model_check.csv`` and ``model_check.png`` are beside it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import names, results_command
from experiments._parameters import Domains, OcrOutput, OutputQuestions, Seed


@results_command
def main(
    sources: OcrOutput,
    out: Annotated[Path, typer.Option(help="File for the model.")],
    engine: Annotated[
        str, typer.Option(help="The engine's label, if a run has several; its name in the model.")
    ] = "",
    questions: OutputQuestions = None,
    domains: Domains = "",
    check_pages: Annotated[
        int,
        typer.Option(
            min=1, help="Most pages on which errors are made for the check; at least a document."
        ),
    ] = 600,
    seed: Seed = 0,
) -> int:
    """Fit a model of an engine's OCR errors, and check it."""
    from ohr.analysis.ocr_errors.report import fit_and_check

    return fit_and_check(sources, out, engine, questions, names(domains), check_pages, seed)


if __name__ == "__main__":
    main()
