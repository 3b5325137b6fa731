"""Chunkers and retrievers side by side: what each finds, and what noise costs it.

``ohr run retrievers [CONFIG.yaml] [key=value ...] --out RUN`` measures retrieval
at several numbers of hits in one run. ``RUN/drops.csv`` holds, for each retriever and group of
questions, the first knowledge base's mean, every other one's, and the drop from the one to the
other with its paired interval and p; beside it that drop less the first retriever's, on all
questions and (``equal``) on those that the two score alike in the first knowledge base, and what
share of the first knowledge base's mean was ``kept``. ``p_holm`` corrects over the rows of one
metric at one number of hits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments._command import study_command

if TYPE_CHECKING:
    from ohr.study.results import Run


@study_command(
    {"stages": ["ocr", "retrieval"], "ks": [1, 2, 5, 10], "retrievers": ["bm25"]},
    needs="retrieval",
)
def main(run: Run) -> None:
    """Compare chunkers and retrievers, clean and under noise."""
    from ohr.analysis.drops.report import report

    report(run)


if __name__ == "__main__":
    main()
