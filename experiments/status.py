"""How far the processes are that read the pages of a run, from another terminal or machine.

Each process that reads, a shard or one alone, says so in ``RUN/.progress`` every few seconds; this
command prints what they say. ``--watch 10`` does so again every ten seconds until all have ended.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from experiments._command import command


@command
def main(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run's results.")],
    watch: Annotated[
        float, typer.Option(min=0, help="Seconds after which to look again; 0: once.")
    ] = 0,
) -> int:
    """Show the progress of the processes that read a run's pages."""
    from ohr.machine.status import print_status

    while print_status(run) and watch:
        time.sleep(watch)
    return 0


if __name__ == "__main__":
    main()
