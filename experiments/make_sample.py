"""Writes a generated benchmark of any size in the layout of OHR-Bench.

``python -m experiments.make_sample --pages 1000 --out DIR`` writes ``pdfs/``,
``retrieval_base/gt/``, ``boxes/``, ``documents.json`` and ``qas.json``; read it with
``dataset.kind=ohrbench dataset.path=DIR/retrieval_base dataset.questions=DIR/qas.json
dataset.pdfs=DIR/pdfs``.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from experiments._command import command
from ohr.sample.attributes import ATTRIBUTES
from ohr.sample.corpus import DIFFICULTY, Difficulty
from ohr.sample.scale import Recipe, write_sample
from ohr.study.progress import Progress


@command("Write a generated benchmark: documents, exact ground truth, questions.")
def main(
    out: Annotated[Path, typer.Option(help="Folder to write to; new, or of this same command.")],
    pages: Annotated[int, typer.Option(min=1, max=100_000, help="Pages in all.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same bytes.")] = 0,
    workers: Annotated[int, typer.Option(min=1, help="Processes that render.")] = 2,
    questions_per_page: Annotated[
        float, typer.Option(min=0.1, max=4.0, help="Questions a page, on average.")
    ] = 1.0,
    attributes: Annotated[
        str,
        typer.Option(help=f"Challenging attributes, parted by commas: {', '.join(ATTRIBUTES)}."),
    ] = "",
    difficulty: Annotated[
        Difficulty,
        typer.Option(help="Of how many years each company has documents that say like things."),
    ] = DIFFICULTY,
    images: Annotated[bool, typer.Option("--images", help="Write page images too.")] = False,
) -> int:
    """Write the sample and say how fast it went."""
    wanted = tuple(name.strip() for name in attributes.split(",") if name.strip())
    recipe = Recipe(seed, pages, questions_per_page, wanted, images, difficulty)
    return _write(recipe, out, workers)


def _write(recipe: Recipe, out: Path, workers: int) -> int:
    start = time.monotonic()
    first: list[int] = []
    with Progress(verb="writing") as progress:

        def report(done: int, total: int) -> None:
            first.append(done)
            progress("the sample", done, total)

        made = write_sample(recipe, out, workers=workers, progress=report)
    if not made:
        print(f"the sample is already in {out}")
        return 0
    pages, seconds = recipe.n_pages - first[0], time.monotonic() - start
    print(f"{pages} pages in {seconds:.0f} s, {pages / max(seconds, 1e-9):.1f} a second: {out}")
    return 0


if __name__ == "__main__":
    main()
