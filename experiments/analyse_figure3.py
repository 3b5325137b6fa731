"""Draws the paper's figure 3: every stage of RAG against both kinds of noise.

``ohr analyse figure3 RUN [RUN ...] --out DIR`` takes finished runs of ``ohr run noise-curve``,
usually two: formatting noise is applied to the ground truth, and image noise to the pages that OCR
engines read. Both are drawn over the published r_noise. Image noise is dashed and averaged over
the engines at each intensity; formatting noise is solid. ``figure3.csv`` holds the points.
"""

from __future__ import annotations

from experiments._command import results_command
from experiments._parameters import FinishedRuns, Look, Out


@results_command
def main(runs: FinishedRuns, out: Out, look: Look = "paper") -> int:
    """Draw every stage against both kinds of noise (figure 3)."""
    from ohr.analysis.figure3.report import make_figure3
    from ohr.figures.style import drawn_for

    with drawn_for(look):
        return make_figure3(runs, out)


if __name__ == "__main__":
    main()
