"""A first look: the bundled sample, clean and distorted, read by RapidOCR."""

from __future__ import annotations

from pathlib import Path

from experiments._command import study_command
from experiments.reports.noise_curve import report
from ohr.study.results import Run

DOCUMENTS = [
    "finance/grispelta-annual-report-2023",
    "finance/quilgora-annual-report-2023",
    "law/quilgora-morvessa-supply-agreement-2023",
    "manual/quilgora-dh-600-operating-manual-2023",
]
DEFAULTS = {
    "dataset": {"kind": "sample", "documents": DOCUMENTS},
    "dpi": 100,
    "engines": ["rapidocr"],
    "noise": ["psf_blur"],
    "ground_truth": True,
    "seeds": [0],
}
NEXT = (
    "next: all 24 pages at 150 dpi, turned, read by Tesseract (apt-get install tesseract-ocr)",
    '  python -m experiments.noise_curve "engines=[tesseract]" "noise=[rotation]" '
    "--out runs/rotation",
)


@study_command(DEFAULTS, out=Path("runs/demo"), next_steps=NEXT)
def main(run: Run) -> None:
    """Distort, read and measure 12 pages of a bundled sample."""
    report(run)


if __name__ == "__main__":
    main()
