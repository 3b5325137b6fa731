"""Makes questions with answers and evidence from documents that have none.

``ohr questions make DATA --out DIR`` takes a folder of PDFs (their text layers),
a folder ``retrieval_base`` (its ground truth), or, with ``--readings``, what at least two engines'
readings agree on; never what one engine has read. Tables, dates, amounts, names, definitions,
headings, lists and captions are asked for by rules; ``--writer`` has a language model write
questions too, and ``--checker`` has one check them all. ``DIR/questions.csv`` (or ``.json``) is
what a study reads, ``DIR/rejected.csv`` has the others with the reason, ``DIR/yields.csv`` the
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
        Path, typer.Argument(metavar="DATA", help="PDFs, retrieval_base, or readings' folder.")
    ],
    out: Out,
    readings: Annotated[
        str,
        typer.Option(help="Two or more knowledge bases, parted by commas: what they agree on."),
    ] = "",
    pages: Annotated[
        int | None, typer.Option(min=1, help="So many pages, evenly over documents; default all.")
    ] = None,
    most: Annotated[
        int | None, typer.Option(min=1, help="At most so many questions; default all.")
    ] = None,
    seed: Seed = 0,
    writer: Annotated[
        str,
        typer.Option(help="Model that writes questions too, '{name: openai, params: {model: …}}'."),
    ] = "",
    checker: Annotated[str, typer.Option(help="Model that checks every question.")] = "",
    verdicts: Annotated[
        Path | None,
        typer.Option(help="JSON of what a person says of each: keep, mend or drop, by its id."),
    ] = None,
    review: Annotated[
        bool, typer.Option("--review", help="Also write a report to review them in, DIR/review.")
    ] = False,
    cache: Annotated[Path, typer.Option(help="Where a model's answers are kept.")] = Path(
        ".ohr-cache"
    ),
) -> int:
    """Make questions, with answers and evidence, from documents.

    Equal data, seed and options give equal files; a model's answers are kept, so that a run that
    was killed goes on.
    """
    from ohr.adviser.question_set import Wishes, write_questions

    wishes = Wishes(names(readings), pages, most, seed, writer, checker, verdicts, review, cache)
    return write_questions(data, out, wishes)


if __name__ == "__main__":
    main()
