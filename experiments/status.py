"""Shows the progress of a run's processes, from another terminal or machine.

Each process that reads pages, a shard or a whole study, writes its progress to ``RUN/.progress``
every few seconds; this command prints it. ``--watch 10`` repeats this every ten seconds until all
processes have ended.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from experiments._command import results_command


@results_command
def main(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run's results.")],
    watch: Annotated[
        float, typer.Option(min=0, help="Repeat after this many seconds; 0: print once.")
    ] = 0,
) -> int:
    """Show the progress of a run."""
    from ohr.machine.status import print_status

    while print_status(run) and watch:
        time.sleep(watch)
    return 0


if __name__ == "__main__":
    main()
