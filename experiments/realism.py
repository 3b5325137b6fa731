"""How realistic the distortions are: pages' edit distances at each level, after figure S2.

``python -m experiments.realism RUN --out DIR`` reads a finished run of ``noise_curve`` with
``noise=[semantic]`` (or single distortions) and draws the distribution of the pages' edit
distance at each level, for each engine. ``--natural 'scans/*'`` names the documents whose pages
are degraded by nature: their clean readings stand beside the distorted readings of the others.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import command
from experiments.reports.realism import compare_distances


@command("Draw the distribution of pages' edit distance at each level of noise.")
def main(
    run: Annotated[Path, typer.Argument(help="Folder of a finished noise_curve run.")],
    out: Annotated[Path, typer.Option(help="Folder for the table and the figure.")],
    natural: Annotated[
        str, typer.Option(help="Documents that are degraded by nature, as in 'scans/*'.")
    ] = "",
) -> int:
    """Compare the distributions."""
    return compare_distances(run, out, natural)


if __name__ == "__main__":
    main()
