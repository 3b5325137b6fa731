"""Draws the paper's figure 3: every stage of RAG against both kinds of noise.

``ohr analyse figure3 RUN [RUN ...] --out DIR`` takes finished runs of ``ohr run noise-curve``,
usually two: formatting noise is applied to the ground truth, and semantic noise to the pages that
OCR engines read. Semantic noise is dashed and averaged over the engines at each level; formatting
noise is solid. ``figure3.csv`` holds the points.
"""

from __future__ import annotations

from experiments._command import FinishedRuns, Out, command


@command
def main(runs: FinishedRuns, out: Out) -> int:
    """Draw every stage against both kinds of noise (figure 3)."""
    from ohr.analysis.figure3.report import make_figure3

    return make_figure3(runs, out)


if __name__ == "__main__":
    main()
