"""The whole paper from one configuration, its figures beside ours.

``python -m experiments.paper CONFIG.yaml [key=value ...] --out RUN`` runs, as far as the engines,
readers and questions allow: the benchmark of clean engines (tables 2, S6 to S8), formatting noise
on the ground truth and image noise for engines that read images (figure 3), table formats
(figure 4), the error analysis (figure 5), the statistics of noise (tables S2 and S3, figure S2),
robust readers (table S5) and reworded questions (section IV.2, with ``dataset.rewritten``).
``RUN/paper.csv``, ``.md`` and ``.tex`` have a row for each figure of the paper that the clean
engines allow, and rows of ``our domains``: the paper's tables by domain, weighted by our questions.
An engine is the paper's if its name or label is (``precomputed:MinerU``).
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import command
from experiments.studies.paper import reproduce_paper
from ohr.study.config import load_config


@command("Run all that the OHR-Bench paper measures, and compare with its figures.")
def main(
    settings: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CONFIG.yaml] [key=value ...]",
            help="Dataset, engines, retrievers, readers; the noise is the paper's.",
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the results.")] = None,
) -> int:
    """Reproduce the paper."""
    return reproduce_paper(load_config(settings or []), out)


if __name__ == "__main__":
    main()
