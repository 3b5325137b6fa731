"""A first look: the bundled sample, clean and warped, read by RapidOCR."""

from __future__ import annotations

from pathlib import Path

from experiments._command import Axis, study_command
from experiments.reports.noise_curve import finding, report
from ohr.study.results import Run

DOCUMENTS = [
    "finance/grispelta-annual-report-2023",
    "finance/quilgora-annual-report-2023",
    "law/quilgora-morvessa-supply-agreement-2023",
    "manual/quilgora-dh-600-operating-manual-2023",
]
DEFAULTS = {
    # RapidOCR reads no charts, and writes formulas as plain text.
    "dataset": {"kind": "sample", "documents": DOCUMENTS, "sources": ["text", "table"]},
    "dpi": 72,  # a page takes a second or two, and still reads well
    "engines": ["rapidocr"],
    "noise": ["warping"],
    "ground_truth": True,
    "seeds": [0],
}
NEXT = (
    "next: all 24 pages at 150 dpi, turned, read by Tesseract (apt-get install tesseract-ocr)",
    '  python -m experiments.noise_curve "engines=[tesseract]" "noise=[rotation]" '
    "--out runs/rotation",
)


@study_command(DEFAULTS, out=Path("runs/demo"), next_steps=NEXT)
def main(run: Run, axis: Axis = "r_noise_content") -> None:
    """Distort, read and measure 12 pages of a bundled sample."""
    report(run, axis)
    print(finding(run, axis))


if __name__ == "__main__":
    main()
