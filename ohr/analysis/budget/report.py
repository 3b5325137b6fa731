"""Prints how much noise a promised loss allows."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from rich.table import Table
from rich.text import Text

from ohr.analysis.budget.table import budgets
from ohr.analysis.curves.report import settings_of
from ohr.display.notes import answerers, note_lines, run_notes
from ohr.display.terminal import empty_table, print_caption, say, say_files, show
from ohr.display.wording import counted
from ohr.files.safe_text import plain
from ohr.metrics.labels import heading
from ohr.statistics.numbers import number, percent, prose
from ohr.store.csv import write_csv
from ohr.study.opening import open_runs

FILE = "budgets.csv"
Titles = Mapping[tuple[str, str], str]
"""The title of a metric by its stage and name."""
_WHY = {
    "exceeded": "exceeded",
    "undecided": "undecided",
    "few": "too few",
}


def report_budgets(
    paths: Sequence[Path], lose: float, metrics: Sequence[str], axis: str, out: Path | None
) -> int:
    """Print and write the budgets of finished runs. Raises OhrError."""
    runs = open_runs(paths)
    table = budgets(runs, lose, metrics, axis)
    table = table.assign(setting=settings_of(table))
    folder = out or paths[0]
    write_csv(folder / FILE, table)
    titles = {
        (str(info.stage), info.metric): info.label for run in runs for info in run.metric_infos
    }
    for line in verdict_lines(table, titles):
        say(line)
    print()
    show(_table(table, titles))
    for line in (*_legend(table), coverage_line(table)):
        print_caption(line)
    for line in note_lines(answerers(table), run_notes(runs)):
        print_caption(line)
    say_files([folder / FILE])
    return 0


def _legend(table: pd.DataFrame) -> Iterator[str]:
    """What stands in the place of a budget; where the rows are that are not shown."""
    yield (
        "exceeded: the least noise measured loses more than the accepted share; undecided: these "
        "documents are too few to promise one; too few: nothing can be said, or nothing is lost"
    )
    if (table["group"] != "all").any():
        yield f"each kind of question: {FILE}"


def verdict_lines(table: pd.DataFrame, titles: Titles) -> list[str]:
    """A sentence for each curve of all questions."""
    every = table[table["group"] == "all"]
    return [_verdict(row, titles) for row in every.to_dict("records")]


def _verdict(row: Mapping[Hashable, Any], titles: Titles) -> str:
    title, axis = _title(row, titles), titles.get(("ocr", row["axis"]), row["axis"])
    lose = percent(row["lose"])
    what = f"{row['engine']} with {row['perturbation']} noise"
    setting = f" ({row['setting']})" if row["setting"] else ""
    on = f"{row['n']:,} questions of {counted(row['n_clusters'], row['unit'] or 'cluster')}"
    if row["kind"] == "within":
        after = ""
        if not pd.isna(row["next_noise"]):
            after = f"; at {prose(row['next_noise'])} that is not kept"
        return (
            f"{title}: at most {lose} is lost as long as {axis} is at most {prose(row['noise'])}"
            f"{after} ({what}{setting}; {on})."
        )
    estimate = ""
    if row["kind"] != "few":
        estimate = (
            f" of {prose(row['next_noise'])} loses {percent(row['next_loss'])}, up to "
            f"{percent(row['next_bound'])} on further documents"
        )
    if row["kind"] == "exceeded":
        return f"{title}: the least noise measured{estimate}: more than {lose} ({what}; {on})."
    if row["kind"] == "undecided":
        return (
            f"{title}: with {on} no budget can be promised for {lose}: the least noise measured"
            f"{estimate} ({what})."
        )
    return f"{title}: with {on} nothing can be said ({what})."


def _table(table: pd.DataFrame, titles: Titles) -> Table:
    """Every curve: the budget, and the losses there and at the next level."""
    printed = empty_table(
        ["engine", "noise", "metric"],
        ["n", "documents", "budget", "lost (at most)", "next level", "lost (at most)"],
    )
    for row in table[table["group"] == "all"].to_dict("records"):
        budget = number(row["noise"]) if row["kind"] == "within" else _WHY[row["kind"]]
        printed.add_row(
            *(Text(plain(str(row[name]))) for name in ("engine", "perturbation")),
            _title(row, titles),
            *(f"{row['n']:,}", f"{row['n_clusters']:,}", budget),
            *(_lost(row, ""), "-" if pd.isna(row["next_noise"]) else number(row["next_noise"])),
            _lost(row, "next_"),
        )
    return printed


def _lost(row: Mapping[Hashable, Any], name: str) -> str:
    loss, bound = row[f"{name}loss"], row[f"{name}bound"]
    return "-" if pd.isna(loss) else f"{percent(loss)} ({percent(bound)})"


def coverage_line(table: pd.DataFrame) -> str:
    """How often a promise by one half of the documents was broken on the other half."""
    drawn, number, held = (
        int(table[name].sum()) for name in ("draws", "draws_with_budget", "draws_held")
    )
    if not number:
        return "no half of the documents is enough for a budget, so promises could not be checked"
    return (
        f"check: of {drawn:,} random halves of the documents {number:,} had a budget, and "
        f"{number - held:,} of these ({percent((number - held) / drawn, 1)} of all) did not hold "
        "on the other half"
    )


def _title(row: Mapping[Hashable, Any], titles: Titles) -> str:
    return heading(titles[row["stage"], row["metric"]])
