"""Labels questions with PDFTriage's ten categories, by rule.

``ohr dev categories QUESTIONS --out FILE`` reads questions in the format of OHR-Bench (JSON) or
of a folder of PDFs (CSV). A question without a category gets the one that a rule finds
(:mod:`ohr.datasets.categories`); nothing else changes. For questions that state a category, it
prints how often the rule agrees.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import command


@command
def main(
    questions: Annotated[
        Path, typer.Argument(metavar="QUESTIONS", help="A JSON or CSV file of questions.")
    ],
    out: Annotated[Path, typer.Option(help="The file to write.")],
) -> int:
    """Label questions with the categories of PDFTriage, by rule."""
    from experiments.convert.categories import fill_in

    return fill_in(questions, out)


if __name__ == "__main__":
    main()
