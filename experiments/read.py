"""Reads PDFs and images into a knowledge base, in the layout of OHR-Bench.

``ohr read DOCS --engines NAME --out KB`` writes ``KB/<domain>/<document>.json`` (for each document
a list of ``{"page_idx": 0, "text": "…"}``) and ``KB/manifest.json``. A study takes it as
``engines=[precomputed:KB]``. Pages that failed are left out, named and counted, and the exit code
is then 1; ``KB/pages.csv`` has a row for these too. After an interruption the same command
continues. With ``--routes routes.csv`` of ``ohr quality estimate``, each page is read by its own
route instead.

``ohr read DOCS --auto --out KB`` chooses for each page the cheapest text that can be trusted: its
verified text layer, else the first engine's output, else, where that is predicted to be bad or
invents text, the second engine's. ``KB/pages.csv`` then also says how far each text can be trusted.

``--format jsonl,markdown`` also writes the pages with these rows for other tools.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import names, parse_shard, trusting_command
from experiments._parameters import (
    CORES,
    LIST,
    Cache,
    Dpi,
    DryRun,
    Inputs,
    OfShard,
    OptionalOut,
    PageRanges,
    Steal,
    Workers,
    check_out_given,
)
from ohr.types import Runner

STOP_AFTER = 20
"""Default of ``--stop-after-failures``."""


@trusting_command
def main(
    inputs: Inputs,
    out: OptionalOut = None,
    engines: Annotated[
        str,
        typer.Option(
            "--engines",
            "--engine",
            help="One engine: tesseract, or '{name: tesseract, params: {languages: [deu]}}', …; "
            "with --auto up to two, the faster one first.",
        ),
    ] = "",
    auto: Annotated[
        bool,
        typer.Option("--auto", help="Take for each page the cheapest text that can be trusted."),
    ] = False,
    max_error: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            help="With --auto: largest predicted share of wrong characters of a trusted text; "
            "default: 0.1.",
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(min=0, help="With --auto: most seconds in all; default: no limit."),
    ] = None,
    pages_per_hour: Annotated[
        float | None,
        typer.Option(min=0.001, help="With --auto: least speed, instead of --seconds."),
    ] = None,
    trusted_only: Annotated[
        bool,
        typer.Option("--trusted-only", help="With --auto: leave out pages that are not trusted."),
    ] = False,
    formats: Annotated[
        str,
        typer.Option(
            "--format",
            metavar=LIST,
            help="jsonl, markdown: also write these, with what is known of each page.",
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
    ] = STOP_AFTER,
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

    check_out_given(out, dry_run=dry_run)
    limits = Limits(page_cpu_s, page_wall_s)
    runners = Runners(workers, runner, worker_gpus)
    if shard and (auto or routes is not None):
        option = "--auto" if auto else "--routes"
        raise ConfigError(f"{option} is read by one process: leave --shard out")
    reading = Reading(ArtefactStore(cache), limits, runners, stop_after_failures, retry, pdf)
    if auto:
        from ohr.adviser.auto.engines import auto_engines
        from ohr.adviser.auto.study import MOST_ERROR, AutoRequest, read_auto
        from ohr.adviser.own_pages import OcrSettings
        from ohr.study.config import parse_plugins

        if routes is not None or pdf:
            raise ConfigError(
                f"--auto chooses by itself: leave {'--pdf' if pdf else '--routes'} out"
            )
        for option, given in (
            ("--runner", runner != "local"),
            ("--worker-gpus", worker_gpus > 0),
            ("--stop-after-failures", stop_after_failures != STOP_AFTER),
        ):
            if given:
                raise ConfigError(f"{option} does not go with --auto")
        specs = parse_plugins("engine", engines) if engines else auto_engines()
        request = AutoRequest(
            pages,
            dpi,
            MOST_ERROR if max_error is None else max_error,
            seconds,
            pages_per_hour,
            names(formats),
            trusted_only,
        )
        settings = OcrSettings(specs, cache, workers, limits, instability=False)
        return read_auto(inputs, settings, request, reading, out, dry_run=dry_run)
    for option, given in (
        ("--max-error", max_error is not None),
        ("--seconds", seconds is not None),
        ("--pages-per-hour", pages_per_hour is not None),
        ("--trusted-only", trusted_only),
    ):
        if given:
            raise ConfigError(f"{option} goes with --auto")
    if (routes is None) == (not engines):
        raise ConfigError(
            "name one engine with --engines, a file of routes with --routes, or --auto"
        )
    if routes is not None:
        return read_routed(
            inputs,
            routes,
            out,
            pages=pages,
            dpi=dpi,
            reading=reading,
            formats=names(formats),
            dry_run=dry_run,
        )
    return read_files(
        inputs,
        parse_plugin("engine", engines),
        out,
        pages=pages,
        dpi=dpi,
        hand_over_pdfs=pdf,
        retry=retry,
        runners=runners,
        cache=cache,
        limits=limits,
        stop_after_failures=stop_after_failures,
        shard=parse_shard(shard, steal),
        formats=names(formats),
        dry_run=dry_run,
    )


if __name__ == "__main__":
    main()
