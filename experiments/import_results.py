"""Result files of the published evaluation, as a run that ``compare`` reads.

``python -m experiments.import_results [STAGE=]FILE ... --questions QAS.json --out RUN`` takes
what the evaluation of OHR-Bench writes (JSON with ``results``) or JSON lines with ``id`` and
``lcs``, ``lcs_page``, ``F1`` or ``EM``. All files are of one knowledge base. The stage follows
from the measure, except that of answers: ``generation=FILE`` or ``overall=FILE``.
"""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import typer

from experiments._command import command
from experiments.interchange.published_results import (
    STAGES,
    Named,
    make_cells,
    read_results,
)
from ohr.collection import ValidationReport
from ohr.datasets.ohrbench import read_questions
from ohr.errors import DatasetError, OhrError
from ohr.store.atomic import write_bytes, write_text
from ohr.store.identity import file_digest
from ohr.study.csv import write_csv


@command("Make a run of result files of the published evaluation.")
def main(
    files: Annotated[list[str], typer.Argument(metavar="[STAGE=]FILE ...")],
    questions: Annotated[Path, typer.Option(help="The Q&A file that the results are of.")],
    out: Annotated[Path, typer.Option(help="Folder for the run.")],
    engine: Annotated[str, typer.Option(help="What read the knowledge base.")] = "published",
    retriever: Annotated[str, typer.Option(help="The retriever's name.")] = "published",
    reader: Annotated[str, typer.Option(help="The reader's name.")] = "published",
    top_k: Annotated[int, typer.Option(min=1, help="Chunks that were retrieved.")] = 2,
) -> int:
    """Import."""
    named = Named(engine, retriever, reader, top_k)
    return _run(files, questions, out, named)


def _run(files: Sequence[str], questions: Path, out: Path, named: Named) -> int:
    if (out / "manifest.json").exists():
        raise OhrError(f"{out} holds a run already: choose another --out")
    report = ValidationReport()
    asked = {question.qid: question for question in read_questions(questions, report)}
    if not asked:
        raise DatasetError(f"{questions} has no questions")
    given = [_stage_and_path(text) for text in files]
    parts = [read_results(path, stage, asked, named) for stage, path in given]
    rows = pd.concat(parts, ignore_index=True)
    repeated = rows.duplicated(["qid", "stage", "metric"])
    if repeated.any():
        row = rows[repeated].iloc[0]
        raise OhrError(f"question {row['qid']} has two values of {row['stage']} {row['metric']}")
    cells = make_cells(rows)
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pandas(rows, preserve_index=False), sink, compression="zstd")
    write_bytes(out / "rows.parquet", sink.getvalue())
    write_csv(out / "cells.csv", cells)
    manifest = {
        "config": {"scoring": "reference"},
        "seed": 0,
        "imported": asdict(named)
        | {"files": {path.name: file_digest(path) for _, path in given}}
        | {"questions": {questions.name: file_digest(questions)}},
    }
    write_text(out / "manifest.json", json.dumps(manifest, indent=2, ensure_ascii=False) + "\n")
    shown = cells[cells["group"] == "all"]
    for cell in shown.to_dict("records"):
        print(f"{cell['stage']} {cell['metric']}: {cell['mean']:.4f} (n = {cell['n']})")
    print(f"run: {out}")
    return 0


def _stage_and_path(text: str) -> tuple[str, Path]:
    stage, equals, path = text.partition("=")
    if equals and stage in STAGES:
        return stage, Path(path)
    return "", Path(text)


if __name__ == "__main__":
    main()
