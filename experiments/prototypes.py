"""Compares the prototypes P0 to P4: full text, retrieval, sections, MC-Indexing.

``ohr paper prototypes dataset.kind=ohrbench dataset.path=DIR/retrieval_base
dataset.questions=DIR/qas.json --out RUN`` asks every question on its own document. It prints means,
tests between successive prototypes, the effect of noise on the hallucination flags, and costs. With
``--reader`` a language model answers, ``--repeats`` times at ``--temperature``.
"""

from __future__ import annotations

from typing import Annotated

import typer

from experiments._command import Settings, command
from experiments._parameters import DryRun, Out
from ohr.study.config import StudyConfig
from ohr.study.presets import preset


@command
def main(
    config: Annotated[StudyConfig, Settings(preset("prototypes"))],
    out: Out,
    reader: Annotated[
        str, typer.Option(help="Reader, such as '{name: openai, params: {model: M}}'.")
    ] = "",
    repeats: Annotated[
        int, typer.Option(min=1, max=1000, help="Repetitions of each prototype; the paper has 40.")
    ] = 1,
    temperature: Annotated[
        float, typer.Option(min=0, max=2, help="Temperature of a model, with several repetitions.")
    ] = 0.7,
    dry_run: DryRun = False,
) -> int:
    """Compare the prototypes P0 to P4: answers, citations, cost."""
    from experiments.papers.prototypes.study import repeated, run_prototypes
    from ohr.display.plan import print_plan

    planned = repeated(config, reader, repeats, temperature)
    if dry_run:
        print_plan(planned)
        return 0
    return run_prototypes(planned, out)


if __name__ == "__main__":
    main()
