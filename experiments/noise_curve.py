"""Quality against measured noise: distort pages, re-read them, measure every stage."""

from __future__ import annotations

from experiments._command import study_command
from experiments.reports.noise_curve import report
from ohr.study.results import Run


@study_command({"engines": ["tesseract"], "noise": ["salt_and_pepper"], "ground_truth": True})
def main(run: Run) -> None:
    """Measure every stage of RAG against OCR noise."""
    report(run)


if __name__ == "__main__":
    main()
