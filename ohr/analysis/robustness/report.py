"""Prints how much quality readers keep under noise, and writes table S5."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from ohr.analysis.benchmark.paper_tables import reader_values, write_reader_table
from ohr.analysis.comparison.differences import run_differences
from ohr.analysis.comparison.not_shown import mark_not_shown
from ohr.analysis.robustness.table import (
    PARTS,
    robustness,
)
from ohr.display.labels import STAGE_METRICS
from ohr.display.notes import answerers, note_lines, run_notes
from ohr.display.terminal import print_caption, say, say_files, show, terminal_table
from ohr.display.text_tables import TextTable, write_table
from ohr.display.verdicts import effect_text, size_text
from ohr.display.wording import add_letters, excluded, family, is_shown, letters_part
from ohr.metrics.labels import heading
from ohr.statistics.numbers import ends, number, p_value
from ohr.study.results import (
    StudyRun,
)


def compare_readers(run: StudyRun, out: Path, baseline: str = "") -> int:
    """Print and write how much quality a run's readers keep. Raises OhrError."""
    losses = robustness(run, baseline)
    notes = run_notes([run])
    table = text_table(losses[losses["group"] == "all"], note_lines(answerers(losses), notes))
    for line in verdict_lines(losses, run.rows["doc_id"].nunique()):
        say(line)
    print()
    show(terminal_table(table))
    print_caption(table.caption)
    paths = write_table(out, "robust_reader", losses, table)
    if len(reader_values(run.cells)):
        marked = mark_not_shown(run.cells, run_differences(run, groups=True))
        paths += write_reader_table(marked, out, notes)
    say_files(paths)
    return 0


def verdict_lines(losses: pd.DataFrame, documents: int) -> Iterator[str]:
    """Of each stage, the reader that differs most from the baseline in what it loses."""
    titles = {stage: title for stage, _, title in STAGE_METRICS}
    compared = losses[(losses["group"] == "all") & (losses["baseline_reader"] != "")]
    for stage, rows in compared.groupby("stage", sort=False):
        row = rows.sort_values(
            "loss_difference", key=lambda column: -column.abs(), kind="stable"
        ).iloc[0]
        way, sign = ("more", 1) if row["loss_difference"] > 0 else ("less", -1)
        low, high = sorted(sign * row[f"loss_difference_ci_{end}"] for end in ("low", "high"))
        change = effect_text(abs(row["loss_difference"]), low, high, row["p_adjusted"], documents)
        yield (
            f"{heading(titles[str(stage)])}: {row['knowledge_base']}, {row['reader']} loses {way} "
            f"than {row['baseline_reader']}, by {change}."
        )
    yield size_text(int(losses["n"].max()), documents)


def text_table(losses: pd.DataFrame, notes: Sequence[str]) -> TextTable:
    """One line per reader and noise; with chunker and top_k if there are several."""
    titles = {stage: title for stage, _, title in STAGE_METRICS}
    varying = [name for name in ("chunker", "top_k") if _varies(losses[name])]
    settings = ["retriever", *varying]
    rows = []
    for row in losses.to_dict("records"):
        rows.append(
            [
                titles[row["stage"]],
                row["knowledge_base"],
                *(str(row[name]) for name in settings),
                row["reader"],
                *(
                    add_letters(number(row[name]), row["letters"] if name == "noisy" else "")
                    for name in PARTS
                ),
                _value_with_interval(row, "retention"),
                _value_with_interval(row, "loss"),
                _value_with_interval(row, "loss_difference") if row["baseline_reader"] else "",
                _verdict(row),
            ]
        )
    names = ["stage", "knowledge base", *settings, "reader"]
    n = int(losses["n"].max())
    first = next((name for name in losses["baseline_reader"] if name), "")
    caption = (
        f"n = {n} questions; floor: F1 without context; retention above the floor; extra loss: "
        f"loss less that of {first} on the same questions, with its 95 % interval; "
        f"{family(int(losses['p'].notna().sum()))}, by sign flips"
    )
    ties = letters_part(losses.attrs.get("ties", ()))
    caption = "; ".join(part for part in (caption, ties, *notes) if part)
    header = [*names, *PARTS, "retention", "loss", "extra loss", "p"]
    return TextTable(header, rows, caption, left=len(names))


def _verdict(row: Mapping[Hashable, Any]) -> str:
    """p and, where no difference is shown, what is excluded."""
    if not row["baseline_reader"]:
        return ""
    p = p_value(row["p_adjusted"])
    if is_shown(row["p_adjusted"]):
        return p
    bounds = row["loss_difference_ci_low"], row["loss_difference_ci_high"]
    return f"{p}, {excluded(*bounds)}"


def _varies(setting: pd.Series) -> bool:
    """Whether a setting has several values, apart from stages without it."""
    return setting.replace("", None).nunique() > 1


def _value_with_interval(row: Mapping[Hashable, Any], name: str) -> str:
    interval = ends(row[f"{name}_ci_low"], row[f"{name}_ci_high"], partial(number, decimals=2))
    return number(row[name]) + interval
