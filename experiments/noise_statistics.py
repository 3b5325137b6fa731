"""What noise does to the pages themselves: the paper's tables S2 and S3 and its figure S2.

``python -m experiments.noise_statistics [CONFIG.yaml] [key=value ...] --out DIR`` counts three
things, which are not the same:

- **format_counts.csv** (table S2): formatting commands a page, *all* that are there, in the
  engines' text and in the ground truth with formatting noise at each level;
- **block_errors.csv** (table S3): the share of blocks that were read with errors, and of the
  commands a page only those that the ground truth does *not* have;
- **realism.csv** and its figure (figure S2): the pages' edit distance at each level of image
  noise, for engines that read images.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import command
from experiments.studies.noise_statistics import noise_statistics
from ohr.errors import OhrError
from ohr.study.config import StudyConfig, load_config

DEFAULTS = {"noise": ["formatting", "semantic"], "stages": ["ocr"]}


@command("Formatting commands a page, blocks with errors, pages' edit distances.")
def main(
    settings: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CONFIG.yaml] [key=value ...]",
            help='Such as "engines=[gt,precomputed:MinerU,tesseract]"; quote brackets.',
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the results.")] = None,
) -> int:
    """Measure the noise of pages."""
    return _run(load_config(settings or [], DEFAULTS), out)


def _run(config: StudyConfig, out: Path | None) -> int:
    if out is None:
        raise OhrError("where should the results go? give --out DIR, such as --out runs/noise")
    code = noise_statistics(config, out)
    print(f"results: {out}")
    return code


if __name__ == "__main__":
    main()
