"""Estimates the errors of OCR output without ground truth, and compares engines.

``ohr quality estimate my_pdfs --engines tesseract,rapidocr --out runs/quality`` reads a
sample of the pages and observes each output: how much the engines disagree, how much the output
changes under mild distortions, how far it is from the text layer, and what its words look like.
From these signals it predicts edit distance and content r_noise, with intervals.
``to_transcribe.csv`` names pages to transcribe; with ``--truth`` they correct the estimates.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import (
    Cache,
    Dpi,
    Inputs,
    Instability,
    Out,
    OwnEngines,
    Seed,
    Truth,
    Workers,
    command,
)


@command
def main(
    inputs: Inputs,
    out: Out,
    engines: OwnEngines = None,
    pages: Annotated[int, typer.Option(min=1, help="Number of pages to read.")] = 40,
    truth: Truth = None,
    instability: Instability = True,
    dpi: Dpi = 150,
    seed: Seed = 0,
    workers: Workers = 1,
    cache: Cache = Path(".ohr-cache"),
) -> int:
    """Estimate the errors of OCR output of your PDFs."""
    from ohr.adviser.own_pages import ocr_settings
    from ohr.adviser.quality.study import report_quality

    settings = ocr_settings(engines, cache, workers, instability=instability)
    return report_quality(inputs, settings, out, pages=pages, dpi=dpi, seed=seed, truth=truth)


if __name__ == "__main__":
    main()
