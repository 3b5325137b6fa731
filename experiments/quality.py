"""Estimates the errors of OCR output without ground truth, and which engine makes fewer.

``ohr quality estimate my_pdfs --engines tesseract,rapidocr --out runs/quality`` reads a sample of
the pages. Its signals are: how far the engines disagree, the instability under mild distortion, the
distance from the text layer, and the look of the words. From these it predicts edit distance and
content r_noise, with intervals. ``to_transcribe.csv`` names the pages to transcribe; ``--truth``
then corrects the estimates.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import (
    Cache,
    Dpi,
    Inputs,
    Out,
    OwnEngines,
    Seed,
    Truth,
    Wobble,
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
    wobble: Wobble = True,
    dpi: Dpi = 150,
    seed: Seed = 0,
    workers: Workers = 1,
    cache: Cache = Path(".ohr-cache"),
) -> int:
    """Estimate the OCR errors on your PDFs."""
    from ohr.adviser.own_pages import reading_of
    from ohr.adviser.quality.study import report_quality

    reading = reading_of(engines, cache, workers, wobble=wobble)
    return report_quality(inputs, reading, out, pages=pages, dpi=dpi, seed=seed, truth=truth)


if __name__ == "__main__":
    main()
