"""Draws one page of each domain of the sample, side by side in one picture.

``ohr dev contact-sheet --out sheet.png``
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import command, names
from experiments._parameters import LIST, Seed
from ohr.sample.choices import ATTRIBUTES


@command
def main(
    out: Annotated[Path, typer.Option(help="PNG file to write.")],
    attributes: Annotated[
        str,
        typer.Option(
            metavar=LIST,
            help=f"Challenging attributes, separated by commas: {', '.join(ATTRIBUTES)}.",
        ),
    ] = "",
    seed: Seed = 0,
    columns: Annotated[int, typer.Option(min=1, help="Pages per row.")] = 4,
    width: Annotated[int, typer.Option(min=50, help="Width of a page in pixels.")] = 520,
) -> int:
    """Draw one page of each domain of the sample."""
    from experiments.noisy.sheets import draw_sample
    from ohr.store.atomic import write_bytes

    count, picture = draw_sample(names(attributes), seed, columns, width)
    write_bytes(out, picture)
    print(f"{count} pages: {out}")
    return 0


if __name__ == "__main__":
    main()
