"""Makes questions with answers and evidence from documents that have none.

``ohr questions make DATA --out DIR`` uses the text layers of a folder of PDFs, the ground truth of
a folder ``retrieval_base``, or, with ``--readings``, the text on which at least two engines agree;
never the output of only one engine. Rules ask for tables, dates, amounts, names, definitions,
headings, lists and captions. With ``--writer`` a language model writes questions too, and with
``--checker`` one checks all of them. A study reads ``DIR/questions.csv`` (or ``.json``);
``DIR/rejected.csv`` has the rejected questions with reasons, ``DIR/yields.csv`` the counts by kind.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import command, names
from experiments._parameters import LIST, Out, Seed


@command
def main(
    data: Annotated[
        Path, typer.Argument(metavar="DATA", help="PDFs, retrieval_base, or knowledge bases.")
    ],
    out: Out,
    readings: Annotated[
        str,
        typer.Option(
            metavar=LIST,
            help="Two or more knowledge bases, separated by commas, to find agreement.",
        ),
    ] = "",
    pages: Annotated[
        int | None, typer.Option(min=1, help="Number of pages, evenly over documents; default all.")
    ] = None,
    most: Annotated[
        int | None, typer.Option(min=1, help="Largest number of questions; default all.")
    ] = None,
    seed: Seed = 0,
    writer: Annotated[
        str,
        typer.Option(help="Model that writes questions too, '{name: openai, params: {model: …}}'."),
    ] = "",
    checker: Annotated[str, typer.Option(help="Model that checks every question.")] = "",
    verdicts: Annotated[
        Path | None,
        typer.Option(help="JSON with a person's verdict on each id: keep, fix or drop."),
    ] = None,
    review: Annotated[
        bool, typer.Option("--review", help="Also write a report to review them in, DIR/review.")
    ] = False,
    cache: Annotated[Path, typer.Option(help="Folder that keeps a model's answers.")] = Path(
        ".ohr-cache"
    ),
) -> int:
    """Make questions, with answers and evidence, from documents.

    Equal data, seed and options give equal files. A model's answers are kept, so that a run that
    was killed can continue.
    """
    from ohr.adviser.question_set import QuestionOptions, write_questions

    options = QuestionOptions(
        names(readings), pages, most, seed, writer, checker, verdicts, review, cache
    )
    return write_questions(data, out, options)


if __name__ == "__main__":
    main()
