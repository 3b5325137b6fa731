"""Recommends an engine and a retriever for your PDFs, without ground truth or questions.

``ohr recommend my_pdfs --engines tesseract,rapidocr --out runs/mine`` reads a sample of the pages,
predicts the errors of each OCR output (as ``ohr quality estimate`` does), makes questions (as
``ohr questions make`` does), and measures retrieval on clean pages and under the requested noise,
which then decides the engine. It ends in three lines: the recommendation, how certain it is, and
what it costs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import (
    Cache,
    Dpi,
    Out,
    OwnEngines,
    Seed,
    Truth,
    Wobble,
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
        str, typer.Option(help="Levels of noise, beside clean pages: mild, moderate, severe.")
    ] = "",
    truth: Truth = None,
    report: Annotated[
        bool, typer.Option("--report", help="Also write an interactive report, OUT/report.")
    ] = False,
    wobble: Wobble = True,
    dpi: Dpi = 150,
    seed: Seed = 0,
    workers: Workers = 1,
    cache: Cache = Path(".ohr-cache"),
) -> int:
    """Recommend an OCR engine and a retriever for your PDFs."""
    from ohr.adviser.own_pages import reading_of
    from ohr.adviser.recommend.study import Wanted, recommend
    from ohr.study.config import parse_plugins

    reading = reading_of(engines, cache, workers, wobble=wobble)
    wanted = Wanted(
        budget,
        questions,
        parse_plugins("retriever", retrievers),
        names(levels),
        dpi,
        seed,
        truth,
        report,
    )
    return recommend(folder, reading, wanted, out)


if __name__ == "__main__":
    main()
