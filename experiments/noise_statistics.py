"""Shows what noise does to the pages: the paper's tables S2 and S3 and its figure S2.

``ohr paper noise-statistics [CONFIG.yaml] [key=value ...] --out DIR`` counts three different
things:

- **format_counts.csv** (table S2): *all* formatting commands per page, in the engines' text and in
  the ground truth with formatting noise at each level;
- **block_errors.csv** (table S3): the share of blocks with OCR errors, and the commands per page
  that the ground truth does *not* have;
- **realism.csv** and its figure (figure S2): the pages' edit distance at each level of image
  noise, for engines that read images.
"""

from __future__ import annotations

from typing import Annotated

from experiments._command import Settings, command
from experiments._parameters import Out
from ohr.study.config import StudyConfig
from ohr.study.presets import preset


@command
def main(config: Annotated[StudyConfig, Settings(preset("noise-statistics"))], out: Out) -> int:
    """Count what noise does to pages (tables S2, S3, figure S2)."""
    from experiments.papers.noise_statistics import noise_statistics

    code = noise_statistics(config, out)
    print(f"results: {out}")
    return code


if __name__ == "__main__":
    main()
