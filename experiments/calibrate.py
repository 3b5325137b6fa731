"""Measures noise against intensity, fits it on half of the pages, and checks it on the rest.

``ohr run calibrate [CONFIG.yaml] [key=value ...] --out RUN`` writes
``RUN/calibration.json`` (the fitted curves, for ``calibration=`` of other studies),
``curves.csv``, ``checks.csv``, figures, and the two studies behind them in ``RUN/measured`` and
``RUN/checked``. The check asks a study for each wanted r_noise, as a user would, and looks at
the half that the curves were not fitted on: a value is met only where the whole interval of the
difference lies within ``--margin``.
"""

from __future__ import annotations

from typing import Annotated

import typer

from experiments._command import DryRun, OptionalOut, Settings, command, results_folder
from ohr.display.choices import MARGIN
from ohr.study.config import StudyConfig

DEFAULTS = {"engines": ["tesseract"], "noise": ["salt_and_pepper"]}


@command
def main(
    config: Annotated[StudyConfig, Settings(DEFAULTS)],
    out: OptionalOut = None,
    check: Annotated[
        bool, typer.Option(help="Read pages at the intensities found, to check them.")
    ] = True,
    margin: Annotated[
        float,
        typer.Option(min=0.001, max=1, help="How far measured noise may lie from what was wanted."),
    ] = MARGIN,
    dry_run: DryRun = False,
) -> int:
    """Fit measured noise against intensity, and check the fit.

    r_noise=[…] and edit_distance=[…] are the values to check.
    """
    from ohr.analysis.calibration.study import calibrate, measurement
    from ohr.display.plan import print_plan

    if dry_run:
        print_plan(measurement(config))
        return 0
    return calibrate(config, results_folder(out), check, margin)


if __name__ == "__main__":
    main()
