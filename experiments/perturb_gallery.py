"""Draws part of a page under each distortion, at rising intensity, in one picture.

``ohr perturb gallery --out gallery.jpg``
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import command
from experiments._parameters import Dpi, Seed


@command
def main(
    out: Annotated[Path, typer.Option(help="Picture to write: .jpg, .png or .webp.")],
    page: Annotated[
        Path | None,
        typer.Option(
            help="Page image, or PDF, whose first page is used; default: a page of the sample."
        ),
    ] = None,
    noise: Annotated[
        list[str] | None,
        typer.Option(help="A distortion; repeat for more. Default: the eight and semantic."),
    ] = None,
    dpi: Dpi = 150,
    seed: Seed = 0,
    width: Annotated[int, typer.Option(min=50, help="Width of each part in pixels.")] = 360,
    whole: Annotated[bool, typer.Option("--whole", help="Show the whole page.")] = False,
) -> int:
    """Draw a page under each distortion, at rising intensity."""
    from experiments.noisy.gallery import draw_gallery, picture_kind
    from ohr.store.atomic import write_bytes

    kind = picture_kind(out)
    count, picture = draw_gallery(page, noise or [], dpi, seed, width, whole, kind)
    write_bytes(out, picture)
    print(f"{count} pictures: {out}")
    return 0


if __name__ == "__main__":
    main()
