"""PDFTriage's ten categories, filled into a file of questions by rule.

``ohr dataset categories QUESTIONS --out FILE`` reads questions as OHR-Bench (JSON) or a
folder of PDFs (CSV) has them, gives each that states no category the one that a rule finds
(:mod:`ohr.datasets.categories`), and changes nothing else. Where questions state one, it says how
often the rule agrees.
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
