"""How realistic the distortions are: pages' edit distances at each level, after figure S2.

``ohr analyse realism RUN --out DIR`` reads a finished run of ``noise_curve`` with
``noise=[semantic]`` (or single distortions) and draws the distribution of the pages' edit
distance at each level, for each engine. ``--natural 'scans/*'`` names the documents whose pages
are degraded by nature, such as photographs. Where they show the same pages as other documents, by
their names (``scans/report`` and ``pdfs/report``, ``note_42_outdoor`` and ``note_42``), each
distortion is compared with nature page by page; else both have their intervals, and nothing is
tested.
"""

from __future__ import annotations

from typing import Annotated

import typer

from experiments._command import FinishedRun, Out, command


@command
def main(
    run: FinishedRun,
    out: Out,
    natural: Annotated[
        str, typer.Option(help="Documents that are degraded by nature, as in 'scans/*'.")
    ] = "",
) -> int:
    """Draw pages' edit distances at each level of noise."""
    from ohr.analysis.realism.report import compare_distances

    return compare_distances(run, out, natural)


if __name__ == "__main__":
    main()
