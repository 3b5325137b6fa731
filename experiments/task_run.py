"""Runs a frozen task, so that two papers compare the same thing.

``ohr task run sample/formatting@1 --out RUN "retrievers=[bm25,minilm]"`` runs the study of a card
with the parts that it leaves open. Data, noise, metrics and protocol are those of the card, or
nothing is read: their digests, versions and signatures are compared first. ``RUN/task.json`` has
the scores with their intervals. The task is a name, or the file of a card.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import trusting_command
from experiments._parameters import CORES, Cache, Out, Workers


@trusting_command
def main(
    name: Annotated[
        str, typer.Argument(metavar="TASK", help="Task, such as sample/formatting@1, or a file.")
    ],
    settings: Annotated[
        list[str] | None,
        typer.Argument(metavar="key=value", help="Open parts, such as retrievers=[bm25]."),
    ] = None,
    *,
    out: Out,
    data: Annotated[Path | None, typer.Option(help="Folder of the task's data.")] = None,
    workers: Workers = CORES,
    cache: Cache = Path(".ohr-cache"),
) -> int:
    """Run a frozen task; write its scores."""
    from ohr.study.config import given_options
    from ohr.tasks.running import run_task

    return run_task(name, given_options(settings or []), data, out, cache, workers)


if __name__ == "__main__":
    main()
