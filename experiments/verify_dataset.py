"""Verifies the questions of a dataset: the paper's criteria that need no model (section II.5)."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from experiments._command import CommandLine, with_errors
from experiments.reports.terminal import show
from ohr.datasets.verify import Verification, one_line, verify
from ohr.store.atomic import write_bytes
from ohr.study.config import load_config
from ohr.study.plan import load_dataset

_EXAMPLES = 1


def main(
    settings: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CONFIG.yaml] [key=value ...]",
            help="Which dataset, such as dataset.kind=sample dataset.params.n_pages=60.",
        ),
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write every finding to this file.")
    ] = None,
    examples: Annotated[
        int, typer.Option(min=0, help="Findings that are shown of each check.")
    ] = _EXAMPLES,
    debug: Annotated[
        bool, typer.Option("--debug", help="Print a traceback with an error.")
    ] = False,
) -> None:
    """Check every question of a dataset; exit code 0 if clean, 1 with findings, 2 on errors."""
    with_errors(lambda: _run(settings or [], json_file, examples), debug)


def _run(settings: list[str], json_file: Path | None, examples: int) -> int:
    verification = verify(load_dataset(load_config(settings)))
    show(findings_table(verification, examples))
    print(
        f"{verification.questions} questions, {verification.failing} with findings"
        if not verification.clean
        else f"{verification.questions} questions, nothing found"
    )
    if json_file is not None:
        write_bytes(json_file, findings_json(verification))
    return 0 if verification.clean else 1


def findings_table(verification: Verification, examples: int = _EXAMPLES) -> Table:
    """A row a check: to how many questions it applied, how many fail it, the first of them."""
    table = Table(header_style="bold", box=None, pad_edge=False)
    table.add_column("check")
    for name in ("judged", "found", "share"):
        table.add_column(name, justify="right")
    table.add_column("what a finding means; the first ones", ratio=1)
    for result in verification.results:
        found = len(result.findings)
        share = f"{100 * found / result.judged:.1f} %" if result.judged else "-"
        lines = [result.about] if not found or not examples else [f"{result.about}:"]
        for finding in result.findings[:examples]:
            lines.append(one_line(f"{finding.qid} {finding.detail}".strip()))
        # Text(), since what a dataset says is not rich's mark-up.
        table.add_row(result.name, str(result.judged), str(found), share, Text("\n".join(lines)))
    return table


def findings_json(verification: Verification) -> bytes:
    """Every finding of every check, as JSON."""
    content = {
        "questions": verification.questions,
        "failing": verification.failing,
        "checks": [asdict(result) for result in verification.results],
    }
    return (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "replace")


if __name__ == "__main__":
    app = CommandLine()
    app.command()(main)
    app()
