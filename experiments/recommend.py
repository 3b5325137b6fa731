"""Recommends an engine and a retriever for your PDFs, without ground truth or questions.

``ohr recommend my_pdfs --engines tesseract,rapidocr --out runs/mine`` reads a sample of the pages,
predicts the errors of each output (like ``ohr quality estimate``), makes questions (like
``ohr questions make``), and measures retrieval, clean and under the requested noise, by which the
engine is chosen. It ends with three lines: what to take, how sure that is, what it costs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import (
    Cache,
    Dpi,
    Instability,
    Out,
    OwnEngines,
    Seed,
    Truth,
    Workers,
    command,
    names,
)


@command
def main(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder of PDFs.")],
    out: Out,
    engines: OwnEngines = None,
    retrievers: Annotated[str, typer.Option(help="Retrievers, separated by commas.")] = "bm25",
    budget: Annotated[int, typer.Option(min=1, help="Number of pages to read.")] = 200,
    questions: Annotated[int, typer.Option(min=1, help="Number of questions to ask.")] = 200,
    levels: Annotated[
        str, typer.Option(help="Levels of page noise in addition to clean pages, e.g. moderate.")
    ] = "",
    truth: Truth = None,
    report: Annotated[
        bool, typer.Option("--report", help="Also write an interactive report, OUT/report.")
    ] = False,
    instability: Instability = True,
    dpi: Dpi = 150,
    seed: Seed = 0,
    workers: Workers = 1,
    cache: Cache = Path(".ohr-cache"),
) -> int:
    """Recommend an OCR engine and a retriever for your PDFs."""
    from ohr.adviser.own_pages import ocr_settings
    from ohr.adviser.recommend.study import Request, recommend
    from ohr.study.config import parse_plugins

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
    )
    return recommend(folder, settings, request, out)


if __name__ == "__main__":
    main()
