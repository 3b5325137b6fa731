"""Quality against measured noise: distort pages, re-read them, measure every stage."""

from __future__ import annotations

from experiments._command import study_command
from experiments.reports.noise_curve import report

main = study_command(
    "Measure retrieval, generation and overall quality against OCR noise.",
    report,
    {"engines": ["tesseract"], "noise": ["salt_and_pepper"], "ground_truth": True},
)

if __name__ == "__main__":
    main()
