"""Compares the counts of a dataset with the paper's table 1."""

from __future__ import annotations

from typing import Annotated

from experiments._command import Settings, command
from ohr.display.options import DATASET
from ohr.study.config import StudyConfig


@command
def main(config: Annotated[StudyConfig, Settings(groups=(DATASET,), reads_pages=False)]) -> int:
    """Compare a dataset with the paper's table 1."""
    from experiments.papers.dataset_statistics.report import statistics_table
    from experiments.papers.dataset_statistics.table import paper_sums
    from ohr.display.terminal import show
    from ohr.study.loading import load_dataset

    show(statistics_table(load_dataset(config)))
    for line in paper_sums():
        print(f"note: {line}")
    print("note: the paper's shares are relative to the sum of its counts in each group")
    return 0


if __name__ == "__main__":
    main()
