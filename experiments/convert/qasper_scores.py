"""Prints and writes QASPER's scores of predictions."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from experiments.convert.qasper import file_names, run_predictions
from ohr.collection import ValidationReport
from ohr.datasets.qasper_file import gold_of, predictions_text, read_papers, read_predictions
from ohr.display.columns import Column, make_table, text_column, value_column
from ohr.display.terminal import say_files, show, terminal_table
from ohr.errors import OhrError
from ohr.files.safe_text import plain
from ohr.metrics.qasper import TYPES, Prediction, Scores, answerable, evaluate
from ohr.store.atomic import write_text
from ohr.store.csv import write_csv

FILE = "qasper.csv"


def score_predictions(
    papers_file: Path,
    predictions: Path,
    out: Path | None,
    *,
    unanswerable: bool,
    text_evidence_only: bool,
) -> int:
    """Score a JSONL file, or each knowledge base and system of a finished run. Raises OhrError."""
    report = ValidationReport()
    papers = read_papers(papers_file, report)
    if report:
        print(f"papers: {plain(report.summary())}", file=sys.stderr)
    gold = gold_of(papers)
    gold_answers = gold if unanswerable else answerable(gold)
    named_predictions: Iterable[tuple[str, dict[str, Prediction]]]
    is_run = (predictions / "manifest.json").is_file()
    named_predictions = run_predictions(predictions, papers) if is_run else [
        (predictions.name, read_predictions(predictions))
    ]  # fmt: skip
    by_name = dict(named_predictions)
    if not by_name:
        raise OhrError(
            f"{predictions} has no answer to a question of {papers_file}: name the file that the "
            "run asked, and a run with stages=[overall]"
        )
    rows = []
    for name, answers in by_name.items():
        scores = evaluate(gold_answers, answers, text_evidence_only=text_evidence_only)
        rows.append({"predictions": name} | _row(scores))
    table = pd.DataFrame(rows)
    show(terminal_table(make_table(_COLUMNS, table)))
    if out is not None:
        write_csv(out / FILE, table)
        files = [out / FILE]
        if is_run:
            for name, file in file_names(list(by_name)).items():
                write_text(out / file, predictions_text(by_name[name]))
                files.append(out / file)
        say_files(files)
    return 0


def _row(scores: Scores) -> dict[str, object]:
    row: dict[str, object] = {"answer_f1": scores.answer_f1}
    for name in TYPES:
        row[f"answer_f1_{name}"] = scores.by_type[name]
        row[f"n_{name}"] = scores.of_type[name]
    rest = {"evidence_f1": scores.evidence_f1, "questions": scores.questions}
    return row | rest | {"missing": scores.missing}


def _type_column(name: str) -> Column:
    return Column(name, lambda row: f"{row[f'answer_f1_{name}']:.4f} ({row[f'n_{name}']})")


_COLUMNS = (
    text_column("predictions"),
    Column("Answer F1", lambda row: f"{row['answer_f1']:.4f}"),
    *(_type_column(name) for name in TYPES),
    Column("Evidence F1", lambda row: f"{row['evidence_f1']:.4f}"),
    value_column("questions", "n"),
    value_column("missing"),
)
