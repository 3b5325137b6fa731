"""A page of each domain of the sample, side by side in one picture.

``python -m experiments.contact_sheet --out sheet.png``
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from PIL import Image

from experiments._command import CommandLine, with_errors
from experiments.figures.sheets import contact_sheet
from ohr.sample import Sample
from ohr.sample.attributes import ATTRIBUTES
from ohr.store.atomic import write_bytes
from ohr.types import Page

main = CommandLine()


def busiest_pages(attributes: Sequence[str], seed: int) -> list[Page]:
    """Of each domain's first document, the page with most kinds of content."""
    params = {"seed": seed, "attributes": attributes}
    dataset = Sample(Sample.Params.model_validate(params)).load()
    chosen: dict[str, Page] = {}
    for document in dataset.documents.values():
        marks = ("\\begin{tabular}", "<chart>", "$$", "figure")
        best = max(document.pages, key=lambda page: sum(mark in page.text for mark in marks))
        chosen.setdefault(document.domain, best)
    return list(chosen.values())


@main.command(help="Draw a page of each domain of the sample side by side.")
def command(
    out: Annotated[Path, typer.Option(help="PNG file to write.")],
    attributes: Annotated[
        str, typer.Option(help=f"Challenging attributes: {', '.join(ATTRIBUTES)}.")
    ] = "",
    seed: Annotated[int, typer.Option(min=0)] = 0,
    columns: Annotated[int, typer.Option(min=1)] = 4,
    width: Annotated[int, typer.Option(min=50, help="Pixels a page.")] = 520,
    debug: Annotated[bool, typer.Option("--debug")] = False,
) -> None:
    """Write the picture."""
    wanted = [name.strip() for name in attributes.split(",") if name.strip()]

    def draw() -> int:
        pages = busiest_pages(wanted, seed)
        images = [Image.open(page.image).convert("L") for page in pages if page.image]
        sink = io.BytesIO()
        contact_sheet(images, columns=columns, width=width).save(sink, "PNG", optimize=True)
        write_bytes(out, sink.getvalue())
        print(f"{len(images)} pages: {out}")
        return 0

    with_errors(draw, debug)


if __name__ == "__main__":
    main()
