"""A part of a page under each distortion, at rising strength, in one picture.

``python -m experiments.gallery --out gallery.jpg``
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from PIL import Image

from experiments._command import command
from experiments.figures.gallery import INTENSITIES, QUALITY, distorted, part_of, points_of
from experiments.figures.sheets import busiest_pages, contact_sheet
from ohr.errors import ConfigError
from ohr.pdf import load_image
from ohr.store.atomic import write_bytes
from perturb.image.semantic import STRONG, WEAK


@command("Draw a part of a page under each distortion, at rising strength.")
def main(
    out: Annotated[Path, typer.Option(help="Picture to write: .jpg, .png or .webp.")],
    page: Annotated[
        Path | None, typer.Option(help="Page image; by default a page of the sample.")
    ] = None,
    noise: Annotated[
        list[str] | None, typer.Option(help="A distortion; by default the eight and semantic.")
    ] = None,
    dpi: Annotated[int, typer.Option(min=30, max=1200, help="Resolution of the page.")] = 150,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    width: Annotated[int, typer.Option(min=50, help="Pixels a part.")] = 360,
    whole: Annotated[bool, typer.Option("--whole", help="Show the whole page.")] = False,
) -> int:
    """Write the picture."""

    if out.suffix.lower() not in Image.registered_extensions():
        raise ConfigError(f"cannot write a picture called {out.name}: use .jpg, .png or .webp")
    chosen = page or next(p.image for p in busiest_pages([], seed) if p.image)
    # In colour, since paper has one.
    clean = np.asarray(Image.fromarray(load_image(chosen)).convert("RGB"))
    points = points_of(noise or [*WEAK, *STRONG, "semantic"], dpi)
    images = [part_of(distorted(clean, point, seed), whole) for point in points]
    captions = [f"{point.name.replace('_', ' ')} {point.strength}" for point in points]
    sheet = contact_sheet(images, columns=len(INTENSITIES), width=width, captions=captions)
    sink = io.BytesIO()
    kind = Image.registered_extensions()[out.suffix.lower()]
    sheet.save(sink, kind, quality=QUALITY)
    write_bytes(out, sink.getvalue())
    print(f"{len(points)} pictures: {out}")
    return 0


if __name__ == "__main__":
    main()
