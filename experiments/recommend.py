"""Recommends an engine and a retriever for your PDFs, without ground truth or questions.

``ohr recommend my_pdfs --out runs/mine`` checks the text layers, reads a sample of the pages,
predicts the errors of each output (like ``ohr quality estimate``), makes questions (like
``ohr questions make``), and measures retrieval, clean and under the requested noise. It prints a
verdict, the engines' scores and the command that reads all files so. It writes these with the
reasons, the cost and what would make it surer to ``recommendation.txt`` and
``recommendation.json``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import command, names
from experiments._parameters import (
    CORES,
    LIST,
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
    retrievers: Annotated[
        str, typer.Option(metavar=LIST, help="Retrievers, separated by commas.")
    ] = "bm25",
    budget: Budget = 200,
    minutes: Annotated[
        float | None,
        typer.Option(min=0, help="Most minutes to read and check; default: no limit."),
    ] = None,
    read_all: Annotated[
        bool,
        typer.Option(
            "--read-all", help="Read --budget pages, also if fewer settle which engine is better."
        ),
    ] = False,
    pages: PageRanges = "",
    questions: Annotated[int, typer.Option(min=1, help="Number of questions to ask.")] = 200,
    levels: Annotated[
        str,
        typer.Option(
            metavar=LIST, help="Levels of page noise in addition to clean pages, e.g. moderate."
        ),
    ] = "",
    truth: Truth = None,
    report: Annotated[
        bool, typer.Option("--report", help="Also write an interactive report, OUT/report.")
    ] = False,
    instability: Instability = True,
    dpi: Dpi = 150,
    seed: Seed = 0,
    workers: Workers = CORES,
    cache: Cache = Path(".ohr-cache"),
    dry_run: DryRun = False,
) -> int:
    """Recommend an OCR engine and a retriever for your PDFs."""
    from ohr.adviser.own_pages import ocr_settings
    from ohr.adviser.recommend.made_questions import Request
    from ohr.adviser.recommend.study import report_recommendation
    from ohr.study.config import parse_plugins

    check_out_given(out, dry_run=dry_run)
    settings = ocr_settings(engines, cache, workers, instability=instability)
    request = Request(
        budget,
        questions,
        parse_plugins("retriever", retrievers),
        names(levels),
        dpi,
        seed,
        truth,
        report,
        pages,
        minutes,
        read_all,
    )
    return report_recommendation(inputs, settings, request, out, dry_run=dry_run)


if __name__ == "__main__":
    main()
