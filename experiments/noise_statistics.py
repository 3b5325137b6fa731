"""What noise does to the pages themselves: the paper's tables S2 and S3 and its figure S2.

``ohr paper noise-statistics [CONFIG.yaml] [key=value ...] --out DIR`` counts three
things, which are not the same:

- **format_counts.csv** (table S2): formatting commands a page, *all* that are there, in the
  engines' text and in the ground truth with formatting noise at each level;
- **block_errors.csv** (table S3): the share of blocks that were read with errors, and of the
  commands a page only those that the ground truth does *not* have;
- **realism.csv** and its figure (figure S2): the pages' edit distance at each level of image
  noise, for engines that read images.
"""

from __future__ import annotations

from typing import Annotated

from experiments._command import Out, Settings, command
from ohr.study.config import StudyConfig

DEFAULTS = {"noise": ["formatting", "semantic"], "stages": ["ocr"]}


@command
def main(config: Annotated[StudyConfig, Settings(DEFAULTS)], out: Out) -> int:
    """Count what noise does to pages (S2, S3 and figure S2)."""
    from experiments.papers.noise_statistics import noise_statistics

    code = noise_statistics(config, out)
    print(f"results: {out}")
    return code


if __name__ == "__main__":
    main()
