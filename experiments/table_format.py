"""Compares quality by the format of tables (the paper's figure 4).

``ohr run table-format [CONFIG.yaml] [key=value ...] --out RUN`` makes one knowledge base per
format, which differ only in the tables, and compares them on the questions about tables.
``RUN/losses.csv`` counts the tables that a format cannot hold whole, ``RUN/differences.csv`` has
the differences from the first format with paired intervals.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments._study_command import study_command
from ohr.study.presets import preset

if TYPE_CHECKING:
    from ohr.study.results import StudyRun


@study_command(preset("table-format"))
def main(run: StudyRun) -> None:
    """Compare quality by the format of tables (figure 4)."""
    from experiments.papers.table_format.report import report

    report(run)


if __name__ == "__main__":
    main()
