"""Grades the answers of systems with a language model, and ranks the systems (PDFTriage, table 3).

``ohr analyse judge RUN [RUN ...] --judge SPEC --out DIR`` reads the answers of finished runs. A
judge grades readability, informativeness, clarity, accuracy and overall from 1 to 5. It also
compares the answers of each pair of systems, in both orders. With two judges, their agreement is
reported. Judgements are cached: after an interruption, nothing is asked twice.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import command
from experiments._parameters import FinishedRuns, Out, Seed


@command
def main(
    runs: FinishedRuns,
    out: Out,
    judge: Annotated[
        list[str],
        typer.Option(
            help="A language model, such as '{name: openai, params: {model: …}}'; once or twice."
        ),
    ],
    number: Annotated[int, typer.Option(min=0, help="Questions to draw at random; 0: all.")] = 0,
    seed: Seed = 0,
    cache: Annotated[Path, typer.Option(help="Folder of the cache, for judgements.")] = Path(
        ".ohr-cache"
    ),
) -> int:
    """Grade and rank systems with a model (PDFTriage, table 3)."""
    from ohr.analysis.judging.study import judge_runs
    from ohr.study.config import parse_plugin

    specs = [parse_plugin("judge", text) for text in judge]
    return judge_runs(runs, specs, out, number=number, seed=seed, cache=cache)


if __name__ == "__main__":
    main()
