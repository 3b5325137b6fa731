"""A first look: the bundled sample, clean and distorted, read by RapidOCR."""

from __future__ import annotations

from pathlib import Path

from experiments.cli import study_command
from experiments.noise_curve import report
from experiments.study import Result

NEXT = (
    "next: distort the same pages in another way, with a second engine (needs tesseract-ocr)",
    '  python -m experiments.noise_curve "engines=[rapidocr,tesseract]" "noise=[rotation]" '
    "--out runs/rotation",
)


def after(result: Result) -> list[str]:
    """Where the results are and what to try next."""
    return [f"results: {result.out}", *NEXT]


main = study_command(
    "Distort 12 pages of the bundled sample, read them with RapidOCR, and draw the noise curve.",
    report,
    {
        "dataset": {"kind": "sample", "params": {"n_pages": 12}},
        "engines": ["rapidocr"],
        "noise": ["salt_and_pepper"],
        "ground_truth": True,
    },
    default_out=Path("runs/demo"),
    after=after,
)

if __name__ == "__main__":
    main()
