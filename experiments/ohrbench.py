"""Reproduces the whole OHR-Bench paper from one configuration, with its figures beside ours.

``ohr paper ohrbench CONFIG.yaml [key=value ...] --out RUN`` runs, as far as the engines, readers
and questions allow: the benchmark of clean engines (tables 2, S6 to S8), formatting noise on the
ground truth and image noise for engines that read images (figure 3), table formats (figure 4), the
error analysis (figure 5), the statistics of noise (tables S2 and S3, figure S2), robust readers
(table S5) and reworded questions (section IV.2, with ``dataset.rewritten``). ``RUN/paper.csv``,
``.md`` and ``.tex`` have one row per figure of the paper that the clean engines allow, and rows of
``our domains``: the paper's tables by domain, weighted by our questions. An engine is the paper's
if its name or label is (``precomputed:MinerU``).
"""

from __future__ import annotations

from typing import Annotated

from experiments._command import Settings, command
from experiments._parameters import Out
from ohr.study.config import StudyConfig


@command
def main(config: Annotated[StudyConfig, Settings()], out: Out) -> int:
    """Reproduce all measurements of the OHR-Bench paper.

    The noise is the paper's; choose dataset, engines, retrievers and readers.
    """
    from experiments.papers.ohrbench import reproduce_paper

    return reproduce_paper(config, out)


if __name__ == "__main__":
    main()
