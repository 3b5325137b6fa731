"""Compares chunkers and retrievers: what each finds, and what noise costs it.

``ohr run retrievers [CONFIG.yaml] [key=value ...] --out RUN`` measures retrieval at several numbers
of hits in one run. ``RUN/drops.csv`` has, for each retriever and group of questions, the mean of
the first knowledge base, that of each other one, and the drop between the two with its paired
interval and p. It also has the difference between this drop and that of the first retriever, on all
questions and (``equal``) on those that both score alike in the first knowledge base; and ``kept``,
the share of the first knowledge base's mean that remains. The rows of one metric at one number of
hits are one family. Retrievers that share a letter (``letters``) do not differ
significantly in the other knowledge base's mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments._study_command import study_command
from ohr.study.presets import preset

if TYPE_CHECKING:
    from ohr.study.results import StudyRun


@study_command(
    preset("retrievers"),
    needs="retrieval",
)
def main(run: StudyRun) -> None:
    """Compare chunkers and retrievers, clean and under noise."""
    from ohr.analysis.drops.report import report

    report(run)


if __name__ == "__main__":
    main()
