"""Which engine and retriever to take for one's own PDFs, without truth and questions.

``ohr recommend my_pdfs --engines tesseract,rapidocr --out runs/mine`` reads a
sample of the pages, predicts how wrong each reading is (as ``ohr quality estimate`` does), makes
questions (as ``ohr questions make`` does), measures retrieval clean and under the noise
asked for, under which the engine is then chosen, and ends in three lines: what to take, how sure
that is, what it costs.
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
    budget: Annotated[int, typer.Option(min=1, help="Pages that are read.")] = 200,
    questions: Annotated[int, typer.Option(min=1, help="Questions that are asked.")] = 200,
    levels: Annotated[
        str, typer.Option(help="Levels of page noise beside the clean pages, such as moderate.")
    ] = "",
    truth: Truth = None,
    report: Annotated[
        bool, typer.Option("--report", help="Also write a report to look into, OUT/report.")
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
