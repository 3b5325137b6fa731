"""Engines side by side: OCR, retrieval, generation and overall quality by evidence source."""

from __future__ import annotations

from experiments._command import study_command
from experiments.reports.benchmark import report

main = study_command(
    "Compare OCR engines, or knowledge bases that others made, through every stage of RAG.",
    report,
    {},
)

if __name__ == "__main__":
    main()
