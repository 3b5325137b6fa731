"""Prints what the same amount of noise costs, by its kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from rich.table import Table
from rich.text import Text

from ohr.analysis.comparison.table import metrics_of
from ohr.analysis.curves.table import axis_of
from ohr.analysis.equal_noise.figure import draw_equal_noise
from ohr.analysis.equal_noise.table import AXIS, anchored_curves, equal_noise, run_names
from ohr.display.choices import INTENSITY
from ohr.display.notes import note_lines, run_notes
from ohr.display.terminal import empty_table, print_caption, say, say_files, show
from ohr.display.wording import counted
from ohr.errors import ConfigError
from ohr.files.safe_text import plain
from ohr.metrics.labels import heading
from ohr.statistics.inference import ALPHA
from ohr.statistics.numbers import interval, number, p_value, prose, prose_bound, prose_interval
from ohr.store.csv import write_csv
from ohr.study.opening import open_runs

FILE = "equal_noise.csv"
FAR = "~"
WIDEST_GAP = 0.2
"""Largest distance of two points between which a curve is taken to be straight."""
Titles = Mapping[tuple[str, str], str]


def report_equal_noise(
    paths: Sequence[Path],
    at: Sequence[float],
    reference: str,
    metrics: Sequence[str],
    axis: str,
    out: Path | None,
) -> int:
    """Print, write and draw the losses at equal noise of finished runs. Raises OhrError."""
    runs = open_runs(paths)
    by_name = dict(zip(run_names(runs), runs, strict=True))
    if axis == INTENSITY:
        raise ConfigError("the same intensity of two noises is not the same amount of noise")
    table = equal_noise(by_name, at, reference, metrics, axis or AXIS)
    folder = out or paths[0]
    write_csv(folder / FILE, table)
    titles = {
        (str(info.stage), info.metric): info.label for run in runs for info in run.metric_infos
    }
    chosen = {of for run in runs for of in metrics_of([run], metrics)}
    curves = [
        each
        for name, run in by_name.items()
        for each in anchored_curves(run, axis_of(run, axis or AXIS), name if len(runs) > 1 else "")
        if (each.key["stage"], each.key["metric"]) in chosen
    ]
    for line in verdict_lines(table, titles, axis or AXIS):
        say(line)
    print()
    show(_table(table, titles))
    print("in brackets: 95 % intervals over documents; p of all comparisons of a metric together")
    if (table.loc[table["group"] == "all", "gap"] > WIDEST_GAP).any():
        print_caption(
            f"{FAR} read off between points that are more than {prose(WIDEST_GAP)} apart: the line "
            "may not be straight there"
        )
    for line in size_lines(table):
        print_caption(line)
    for line in note_lines([], run_notes(runs)):
        print_caption(line)
    figures = draw_equal_noise(curves, titles, axis or AXIS, folder / "figures")
    say_files([folder / FILE, *figures])
    return 0


def verdict_lines(table: pd.DataFrame, titles: Titles, axis: str) -> Iterator[str]:
    """A sentence for each metric: whether the same amount of noise costs the same."""
    whole = table[table["group"] == "all"]
    for (stage, metric), rows in whole.groupby(["stage", "metric"], sort=False):
        title = heading(titles.get((str(stage), str(metric)), str(metric)))
        noise = titles.get(("ocr", axis), axis)
        compared = rows[rows["p"].notna()]
        if compared.empty:
            yield f"{title}: no two kinds of noise reach the same {noise}: nothing is compared."
            continue
        shown = compared[compared["p"] <= ALPHA]
        if shown.empty:
            widest = max(compared["difference_low"].abs().max(), compared["difference_high"].max())
            yield (
                f"{title}: no difference between kinds of noise is shown at equal {noise}; "
                f"differences over {prose_bound(float(widest))} are ruled out."
            )
            continue
        row = shown.sort_values("difference", key=lambda column: -column.abs()).iloc[0]
        same = rows[(rows["noise"] == row["noise"]) & (rows["kind"] == row["reference"])].iloc[0]
        kinds = shown["kind"].nunique()
        yield (
            f"{title}: the same {noise} does not cost the same. At {prose(row['noise'])}, "
            f"{row['kind']} loses {prose(row['loss'])} and {row['reference']} "
            f"{prose(same['loss'])}: a difference of {prose(row['difference'])} "
            f"({prose_interval(row['difference_low'], row['difference_high'])}). "
            f"{counted(kinds, 'kind')} of {compared['kind'].nunique()} "
            f"{'differs' if kinds == 1 else 'differ'} from {row['reference']}."
        )


def size_lines(table: pd.DataFrame) -> Iterator[str]:
    """How many questions and documents each kind of noise was measured on."""
    whole = table[table["group"] == "all"]
    for _, rows in whole.groupby(["n", "n_clusters"], sort=False):
        n, documents = int(rows["n"].iloc[0]), int(rows["n_clusters"].iloc[0])
        kinds = "; ".join(rows["kind"].unique())
        yield f"{n:,} questions of {counted(documents, 'document')}: {kinds}"


def _table(table: pd.DataFrame, titles: Titles) -> Table:
    printed = empty_table(["metric", "noise", "kind"], ["lost", "more than the reference", "p"])
    whole = table[table["group"] == "all"]
    several = whole.loc[whole["retriever"] != "", "retriever"].nunique() > 1
    previous = None
    for row in whole.to_dict("records"):
        metric = titles.get((row["stage"], row["metric"]), str(row["metric"]))
        metric += f", {row['retriever']}" if several and row["retriever"] else ""
        printed.add_row(
            "" if metric == previous else metric,
            number(row["noise"]) + (FAR if row["gap"] > WIDEST_GAP else ""),
            Text(plain(str(row["kind"]))),
            _value_text(row, "loss", "low", "high"),
            _value_text(row, "difference", "difference_low", "difference_high"),
            p_value(row["p"]),
        )
        previous = metric
    return printed


def _value_text(row: Mapping[Any, Any], value: str, low: str, high: str) -> str:
    if pd.isna(row[value]):
        return "reference" if row["kind"] == row["reference"] else "-"
    if pd.isna(row[low]):
        return number(row[value])
    return f"{number(row[value])} {interval(row[low], row[high])}"
