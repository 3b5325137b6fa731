"""Prints the losses of a run: paired changes from each baseline."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from rich.table import Table
from rich.text import Text

from ohr.collection import GROUND_TRUTH
from ohr.display.labels import (
    broken_label,
    group_label,
    interval_units,
    shown_measures,
    shown_readings,
)
from ohr.display.settings import Block, blocks_of, setting_texts
from ohr.display.terminal import NARROW, show
from ohr.display.wording import ALPHA, is_shown, rare_losses, rounded_up
from ohr.files.safe_text import plain
from ohr.statistics import too_few
from ohr.statistics.clusters import DOCUMENT, FEWEST
from ohr.statistics.numbers import interval, number, p_value, prose
from ohr.statistics.paired import FEWEST_TO_SHOW
from ohr.store.csv import write_csv
from ohr.study.baselines import baselines_line
from ohr.study.metrics import metric_info
from ohr.study.notices.truth import truth_of
from ohr.study.results import StudyRun

SHOWN = "*"
"""Mark of a significant change: its corrected p is at most :data:`ALPHA`."""
LESS = " ↓"
"""Mark of a metric where less is better."""
_EVERYTHING = "all"
MetricInfo = tuple[str, str, str]
"""Stage, metric and label."""
Row = Mapping[str, Any]


def differences_table(differences: pd.DataFrame, metrics: Sequence[MetricInfo]) -> Table:
    """One row per knowledge base, setting and group of questions, one column per metric.

    A cell has two lines: the change with its corrected p, then its 95 % interval. A part of a
    metric's loss has no p.
    """
    metrics = [metric for metric in metrics if len(_select_metric(differences, metric))]
    blocks = [block for block in blocks_of(differences) if not block.is_mean]
    groups = list(dict.fromkeys(differences["group"]))
    table = Table(header_style="bold", box=None, pad_edge=False, caption_justify="left")
    table.add_column("knowledge base")
    if len(blocks) > 1:
        table.add_column("setting")
    if len(groups) > 1:
        table.add_column("questions on")
    for metric in metrics:
        better = _select_metric(differences, metric)["higher_is_better"].all()
        table.add_column(broken_label(metric[2]) + ("" if better else LESS), no_wrap=True)
    changes = _Changes(differences)
    bases = differences[["part", "baseline", "other"]].drop_duplicates()
    heading = ""
    for part, baseline, other in bases.itertuples(index=False, name=None):
        if part != heading and bases["part"].nunique() > 1:
            heading = part
            table.add_row(Text(f"{part}:"))
        heads = [Text(f"{plain(other)}\nminus {plain(baseline)}")]
        for block in blocks:
            for group in groups:
                cells = [
                    _cell(changes.find(block, baseline, other, group, metric), metric)
                    for metric in metrics
                ]
                if not any(cells):
                    continue
                named = [Text(plain(block.label))] if len(blocks) > 1 else []
                if len(groups) > 1:
                    named.append(Text(plain(group_label(group))))
                table.add_row(*heads, *named, *cells)
                heads = [Text("")]
    return table


def _select_metric(differences: pd.DataFrame, metric_info: MetricInfo) -> pd.DataFrame:
    stage, metric, _ = metric_info
    return differences[(differences["stage"] == stage) & (differences["metric"] == metric)]


class _Changes:
    """Differences by knowledge base, group and metric."""

    def __init__(self, differences: pd.DataFrame) -> None:
        names = ["baseline", "other", "group", "stage", "metric"]
        keys = differences[names].itertuples(index=False, name=None)
        rows = [{str(k): v for k, v in record.items()} for record in differences.to_dict("records")]
        self._rows: dict[tuple[str, ...], list[tuple[tuple[str, ...], Row]]] = {}
        for key, setting, row in zip(keys, setting_texts(differences), rows, strict=True):
            self._rows.setdefault(key, []).append((setting, row))

    def find(
        self, block: Block, baseline: str, other: str, group: str, metric: MetricInfo
    ) -> Row | None:
        """The first difference of one of a block's settings; None without any."""
        rows = self._rows.get((baseline, other, group, *metric[:2]), [])
        fitting = (row for each in block.settings for setting, row in rows if each.fits(setting))
        return next(fitting, None)


def _cell(row: Row | None, metric: MetricInfo) -> str:
    if row is None:
        return ""
    text = change_text(row, "\n")
    return re.sub(r" p [^\n]*", "", text) if _is_part(metric) else text


def _is_part(metric: MetricInfo) -> bool:
    """Whether a metric is part of another's loss, such as text missing of retrieval LCS."""
    return bool(metric_info(*metric[:2]).part_of)


def change_text(row: pd.Series | Row, between: str = " ") -> str:
    """``−0.147* p 0.012 [−0.237, −0.062]``; the interval comes after ``between``."""
    mark = SHOWN if is_shown(row["p_adjusted"]) else ""
    change = f"{number(row['difference'])}{mark}"
    if math.isnan(row["ci_low"]):
        return f"{change}{between}no interval"
    if row["ci_low"] <= -1 < 1 <= row["ci_high"]:
        return f"{change}{between}nothing is ruled out"
    if row.get("n_changed") == 0:
        return f"{change}{between}no question changed"
    p = f" p {p_value(row['p_adjusted'])}".replace(" <", " < ")
    return f"{change}{p}{between}{interval(row['ci_low'], row['ci_high'])}"


def differences_lines(
    differences: pd.DataFrame, metrics: Sequence[MetricInfo], truth: str = GROUND_TRUTH
) -> list[str]:
    """The caption of a table of differences: baselines, intervals, families, missing tests."""
    lines = [baselines_line(set(differences["part"]), truth)]
    if units := interval_units(differences["ci_unit"]):
        lines.append(f"intervals and p by sign flips, for further {units}{together(differences)}")
        lines.append(
            f"{SHOWN} significant: p at most {prose(ALPHA)}; else larger changes are ruled out"
        )
    else:
        lines.append(f"no intervals: fewer than {FEWEST} documents or pages")
    if limit := floor(differences):
        lines.append(limit)
    lines += _further(differences, metrics)
    return [plain(line) for line in lines if line]


def together(differences: pd.DataFrame) -> str:
    """``; together at 95 % for each metric's 3 comparisons of engines on clean pages, and its 4 of
    noise``; empty if every comparison is alone.
    """
    sizes = differences.groupby("family", sort=False)["family_size"].max()
    if sizes.max() <= 1:
        return ""
    first, *rest = [
        (f"{size} comparison{'s' * (size != 1)}" if not place else str(size), str(family))
        for place, (family, size) in enumerate(sizes.items())
    ]
    parts = [f"each metric's {first[0]} of {first[1]}"]
    parts += [f"its {size} of {family}" for size, family in rest]
    return f"; together at 95 % for {', and '.join(parts)}"


def _further(differences: pd.DataFrame, metrics: Sequence[MetricInfo]) -> Iterator[str]:
    """How many further documents would show each metric's largest change that is not shown."""
    parts = []
    for metric in (metric for metric in metrics if not _is_part(metric)):
        rows = _select_metric(differences, metric)
        rows = rows[(rows["group"] == _EVERYTHING) & (rows["p_adjusted"] > 0.05)]
        rows = rows[rows["further_units"].between(1, math.inf, inclusive="left")]
        if rows.empty:
            continue
        largest = rows.iloc[int(rows["difference"].abs().argmax())]
        further = rounded_up(largest["further_units"])
        units = interval_units([largest["ci_unit"]])
        parts.append(
            f"{metric[2]} {prose(largest['difference'])} ({largest['other']}): about {further} "
            f"further {units} like these"
        )
    if parts:
        yield "to show a change of the measured size with 80 % power: " + "; ".join(parts)


def floor(differences: pd.DataFrame) -> str:
    """Why nothing can be shown, or which losses so few documents may miss; empty without tests."""
    if not (differences["ci_unit"] == DOCUMENT).any():
        return ""
    documents = int(differences["n_documents"].max())
    if reason := too_few(documents):
        return f"nothing can be shown with {reason}; use {FEWEST_TO_SHOW} or more"
    return rare_losses(documents)


def report_differences(run: StudyRun, differences: pd.DataFrame) -> list[Path]:
    """Print the losses and write ``differences.csv``, or print why nothing is compared.

    Returns the path, for the line of files.
    """
    show_differences(run, differences)
    return write_differences(run, differences)


def show_differences(run: StudyRun, differences: pd.DataFrame) -> None:
    """Print the losses, or why nothing is compared."""
    if differences.empty:
        if why := differences.attrs.get("not_compared"):
            print(plain(f"no differences: {why}"))
        return
    metrics = shown_measures(run.cells, parts=True) or shown_readings(run.cells)
    parts = [metric for metric in metrics if _is_part(metric)]
    main = [metric for metric in metrics if not _is_part(metric)]
    table = differences_table(differences, main)
    lines = differences_lines(differences, main, truth_of(run.cells))
    table.caption = Text("\n".join(lines), style="")
    show(table, NARROW)
    if parts:
        print()
        show(differences_table(differences, parts), NARROW)


def write_differences(run: StudyRun, differences: pd.DataFrame) -> list[Path]:
    """Write ``differences.csv`` and return its path; nothing without differences."""
    if differences.empty:
        return []
    path = run.path / "differences.csv"
    write_csv(path, differences)
    return [path]
