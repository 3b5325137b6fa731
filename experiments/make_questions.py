"""Makes questions with answers and evidence from documents that have none.

``ohr questions make DATA --out DIR`` takes a folder of PDFs (their text layers), or a folder
``retrieval_base`` (its ground truth). With ``--readings`` it takes the text on which the OCR output
of at least two engines agrees, never that of a single engine. Rules ask for tables, dates, amounts,
names, definitions, headings, lists and captions. With ``--writer`` a language model writes
questions too, and with ``--checker`` one checks all of them. ``DIR/questions.csv`` (or ``.json``)
is for studies, ``DIR/rejected.csv`` has the rejected questions with reasons, ``DIR/yields.csv`` the
counts by kind.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import Out, Seed, command, names


@command
def main(
    data: Annotated[
        Path,
        typer.Argument(metavar="DATA", help="Folder of PDFs, of retrieval_base, or of --readings."),
    ],
    out: Out,
    readings: Annotated[
        str,
        typer.Option(
            help="Two or more knowledge bases, separated by commas: use only text they agree on."
        ),
    ] = "",
    pages: Annotated[
        int | None,
        typer.Option(min=1, help="Number of pages, spread evenly over documents; default: all."),
    ] = None,
    most: Annotated[
        int | None, typer.Option(min=1, help="Largest number of questions; default: all.")
    ] = None,
    seed: Seed = 0,
    writer: Annotated[
        str,
        typer.Option(
            help="Model that writes more questions: '{name: openai, params: {model: …}}'."
        ),
    ] = "",
    checker: Annotated[str, typer.Option(help="Model that checks every question.")] = "",
    verdicts: Annotated[
        Path | None,
        typer.Option(help="verdicts.json of a review: keep, mend or drop for each question."),
    ] = None,
    review: Annotated[
        bool,
        typer.Option(
            "--review", help="Also write a report for reviewing the questions, DIR/review."
        ),
    ] = False,
    cache: Annotated[
        Path, typer.Option(help="Folder of the cache, for the model's answers.")
    ] = Path(".ohr-cache"),
) -> int:
    """Make questions, with answers and evidence, from documents.

    Equal data, seed and options give equal files. A model's answers are cached, so that an
    interrupted run can continue.
    """
    from ohr.adviser.question_set import Wishes, write_questions

    wishes = Wishes(names(readings), pages, most, seed, writer, checker, verdicts, review, cache)
    return write_questions(data, out, wishes)


if __name__ == "__main__":
    main()
