"""Engines side by side: OCR, retrieval, generation and overall quality by evidence source."""

from __future__ import annotations

from experiments.cli import study_command
from experiments.figures import benchmark_bars
from experiments.study import Result
from experiments.tables import benchmark_table, show


def report(result: Result) -> None:
    """Draw the bars and print a row for each engine and group of questions."""
    made = benchmark_bars(result.cells, result.out / "figures")
    show(benchmark_table(result.cells))
    for path in made:
        print(f"figure: {path}")


main = study_command(
    "Compare OCR engines, or knowledge bases that others made, through every stage of RAG.",
    report,
    {},
)

if __name__ == "__main__":
    main()
