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

from experiments._command import command
from experiments._parameters import (
    CORES,
    Budget,
    Cache,
    Dpi,
    DryRun,
    Inputs,
    Instability,
    OptionalOut,
    OwnEngines,
    PageRanges,
    Seed,
    Truth,
    Workers,
    check_out_given,
)


@command
def main(
    inputs: Inputs,
    out: OptionalOut = None,
    engines: OwnEngines = None,
    budget: Budget = 40,
    pages: PageRanges = "",
    truth: Truth = None,
    route_seconds: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=9,
            help="Share of the seconds of the slower engine on every page that routes may take, "
            "such as 0.4; default: routes keep 0.95 of its predicted gain.",
        ),
    ] = None,
    instability: Instability = True,
    dpi: Dpi = 150,
    seed: Seed = 0,
    workers: Workers = CORES,
    cache: Cache = Path(".ohr-cache"),
    dry_run: DryRun = False,
) -> int:
    """Estimate the errors of OCR output of your PDFs."""
    from ohr.adviser.own_pages import ocr_settings
    from ohr.adviser.quality.study import report_quality

    check_out_given(out, dry_run=dry_run)
    settings = ocr_settings(engines, cache, workers, instability=instability)
    return report_quality(
        inputs,
        settings,
        out,
        budget=budget,
        dpi=dpi,
        seed=seed,
        truth=truth,
        pages=pages,
        dry_run=dry_run,
        route_seconds=route_seconds,
    )


if __name__ == "__main__":
    main()
