"""Typesets the pages of any dataset with ground-truth text as PDFs.

``ohr dataset typeset dataset.kind=ohrbench dataset.path=… dataset.questions=… --out TYPESET``
writes one PDF per document, one page of the PDF for each page of the dataset, in one of five looks.
So image noise and OCR can be studied on data that have no page images. Tables become tables, LaTeX
becomes formulas; what cannot be typeset is printed as text, counted and named.

The folder has the layout of OHR-Bench, with the dataset's documents, questions and page texts, and
beside them the boxes of all blocks:
``dataset.kind=ohrbench dataset.path=TYPESET/retrieval_base dataset.questions=TYPESET/qas.json
dataset.pdfs=TYPESET/pdfs``. With ``--markdown FOLDER`` the pages are your own Markdown.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from experiments._command import Settings, command
from experiments._parameters import CORES, Out, Seed, Workers
from ohr.study.config import StudyConfig


@command
def main(
    config: Annotated[StudyConfig, Settings(options=("dataset",), reads_pages=False)],
    out: Out,
    look: Annotated[
        Literal["report", "paper", "manual", "newspaper", "typewriter"] | None,
        typer.Option(help="Look of all documents; default: drawn for each document."),
    ] = None,
    markdown: Annotated[
        Path | None,
        typer.Option(
            help="Folder of your own Markdown, <domain>/<document>.md or "
            "<domain>/<document>/page_0001.md, in place of a dataset."
        ),
    ] = None,
    per_document: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Questions of each document, drawn with the seed, its evidence sources in turn; "
            "only the pages of their evidence are typeset. Default: all questions, all pages.",
        ),
    ] = None,
    further_pages: Annotated[
        int,
        typer.Option(
            min=0,
            help="With --per-document: further pages of each document, those that BM25 finds "
            "best for its questions.",
        ),
    ] = 1,
    seed: Seed = 0,
    workers: Workers = CORES,
) -> int:
    """Typeset the pages of a dataset as PDFs.

    The folder must be new, or come from the same command, which then continues.
    """
    from experiments.convert.typesetting import typeset_pages

    return typeset_pages(config, out, look, markdown, per_document, further_pages, seed, workers)


if __name__ == "__main__":
    main()
