"""Prints how far metrics agree with a person's review of answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from ohr.analysis.review.table import agreement_with_person, reviewed_scores
from ohr.display.columns import make_table, number_column, text_column, value_column
from ohr.display.terminal import say, say_files, show, terminal_table
from ohr.display.wording import counted
from ohr.errors import OhrError
from ohr.questions.review import left_out_line, read_verdicts
from ohr.statistics.numbers import prose
from ohr.store.csv import write_csv
from ohr.study.opening import open_runs
from ohr.study.output.cases import read_questions


def report_review(paths: Sequence[Path], verdicts: Path, out: Path | None) -> int:
    """Print the agreement, and write it. Raises OhrError without a verdict of these runs."""
    review = read_verdicts(verdicts)
    runs = open_runs(paths)
    scores = pd.concat([reviewed_scores(run, review.answers) for run in runs], ignore_index=True)
    questions = {question.qid: question for run in runs for question in read_questions(run.path)}
    if left_out := review.left_out(list(questions.values())):
        print(f"{left_out_line(left_out)}, in a study with --verdicts")
    if scores.empty:
        raise OhrError(f"{verdicts} has no verdict of an answer of these runs")
    table = agreement_with_person(scores)
    folder = out or paths[0]
    write_csv(folder / "review.csv", table)
    say(verdict_of(table))
    print()
    show(terminal_table(make_table(_COLUMNS, table)))
    print(
        "auroc: how often a metric is higher for an answer judged right than for one judged wrong; "
        "kappa: agreement of metrics that are 0 or 1, beyond chance"
    )
    if "judged" not in set(table["metric"]):
        print("no judge was used in these runs: judge={name: …} adds the metric judged")
    say_files([folder / "review.csv"])
    return 0


def verdict_of(table: pd.DataFrame) -> str:
    """Which metric agrees best with the person; measured on these answers, without an interval."""
    rated = table[table["auroc"].notna()]
    if rated.empty:
        return "No metric can be compared: answers that were judged right and wrong are needed."
    best = rated.sort_values("auroc", ascending=False, kind="stable").iloc[0]
    return (
        f"Of {counted(len(rated), 'metric')}, {best['metric']} tells right from wrong answers best "
        f"by measured AUROC: {prose(best['auroc'])} on {counted(int(best['n']), 'answer')}, "
        f"{int(best['right'])} of them judged right (no interval)."
    )


_COLUMNS = (
    text_column("metric"),
    value_column("n", "answers"),
    value_column("right", "judged right"),
    number_column("auroc"),
    number_column("same"),
    number_column("kappa"),
)
