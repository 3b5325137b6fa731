"""What every ``python -m experiments.<name>`` command shares."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from experiments.aggregate import planned_cells
from experiments.config import StudyConfig, load_config
from experiments.failing import CommandLine
from experiments.failing import with_errors as with_errors
from experiments.labels import plain
from experiments.plan import load_dataset, make_plan
from experiments.reading import Readings
from experiments.study import Result, run_study
from experiments.tables import reader_lines, show
from experiments.troubles import report_troubles
from experiments.truth import same_lines, truth_lines
from ohr.errors import OhrError
from ohr.plugins import OcrBackend
from ohr.store import ArtefactStore

Report = Callable[[Result], None]
"""Draws the figures and prints the table of a finished study."""


def study_command(
    help_text: str,
    report: Report,
    defaults: Mapping[str, Any],
    default_out: Path | None = None,
    after: Callable[[Result], Sequence[str]] | None = None,
) -> Callable[[], None]:
    """A command line that runs a study with some defaults and reports it."""
    app = CommandLine()

    @app.command(help=help_text)
    def main(
        settings: Annotated[
            list[str] | None,
            typer.Argument(
                metavar="[CONFIG.yaml] [key=value ...]",
                help="A YAML file and options such as engines=[tesseract]; quote brackets.",
            ),
        ] = None,
        out: Annotated[
            Path | None, typer.Option(help="Folder for the results of this run.")
        ] = default_out,
        dry_run: Annotated[
            bool, typer.Option("--dry-run", help="Print the plan and read nothing.")
        ] = False,
        debug: Annotated[
            bool, typer.Option("--debug", help="Print a traceback with an error.")
        ] = False,
    ) -> None:
        logging.basicConfig(level=logging.WARNING, format="%(message)s")
        with_errors(
            lambda: _run(load_config(settings or [], defaults), out, dry_run, report, after), debug
        )

    return app


def _run(
    config: StudyConfig,
    out: Path | None,
    dry_run: bool,
    report: Report,
    after: Callable[[Result], Sequence[str]] | None,
) -> int:
    if dry_run:
        print_plan(config)
        return 0
    if out is None:
        raise OhrError("where should the results go? give --out RUN, such as --out runs/first")
    result = run_study(config, out)
    report(result)
    for line in same_lines(result.cells):
        print(plain(line))
    for line in reader_lines(result.readers):
        print(line)
    for line in after(result) if after is not None else [f"results: {out}"]:
        print(line)
    code = report_troubles(result.troubles, result.failed)
    if result.missing:
        print(f"error: planned cells are missing: {', '.join(result.missing)}", file=sys.stderr)
        return 1
    return code


def print_plan(config: StudyConfig) -> None:
    """Print what a study would read and what is cached."""
    dataset = load_dataset(config)
    if dataset.report:
        print(f"dataset: {plain(dataset.report.summary())}", file=sys.stderr)
    plan = make_plan(config, dataset)
    for line in truth_lines(plan):
        print(line, file=sys.stderr)
    readings = Readings(plan, ArtefactStore(config.cache))
    table = Table(header_style="bold", box=None, pad_edge=False)
    for name in ("knowledge base", "pages", "cached", "to read"):
        table.add_column(name, justify="left" if name == "knowledge base" else "right")
    left = 0
    for variant in plan.variants:
        reads = isinstance(plan.engines[variant.engine.label], OcrBackend)
        pending = len(readings.pending(variant))
        left += pending
        total = len(plan.reread) if reads else 0
        table.add_row(plan.label(variant), str(total), str(total - pending), str(pending))
    show(table)
    for note in plan.unreachable:
        print(f"left out: {note}")
    print(
        f"{len(plan.questions)} questions of {len(dataset.documents)} documents; "
        f"{len(plan.retrievers)} retrievers, {len(plan.readers)} readers; "
        f"{len(planned_cells(plan))} cells; {left} pages to read with {config.workers} workers"
    )
