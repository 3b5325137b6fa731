"""Evaluates DRC step by step: ranking, evidence, and answers (the paper's tables 2 and 4 to 6).

``ohr paper drc dataset.kind=qasper dataset.path=dev.json --out RUN`` takes a study's options. Its
retrievers rank the passages of the question's document, and its readers read each of the best
passages. On QASPER, answers are scored by its evaluator and grouped by the types that annotators
gave; elsewhere by the study's F1 and answer forms. The whole system is ``systems=[drc]`` in any
study.
"""

from __future__ import annotations

from typing import Annotated

import typer

from experiments._command import Settings, command
from experiments._parameters import OptionalOut
from ohr.study.config import StudyConfig
from ohr.study.presets import preset


@command
def main(
    config: Annotated[StudyConfig, Settings(preset("drc"))],
    out: OptionalOut = None,
    top: Annotated[int, typer.Option(min=1, max=100, help="Passages to read per question, K.")] = 5,
    with_tables: Annotated[
        bool, typer.Option("--tables", help="Make each table a passage too.")
    ] = False,
) -> int:
    """Rank passages and read the best (DRC: tables 2, 4 to 6)."""
    from experiments.papers.drc.report import print_drc, write_drc
    from experiments.papers.drc.table import drc_tables
    from ohr.display.terminal import say_files
    from ohr.ocr.progress import Progress

    tables = drc_tables(config, Progress(), top, tables=with_tables)
    print_drc(tables)
    if out is not None:
        say_files(write_drc(tables, out))
    return 0


if __name__ == "__main__":
    main()
