"""Shows how realistic the distortions are: edit distances of pages at each level, after figure S2.

``ohr analyse realism RUN --out DIR`` reads a finished run of ``ohr run noise-curve`` with
``noise=[semantic]`` (or single distortions). It draws the distribution of the pages' edit distance
at each level, for each engine. ``--natural 'scans/*'`` names the documents with natural noise, such
as photographs. If other documents show the same pages, each distortion is compared with natural
noise page by page. Such pairs are known by their names (``scans/report`` and ``pdfs/report``,
``note_42_outdoor`` and ``note_42``). Without pairs, both have intervals, and nothing is tested.
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
        str, typer.Option(help="Documents with natural noise, such as 'scans/*'.")
    ] = "",
) -> int:
    """Draw pages' edit distances at each level of noise."""
    from ohr.analysis.realism.report import compare_distances

    return compare_distances(run, out, natural)


if __name__ == "__main__":
    main()
