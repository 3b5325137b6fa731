"""What readers keep, and the table S5."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from experiments.analysis.labels import STAGE_METRICS
from experiments.analysis.notes import answerers, note_lines, run_notes
from experiments.analysis.robustness import (
    PARTS,
    robustness,
)
from experiments.reports.files import TextTable, write_table
from experiments.reports.paper_tables import reader_values, write_reader_table
from experiments.reports.terminal import number, p_value, show, terminal_table
from ohr.study.results import (
    Run,
)


def compare_readers(run: Run, out: Path, baseline: str = "") -> int:
    """Print and write what a run's readers keep. Raises OhrError."""
    losses = robustness(run, baseline)
    notes = run_notes([run])
    table = _text_table(losses[losses["group"] == "all"], note_lines(answerers(losses), notes))
    show(terminal_table(table))
    print(table.caption)
    written = write_table(out, "robust_reader", losses, table)
    if len(reader_values(run.cells)):
        written += write_reader_table(run.cells, out, notes)
    for path in written:
        print(f"table: {path}")
    return 0


def _text_table(losses: pd.DataFrame, notes: Sequence[str]) -> TextTable:
    titles = {stage: title for stage, _, title in STAGE_METRICS}
    rows = []
    for row in losses.to_dict("records"):
        rows.append(
            [
                titles[row["stage"]],
                row["knowledge_base"],
                row["retriever"],
                row["reader"],
                *(number(row[name]) for name in PARTS),
                _with_interval(row, "retention"),
                _with_interval(row, "loss"),
                _with_interval(row, "loss_difference") if row["baseline_reader"] else "",
                *(p_value(row[name]) if row["baseline_reader"] else "" for name in ("p", "p_holm")),
            ]
        )
    header = ["stage", "knowledge base", "retriever", "reader", *PARTS, "retention", "loss"]
    n = int(losses["n"].max())
    first = next((name for name in losses["baseline_reader"] if name), "")
    caption = (
        f"n = {n} questions; floor: nothing to read; retention above the floor; "
        f"loss less that of {first} on the same questions, p by sign flips, Holm over these"
    )
    caption = "; ".join([caption, *notes])
    return TextTable([*header, "more lost", "p", "Holm"], rows, caption, left=4)


def _with_interval(row: Mapping[Hashable, Any], name: str) -> str:
    low, high = row[f"{name}_ci_low"], row[f"{name}_ci_high"]
    interval = "" if pd.isna(low) else f" [{low:.2f}, {high:.2f}]"
    return f"{number(row[name])}{interval}"
