"""Quality against measured noise: distort pages, re-read them, measure every stage."""

from __future__ import annotations

from experiments.cli import study_command
from experiments.figures import noise_curves, noise_strength
from experiments.source_curves import source_curves
from experiments.study import Result
from experiments.tables import noise_table, show


def report(result: Result) -> None:
    """Draw the noise curves and print a row for each knowledge base."""
    figures = result.out / "figures"
    made = noise_curves(result.cells, figures) + source_curves(result.cells, figures)
    made += noise_strength(result.cells, figures)
    show(noise_table(result.cells))
    for path in made:
        print(f"figure: {path}")


main = study_command(
    "Measure retrieval, generation and overall quality against OCR noise.",
    report,
    {"engines": ["tesseract"], "noise": ["salt_and_pepper"], "ground_truth": True},
)

if __name__ == "__main__":
    main()
