"""DRC part by part: ranking, evidence, and answers from the best passages (tables 2 and 4 to 6).

``ohr paper drc dataset.kind=qasper dataset.path=dev.json --out RUN`` takes a study's
options: its engines and noise, its retrievers over the passages of the question's own document,
its readers over the best of them one by one. On QASPER answers are scored by its evaluator and
grouped by the types that annotators gave, elsewhere by the study's F1 and answer forms. The system
as a whole is ``systems=[drc]`` of any study.
"""

from __future__ import annotations

from typing import Annotated

import typer

from experiments._command import OptionalOut, Settings, command
from ohr.study.config import StudyConfig

DEFAULTS = {
    "engines": ["gt"],
    "scope": "document",
    "stages": ["overall"],
    "retrievers": [{"name": "bm25", "label": "BM25", "params": {"k1": 0.9, "b": 0.4}}],
    "readers": ["extractive"],
}


@command
def main(
    config: Annotated[StudyConfig, Settings(DEFAULTS)],
    out: OptionalOut = None,
    top: Annotated[int, typer.Option(min=1, max=100, help="Passages that are read, K.")] = 5,
    with_tables: Annotated[
        bool, typer.Option("--tables", help="Tables are passages too, each whole.")
    ] = False,
) -> int:
    """Rank passages and read the best (DRC's tables 2, 4 to 6)."""
    from experiments.papers.drc.report import print_drc, write_drc
    from experiments.papers.drc.table import drc_tables
    from ohr.ocr.progress import Progress

    tables = drc_tables(config, Progress(), top, tables=with_tables)
    print_drc(tables)
    if out is not None:
        for path in write_drc(tables, out):
            print(f"written: {path}")
    return 0


if __name__ == "__main__":
    main()
