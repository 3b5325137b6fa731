"""Says, before anything is read, what a study can show and how many documents it needs.

``ohr plan --difference 0.03 [CONFIG.yaml] [key=value ...]`` takes the options of a study. How much
documents differ is taken from ``--pilot RUN``, a finished run of the same kind of pages, or else
from a run of generated pages, typeset pages or receipts that comes with the toolkit.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import Settings, command
from experiments._parameters import OptionalOut, OutcomeMetrics
from ohr.study.config import StudyConfig
from ohr.study.presets import preset


@command
def main(
    config: Annotated[StudyConfig, Settings(preset("noise-curve"))],
    difference: Annotated[
        float, typer.Option(min=0.001, max=1, help="Loss that the study is to show.")
    ] = 0.05,
    pilot: Annotated[
        Path | None,
        typer.Option(metavar="RUN", help="Finished run whose documents differ as these will."),
    ] = None,
    out: OptionalOut = None,
    metric: OutcomeMetrics = None,
) -> int:
    """Plan a study: what it can show, and what it needs.

    Nothing is read. The options are those of ohr run noise-curve.
    """
    from ohr.analysis.planning.report import report_plan

    return report_plan(config, difference, pilot, metric or [], out)


if __name__ == "__main__":
    main()
