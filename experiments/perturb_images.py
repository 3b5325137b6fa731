"""Distorts the pages of PDFs and images, for users who only want distorted pages.

``python -m experiments.perturb_images PDFS_OR_FOLDER --out DIR`` writes
``DIR/<noise>_<level>/<document>/page_0001.png``, ``DIR/records.jsonl`` (a line a page: what was
drawn, enough to make the page again) and ``DIR/contact_sheet.png``. A page that cannot be read
is reported and left out; the others are written.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import command
from experiments.interchange.noisy_pages import (
    SUFFIXES,
    _spec,
    check_kind,
    write_noisy_pages,
)
from ohr.study.noise import noises
from ohr.study.pages.sources import DistortTask, Format, find_pages


@command("Distort the pages of PDFs and images.")
def main(
    inputs: Annotated[list[Path], typer.Argument(help="PDFs, images, or folders of them.")],
    out: Annotated[Path, typer.Option(help="Folder to write to.")],
    noise: Annotated[
        list[str], typer.Option(help="A distortion, or semantic; may be given several times.")
    ] = ["semantic"],  # noqa: B006  # typer copies it
    level: Annotated[
        list[str] | None, typer.Option(help="mild, moderate or severe; by default all three.")
    ] = None,
    intensity: Annotated[
        list[float] | None, typer.Option(min=0, max=1, help="Instead of a level, 0 to 1.")
    ] = None,
    dpi: Annotated[
        int, typer.Option(min=30, max=1200, help="Of rendered PDFs, and of images that name none.")
    ] = 150,
    format: Annotated[Format, typer.Option(help="Of the images written.")] = "png",
    quality: Annotated[int, typer.Option(min=1, max=100, help="Of JPEG and WebP.")] = 90,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same bytes.")] = 0,
    workers: Annotated[int, typer.Option(min=1)] = 2,
) -> int:
    """Write the distorted pages, their records and a contact sheet."""

    specs = [_spec(text) for text in noise]
    tasks = []
    for source in find_pages(inputs, dpi):
        points = noises(specs, level, intensity or [], source.dpi)
        check_kind(points)
        file = source.file(SUFFIXES[format])
        files = tuple((point, f"{point.name}_{point.strength}/{file}") for point in points)
        tasks.append(DistortTask(source, files, seed, out, format, quality))
    return write_noisy_pages(tasks, out, workers)


if __name__ == "__main__":
    main()
