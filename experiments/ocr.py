"""Reads PDFs and images into a knowledge base, in the layout of OHR-Bench.

``python -m experiments.ocr DOCS --engine NAME --out KB`` writes ``KB/<domain>/<document>.json``,
a list of ``{"page_idx": 0, "text": "…"}`` a document, and ``KB/manifest.json``. A study reads it
with ``engines=[precomputed:KB]``. Pages that could not be read are left out, named, and counted:
the exit code is then 1. The same command goes on where it was cut short.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from experiments._command import command
from experiments.interchange.readings import (
    check_out,
    parse_engine,
    select_pages,
    write_readings,
)
from ohr import registry
from ohr.errors import ConfigError
from ohr.plugins import OcrBackend
from ohr.store.artefacts import ArtefactStore
from ohr.store.locking import locked
from ohr.study.pages.files import FileReadings, file_pages
from ohr.study.pages.sources import find_pages
from ohr.workers import Limits


@command("Read PDFs and images into a knowledge base.")
def main(
    inputs: Annotated[list[Path], typer.Argument(help="PDFs, images, or folders of them.")],
    engine: Annotated[
        str,
        typer.Option(help="Such as tesseract, or '{name: tesseract, params: {languages: [deu]}}'."),
    ],
    out: Annotated[Path, typer.Option(help="Folder of the knowledge base.")],
    pages: Annotated[
        str, typer.Option(help="Of each file, counted from 1, such as 1-3,7 or 5-; default all.")
    ] = "",
    dpi: Annotated[
        int, typer.Option(min=30, max=1200, help="Of rendered PDFs, and of images that name none.")
    ] = 150,
    pdf: Annotated[
        bool, typer.Option("--pdf", help="Hand over PDFs, to an engine that also reads images.")
    ] = False,
    retry: Annotated[
        bool, typer.Option("--retry", help="Try pages again that failed in an earlier run.")
    ] = False,
    workers: Annotated[int, typer.Option(min=1, help="Processes.")] = os.cpu_count() or 1,
    cache: Annotated[Path, typer.Option(help="Where readings are kept.")] = Path(".ohr-cache"),
    page_cpu_s: Annotated[
        float, typer.Option(min=0.1, help="CPU seconds after which a page is a timeout.")
    ] = 300,
    page_wall_s: Annotated[
        float, typer.Option(min=0.1, help="Seconds after which a page counts as hung.")
    ] = 1800,
    stop_after_failures: Annotated[
        int, typer.Option(min=0, help="Stop after so many failures alike in a row; 0: never.")
    ] = 20,
) -> int:
    """Read pages, write the knowledge base, and sum up."""

    spec = parse_engine(engine)
    backend = registry.create("engine", spec)
    if not isinstance(backend, OcrBackend):
        raise ConfigError(f"engine {spec.label!r} reads no pages: name an OCR engine")
    sources = select_pages(list(find_pages(inputs, dpi)), pages)
    wanted = file_pages(sources, spec, backend, hand_over_pdfs=pdf)
    readings = FileReadings(
        spec,
        backend.identity(),
        ArtefactStore(cache),
        Limits(page_cpu_s, page_wall_s),
        workers,
        stop_after_failures,
    )
    with locked(out):
        check_out(out, wanted, readings.identity)
        return write_readings(wanted, readings, out, retry=retry)


if __name__ == "__main__":
    main()
