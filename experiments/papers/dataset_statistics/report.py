"""A dataset beside the paper's table 1."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from experiments.papers.dataset_statistics.table import (
    counts,
    paper_sizes,
    sizes,
)
from ohr.collection import Dataset
from ohr.display.terminal import empty_table
from ohr.files.safe_text import plain


def statistics_table(dataset: Dataset) -> Table:
    """Table 1 with this dataset beside the paper."""
    table = empty_table([""], ["this dataset", "", "paper", ""])
    ours = sizes(dataset)
    for name, paper in paper_sizes().items():
        table.add_row(name, ours[name], "", paper, "")
    rows = counts(dataset.questions)
    group = ""
    for row in rows:
        if row.group != group:
            group = row.group
            table.add_section()
            table.add_row(Text(f"by {group}", style="bold"))
        total = sum(other.paper for other in rows if other.group == group)
        table.add_row(
            Text(f"  {plain(row.name) or '(none)'}"),
            f"{row.ours:,}",
            _share(row.ours, len(dataset.questions)),
            f"{row.paper:,}" if row.paper else "-",
            _share(row.paper, total) if row.paper else "",
        )
    return table


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"
