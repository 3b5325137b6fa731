"""Draws the pages of a dataset anew from their transcribed lines, as clean PDFs.

``ohr dataset twins dataset.kind=sroie dataset.path=… --out TWINS`` writes one PDF per document, in
which every line stands in its box, in clean type, on a page as large as its scan. What an OCR
engine loses on the scan and not on its twin is the cost of the scan. The text layer of each twin is
compared with the transcription; a page that differs is left out and reported.

The folder has the layout of OHR-Bench, with the dataset's documents, questions and page texts:
``dataset.kind=ohrbench dataset.path=TWINS/retrieval_base dataset.questions=TWINS/qas.json
dataset.pdfs=TWINS/pdfs``.
"""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from experiments._command import Settings, command
from experiments._parameters import Out
from ohr.study.config import StudyConfig


@command
def main(
    config: Annotated[StudyConfig, Settings(options=("dataset", "dpi"), reads_pages=False)],
    out: Out,
    face: Annotated[
        Literal["mono", "sans"],
        typer.Option(help="Typeface: mono as typewriters and tills print, or sans."),
    ] = "mono",
) -> int:
    """Draw pages anew from their transcribed lines.

    The folder must be new, or come from the same command, which then only prints its counts.
    """
    from experiments.convert.twins import draw_twins

    return draw_twins(config, out, face)


if __name__ == "__main__":
    main()
