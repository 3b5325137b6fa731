"""Runs a frozen noise suite: the same pages, noise and settings for every engine.

``ohr suite run ohr-c-1 --engines NAME --out RUN`` compares this machine's pages with the suite's,
runs the study of each engine in ``RUN/LABEL``, writes ``RUN/LABEL.json``, a submission for the
board, and prints the table with the frozen engine's row. ``--quick`` reads a part of the pages.
``--engines gt`` runs the track of text: formatting noise and simulated errors in the ground truth.
After an interruption the same command continues.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import command
from experiments._parameters import CORES, Cache, DryRun, OptionalOut, Workers, check_out_given


@command
def main(
    name: Annotated[str, typer.Argument(metavar="SUITE", help="Suite, such as ohr-c-1.")],
    engines: Annotated[
        str,
        typer.Option(
            "--engines", help="OCR engines, separated by commas; gt for the track of text."
        ),
    ],
    out: OptionalOut = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Read 20 documents at severities 1, 3 and 5.")
    ] = False,
    entry: Annotated[str, typer.Option("--name", help="Name on the board.")] = "",
    licence: Annotated[str, typer.Option(help="Licence of the engine's weights.")] = "",
    link: Annotated[str, typer.Option(help="Where the engine is described.")] = "",
    images: Annotated[
        bool, typer.Option(help="Compare this machine's distorted pages with the suite's.")
    ] = True,
    workers: Workers = CORES,
    cache: Cache = Path(".ohr-cache"),
    dry_run: DryRun = False,
) -> int:
    """Run a frozen noise suite; write a row for its board."""
    from ohr.study.config import parse_plugins
    from ohr.suites.running import Request, print_suite_plan, run_suite

    check_out_given(out, dry_run=dry_run)
    about = {"name": entry, "licence": licence, "link": link}
    specs = tuple(parse_plugins("engine", engines))
    request = Request(name, specs, quick, cache, workers, about, images)
    if out is None or dry_run:
        return print_suite_plan(request)
    return run_suite(request, out)


if __name__ == "__main__":
    main()
