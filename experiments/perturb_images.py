"""Distorts the pages of PDFs and images, without a study.

``ohr perturb images PDFS_OR_FOLDER --out DIR`` writes
``DIR/<noise>_<level>/<document>/page_0001.png``, ``DIR/records.jsonl`` (one line per page, with the
drawn parameters, from which the page can be made again) and ``DIR/contact_sheet.png``. A page that
cannot be opened is reported and left out; the others are written.
"""

from __future__ import annotations

from typing import Annotated

import typer

from experiments._command import command, parse_shard
from experiments._parameters import Dpi, Inputs, OfShard, Out, Seed, Steal, Workers
from ohr.display.choices import ImageFormat


@command
def main(
    inputs: Inputs,
    out: Out,
    noise: Annotated[
        list[str] | None,
        typer.Option(help="A distortion; repeat for more. Default: semantic, the mixture."),
    ] = None,
    level: Annotated[
        list[str] | None,
        typer.Option(help="mild, moderate or severe; repeat for more. Default: all three."),
    ] = None,
    intensity: Annotated[
        list[float] | None,
        typer.Option(min=0, max=1, help="Intensity from 0 to 1, beside or instead of levels."),
    ] = None,
    dpi: Dpi = 150,
    format: Annotated[ImageFormat, typer.Option(help="Format of the written images.")] = "png",
    quality: Annotated[int, typer.Option(min=1, max=100, help="Quality of JPEG and WebP.")] = 90,
    seed: Seed = 0,
    workers: Workers = 2,
    shard: OfShard = "",
    steal: Steal = False,
) -> int:
    """Distort the pages of PDFs and images."""
    from experiments.noisy.pages import distort_files
    from ohr.study.config import parse_plugin

    specs = [parse_plugin("noise", text) for text in noise or ["semantic"]]
    part = parse_shard(shard, steal)
    return distort_files(
        inputs, out, specs, level, intensity or [], dpi, format, quality, seed, workers, part
    )


if __name__ == "__main__":
    main()
