"""Writes a generated benchmark of any size in the layout of OHR-Bench.

``ohr dataset make-sample --pages 1000 --out DIR`` writes ``pdfs/``, ``retrieval_base/gt/``,
``boxes/``, ``documents.json`` and ``qas.json``. Use it with
``dataset.kind=ohrbench dataset.path=DIR/retrieval_base dataset.questions=DIR/qas.json
dataset.pdfs=DIR/pdfs``. With ``--categories`` it also writes ``qas_categories.json``, which can
replace ``qas.json`` as ``dataset.questions``.
"""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from experiments._command import command, names
from experiments._parameters import LIST, Out, Seed, Workers
from ohr.sample.choices import ATTRIBUTES, DIFFICULTY, Difficulty


@command
def main(
    out: Out,
    pages: Annotated[int, typer.Option(min=1, max=100_000, help="Total number of pages.")] = 1000,
    seed: Seed = 0,
    workers: Workers = 2,
    questions_per_page: Annotated[
        float, typer.Option(min=0.1, max=4.0, help="Questions per page, on average.")
    ] = 1.0,
    attributes: Annotated[
        str,
        typer.Option(
            metavar=LIST,
            help=f"Challenging attributes, separated by commas: {', '.join(ATTRIBUTES)}.",
        ),
    ] = "",
    difficulty: Annotated[
        Difficulty,
        typer.Option(help="For how many years each company has similar documents."),
    ] = DIFFICULTY,
    images: Annotated[bool, typer.Option("--images", help="Also write page images.")] = False,
    categories: Annotated[
        bool,
        typer.Option("--categories", help="Also write questions of PDFTriage's ten categories."),
    ] = False,
    corpus: Annotated[
        Literal["companies", "insurance"],
        typer.Option(help="insurance: 15 German policies and 300 questions, of a fixed size."),
    ] = "companies",
) -> int:
    """Write a benchmark: documents, ground truth, questions.

    The folder must be new, or come from the same command, which then continues.
    """
    from experiments.convert.sample import write_benchmark, write_policies
    from ohr.sample.scale import Recipe

    if corpus == "insurance":
        return write_policies(seed, out, images)
    recipe = Recipe(seed, pages, questions_per_page, names(attributes), images, difficulty)
    return write_benchmark(recipe, out, workers, categories=categories)


if __name__ == "__main__":
    main()
