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
NEXT = (
    "next: all 24 pages at 150 dpi, turned, read by Tesseract (apt-get install tesseract-ocr)",
    '  python -m experiments.noise_curve "engines=[tesseract]" "noise=[rotation]" '
    "--out runs/rotation",
)


def after(run: Run) -> list[str]:
    """Where the results are and what to try next."""
    return [f"results: {run.path}", *NEXT]


main = study_command(
    "Distort 12 pages of the bundled sample, read them with RapidOCR, and draw the noise curve.",
    report,
    {
        "dataset": {"kind": "sample", "documents": DOCUMENTS},
        "dpi": 100,
        "engines": ["rapidocr"],
        "noise": ["psf_blur"],
        "ground_truth": True,
        "seeds": [0],
    },
    default_out=Path("runs/demo"),
    after=after,
)

if __name__ == "__main__":
    main()
