"""The loss per question on each kind of evidence, and its share of the whole loss."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
from rich.table import Table
from rich.text import Text

from ohr.analysis.attribution.loss_shares import HOW_SHARES_ADD, group_losses
from ohr.analysis.predictiveness.table import outcomes_of
from ohr.display.labels import group_label, interval_units
from ohr.display.terminal import empty_table, print_caption, show
from ohr.files.safe_text import plain
from ohr.statistics.numbers import ends, number, percent
from ohr.store.csv import write_csv
from ohr.study.results import StudyRun

SHOWN = ("all", "source:")


def report_losses(run: StudyRun, path: Path) -> bool:
    """Print and write the loss of each knowledge base; False if there is nothing to compare."""
    losses = group_losses(run)
    if losses.empty:
        return False
    write_csv(path, losses)
    for condition, rows in losses.groupby("condition", sort=False):
        show(losses_table(str(condition), rows))
    for line in _legend(losses):
        print_caption(line)
    return True


def losses_table(condition: str, losses: pd.DataFrame) -> Table:
    """One row per outcome and kind of evidence: loss per question, and share of the whole."""
    table = empty_table(
        ["outcome", "questions on"],
        ["n", "loss per question", "share of the whole"],
        title=plain(f"loss of {condition}"),
    )
    for label, rows in outcomes_of(losses[losses["group"].str.startswith(SHOWN)]):
        for place, row in enumerate(rows.to_dict("records")):
            table.add_row(
                Text(plain(label) if place == 0 else ""),
                Text(plain(group_label(row["group"]))),
                str(row["n"]),
                number(row["loss"]) + ends(row["ci_low"], row["ci_high"], number),
                percent(row["share"]) + ends(row["share_ci_low"], row["share_ci_high"], percent),
            )
    return table


def _legend(losses: pd.DataFrame) -> Iterator[str]:
    units = interval_units(losses["ci_unit"])
    intervals = f"; in brackets 95 % intervals for further {units}" if units else ""
    yield (
        "loss: the score of the baseline less the score here; the baseline is the same engine on "
        f"clean pages, and for clean pages the ground truth{intervals}"
    )
    yield f"{HOW_SHARES_ADD}; no interval where the whole loss may be 0"
