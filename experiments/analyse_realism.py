"""Shows how realistic the distortions are: edit distances of pages at each level, after figure S2.

``ohr analyse realism RUN [RUN ...] --out DIR`` reads finished runs of ``ohr run noise-curve`` with
``noise=[semantic]`` (or single distortions). It draws the distribution of the pages' edit distance
at each level, for each engine. ``--natural 'scans/*'`` names the documents with natural noise, such
as photographs. If other documents show the same pages, each distortion is compared with natural
noise page by page. Such pairs are known by their names (``scans/report`` and ``pdfs/report``,
``note_42_outdoor`` and ``note_42``). Without pairs, both have intervals, and nothing is tested.

With pairs it also says whether the distortions predict the losses under natural noise, by
``--metric``: whether mean losses rank the conditions (engines as the runs name them) alike
(``agreement.csv``), whether documents lose alike (``by_document.csv``, ``losses.csv``), which share
of the pages is lost (``shape.csv``), and which distortion is nearest to which kind of photograph
(``by_tag.csv``). Digital pages and their photographs may be in different runs.
"""

from __future__ import annotations

from typing import Annotated

import typer

from experiments._command import results_command
from experiments._parameters import FinishedRuns, Out


@results_command
def main(
    runs: FinishedRuns,
    out: Out,
    natural: Annotated[
        str, typer.Option(help="Documents with natural noise, such as 'scans/*'.")
    ] = "",
    metric: Annotated[
        str, typer.Option(help="Page metric of the losses, such as text_recall, the words' recall.")
    ] = "edit_distance",
) -> int:
    """Compare distortions with natural noise, page by page."""
    from ohr.analysis.realism.report import compare_distances

    return compare_distances(runs, out, natural, metric)


if __name__ == "__main__":
    main()
