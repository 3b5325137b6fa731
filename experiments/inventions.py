"""Measures what OCR engines make up, with tests whose truth is known by construction.

``ohr run inventions [FILE ...] --engines tesseract,rapidocr --out runs/inventions`` reads three
kinds of pages. Words of known place are covered, a share of ``--doses`` of a page's words: those
that come out all the same are invented, less what comes out by chance. Pages without text (blank,
specks, bleed-through, black, scanner lines, a drawn landscape): whatever comes out is invented. And
the same page again (as JPEG, moved by a pixel, scaled by 0.98): words and numbers that come and go.
Without files, pages of the generated sample are used. ``OUT/inventions.csv`` has means with
intervals, ``OUT/inventions_pages.csv`` the counts, ``OUT/pictures`` the worst cases.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import command, names
from experiments._parameters import (
    CORES,
    LIST,
    Budget,
    Cache,
    Dpi,
    DryRun,
    Out,
    OwnEngines,
    PageRanges,
    Seed,
    Workers,
)


@command
def main(
    out: Out,
    inputs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE", help="PDFs, images, or folders of them; default: the generated sample."
        ),
    ] = None,
    engines: OwnEngines = None,
    budget: Budget = 20,
    pages: PageRanges = "",
    tests: Annotated[
        str, typer.Option(metavar=LIST, help="Tests: covered, textless, repeats.")
    ] = "covered,textless,repeats",
    doses: Annotated[
        str, typer.Option(metavar=LIST, help="Shares of a page's words to cover.")
    ] = "0.05,0.1,0.2,0.35,0.5",
    covers: Annotated[
        str,
        typer.Option(
            metavar=LIST, help="Covers that take turns from page to page: white, grey, texture."
        ),
    ] = "white,grey,texture",
    boxes: Annotated[
        Path | None,
        typer.Option(
            help="Folder with the words or lines of images: NAME.json, a list of "
            "[x, y, width, height, text] in pixels, or NAME.txt as SROIE has it."
        ),
    ] = None,
    textless: Annotated[
        int, typer.Option(min=1, max=1000, help="Number of pages of each kind without text.")
    ] = 3,
    dpi: Dpi = 150,
    seed: Seed = 0,
    workers: Workers = CORES,
    cache: Cache = Path(".ohr-cache"),
    dry_run: DryRun = False,
) -> int:
    """Measure what OCR engines make up on pages of known truth."""
    from ohr.adviser.inventions import Request, run_inventions

    request = Request(
        inputs or [],
        boxes,
        names(tests),
        names(doses),
        names(covers),
        textless,
        budget,
        pages,
        dpi,
        seed,
    )
    return run_inventions(request, engines, cache, workers, out, dry_run=dry_run)


if __name__ == "__main__":
    main()
