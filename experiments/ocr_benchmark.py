"""Engines side by side: OCR, retrieval, generation and overall quality by evidence source."""

from __future__ import annotations

from experiments._command import study_command
from experiments.reports.benchmark import report
from ohr.study.run import Result


@study_command({})
def main(result: Result) -> None:
    """Compare OCR engines through every stage of RAG.

    Knowledge bases that others made are engines too: engines=[precomputed:FOLDER].
    """
    report(result)


if __name__ == "__main__":
    main()
