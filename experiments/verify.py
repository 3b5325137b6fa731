"""Verifies that the files of finished runs are what their studies wrote.

``ohr verify RUN [RUN ...]`` compares the cells with the rows, the rows with what the study counted,
and scores the pages, hits and answers in ``cases.zip`` again. Exit 1 if anything differs.
"""

from __future__ import annotations

from experiments._command import results_command
from experiments._parameters import FinishedRuns


@results_command
def main(runs: FinishedRuns) -> int:
    """Verify that finished runs are what their studies wrote."""
    from ohr.analysis.verification.report import verify_runs

    return verify_runs(runs)


if __name__ == "__main__":
    main()
