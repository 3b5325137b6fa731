"""Freezes the study of a finished run as a task.

``ohr task freeze RUN --name my/task@1 --open retrievers,readers --metric retrieval:lcs --out
my-task.yaml`` writes a card: the options of the study, the digest of its data, the identities of
its noises and the signatures of its metrics. ``ohr task run my-task.yaml`` then runs it with other
retrievers and readers, and refuses everything else that differs.
"""

from __future__ import annotations

from typing import Annotated

import typer

from experiments._command import results_command
from experiments._parameters import FinishedRun, Out


@results_command
def main(
    run: FinishedRun,
    out: Out,
    name: Annotated[str, typer.Option(help="Name and version, such as my/task@1.")],
    open: Annotated[str, typer.Option(help="Parts that are compared, such as retrievers,readers.")],
    metric: Annotated[
        list[str], typer.Option(help="stage:metric that is reported; repeat for more.")
    ],
    about: Annotated[str, typer.Option(help="One line about the task.")] = "",
    source: Annotated[str, typer.Option(help="Where its data are from.")] = "",
) -> int:
    """Freeze a finished run's study as a task."""
    from ohr.study.opening import open_runs
    from ohr.tasks.freezing import freeze, write_card

    [finished] = open_runs([run])
    parts = dict.fromkeys(part.strip() for part in open.split(","))
    write_card(freeze(finished, name, [*parts], [*dict.fromkeys(metric)], about, source), out)
    print(f"card: {out}")
    return 0


if __name__ == "__main__":
    main()
