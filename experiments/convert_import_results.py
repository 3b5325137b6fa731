"""Imports result files of the published evaluation as a run that ``ohr analyse compare`` reads.

``ohr convert import-results [STAGE=]FILE ... --questions QAS.json --out RUN`` takes what the
evaluation of OHR-Bench writes (JSON with ``results``), or JSON lines with ``id`` and ``lcs``,
``lcs_page``, ``F1`` or ``EM``. All files belong to one knowledge base. The stage follows from the
metric, except for answers: write ``generation=FILE`` or ``overall=FILE``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import command
from experiments._parameters import Out


@command
def main(
    files: Annotated[
        list[str],
        typer.Argument(metavar="[STAGE=]FILE", help="Result files of one knowledge base."),
    ],
    questions: Annotated[Path, typer.Option(help="The file of questions behind the results.")],
    out: Out,
    engine: Annotated[str, typer.Option(help="The engine of the knowledge base.")] = "published",
    retriever: Annotated[str, typer.Option(help="The retriever's name.")] = "published",
    reader: Annotated[str, typer.Option(help="The reader's name.")] = "published",
    top_k: Annotated[int, typer.Option(min=1, help="Number of retrieved chunks.")] = 2,
) -> int:
    """Import results of the published evaluation as a run.

    STAGE is generation or overall, for files of answers.
    """
    from experiments.convert.published_results import Names, import_results

    return import_results(files, questions, out, Names(engine, retriever, reader, top_k))


if __name__ == "__main__":
    main()
