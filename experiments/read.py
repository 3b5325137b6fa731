"""Reads PDFs and images into a knowledge base, in the layout of OHR-Bench.

``ohr read DOCS --engines NAME --out KB`` writes ``KB/<domain>/<document>.json`` (for each document
a list of ``{"page_idx": 0, "text": "…"}``) and ``KB/manifest.json``. A study takes it as
``engines=[precomputed:KB]``. Pages that failed are left out, named and counted, and the exit code
is then 1. After an interruption the same command continues. With ``--routes routes.csv`` of
``ohr quality estimate``, each page is read by its own route instead.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import parse_shard, trusting_command
from experiments._parameters import (
    CORES,
    Cache,
    Dpi,
    DryRun,
    Inputs,
    OfShard,
    Out,
    PageRanges,
    Steal,
    Workers,
)
from ohr.types import Runner


@trusting_command
def main(
    inputs: Inputs,
    out: Out,
    engines: Annotated[
        str,
        typer.Option(
            "--engines",
            "--engine",
            help="One engine: tesseract, or '{name: tesseract, params: {languages: [deu]}}', …",
        ),
    ] = "",
    routes: Annotated[
        Path | None,
        typer.Option(help="Read each page by its row in this CSV, without --engines."),
    ] = None,
    pages: PageRanges = "",
    dpi: Dpi = 150,
    pdf: Annotated[
        bool, typer.Option("--pdf", help="Give PDFs, not images, to an engine that reads both.")
    ] = False,
    retry: Annotated[
        bool, typer.Option("--retry", help="Retry pages that failed in an earlier run.")
    ] = False,
    workers: Workers = CORES,
    runner: Annotated[
        Runner, typer.Option(help="Where workers run: on this machine, or on a Ray cluster.")
    ] = "local",
    worker_gpus: Annotated[
        float, typer.Option(min=0, max=64, help="GPUs per worker, with --runner ray.")
    ] = 0,
    cache: Cache = Path(".ohr-cache"),
    page_cpu_s: Annotated[
        float, typer.Option(min=0.1, help="CPU seconds after which a page times out.")
    ] = 300,
    page_wall_s: Annotated[
        float, typer.Option(min=0.1, help="Wall seconds after which a page times out.")
    ] = 1800,
    stop_after_failures: Annotated[
        int, typer.Option(min=0, help="Stop after this many equal failures in a row; 0: never.")
    ] = 20,
    shard: OfShard = "",
    steal: Steal = False,
    dry_run: DryRun = False,
) -> int:
    """Read PDFs and images into a knowledge base."""
    from ohr.errors import ConfigError
    from ohr.ocr.knowledge_base import read_files
    from ohr.ocr.pools import Runners
    from ohr.ocr.routed import Reading, read_routed
    from ohr.store.artefacts import ArtefactStore
    from ohr.study.config import parse_plugin
    from ohr.workers import Limits

    if (routes is None) == (not engines):
        raise ConfigError("name one engine with --engines, or a file of routes with --routes")
    if routes is not None:
        if shard:
            raise ConfigError("--routes is read by one process: leave --shard out")
        reading = Reading(
            ArtefactStore(cache),
            Limits(page_cpu_s, page_wall_s),
            Runners(workers, runner, worker_gpus),
            stop_after_failures,
            retry,
            pdf,
        )
        return read_routed(
            inputs, routes, out, pages=pages, dpi=dpi, reading=reading, dry_run=dry_run
        )
    return read_files(
        inputs,
        parse_plugin("engine", engines),
        out,
        pages=pages,
        dpi=dpi,
        hand_over_pdfs=pdf,
        retry=retry,
        runners=Runners(workers, runner, worker_gpus),
        cache=cache,
        limits=Limits(page_cpu_s, page_wall_s),
        stop_after_failures=stop_after_failures,
        shard=parse_shard(shard, steal),
        dry_run=dry_run,
    )


if __name__ == "__main__":
    main()
