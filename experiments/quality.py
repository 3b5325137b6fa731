"""How wrong a reading is, without truth: signals, predicted errors, and who reads better.

``ohr quality estimate my_pdfs --engines tesseract,rapidocr --out runs/quality`` reads a
sample of the pages and looks at each reading: how far the engines disagree, how far the reading
moves under mild distortions, how far it is from the text layer, what its words look like. From
these it predicts edit distance and content r_noise, with intervals. ``to_transcribe.csv`` names
the pages to transcribe; ``--truth`` corrects the estimates by them.
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
    pages: Annotated[int, typer.Option(min=1, help="Pages that are read.")] = 40,
    truth: Truth = None,
    wobble: Wobble = True,
    dpi: Dpi = 150,
    seed: Seed = 0,
    workers: Workers = 1,
    cache: Cache = Path(".ohr-cache"),
) -> int:
    """Estimate the errors of OCR output of your PDFs."""
    from ohr.adviser.own_pages import reading_of
    from ohr.adviser.quality.study import report_quality

    reading = reading_of(engines, cache, workers, wobble=wobble)
    return report_quality(inputs, reading, out, pages=pages, dpi=dpi, seed=seed, truth=truth)


if __name__ == "__main__":
    main()
