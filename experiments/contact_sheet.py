"""A page of each domain of the sample, side by side in one picture.

``python -m experiments.contact_sheet --out sheet.png``
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Annotated

import typer
from PIL import Image

from experiments._command import command
from experiments.figures.sheets import busiest_pages, contact_sheet
from ohr.sample.attributes import ATTRIBUTES
from ohr.store.atomic import write_bytes


@command("Draw a page of each domain of the sample side by side.")
def main(
    out: Annotated[Path, typer.Option(help="PNG file to write.")],
    attributes: Annotated[
        str, typer.Option(help=f"Challenging attributes: {', '.join(ATTRIBUTES)}.")
    ] = "",
    seed: Annotated[int, typer.Option(min=0)] = 0,
    columns: Annotated[int, typer.Option(min=1)] = 4,
    width: Annotated[int, typer.Option(min=50, help="Pixels a page.")] = 520,
) -> int:
    """Write the picture."""
    wanted = [name.strip() for name in attributes.split(",") if name.strip()]

    pages = busiest_pages(wanted, seed)
    images = [Image.open(page.image).convert("L") for page in pages if page.image]
    sink = io.BytesIO()
    contact_sheet(images, columns=columns, width=width).save(sink, "PNG", optimize=True)
    write_bytes(out, sink.getvalue())
    print(f"{len(images)} pages: {out}")
    return 0


if __name__ == "__main__":
    main()
