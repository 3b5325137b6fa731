"""Fits curves from the intensity of a noise to the damage it does, and checks them.

``ohr run calibrate [CONFIG.yaml] [key=value ...] --out RUN`` fits on half of the pages and checks
on the other half. It writes ``RUN/calibration.json`` (the fitted curves, for ``calibration=`` of
other studies), ``curves.csv``, ``checks.csv`` and figures. The two studies behind them are in
``RUN/measured`` and ``RUN/checked``. The check asks a study for each wanted r_noise, as a user
would. A value counts as met only if the whole interval of the difference lies within ``--margin``.
"""

from __future__ import annotations

from typing import Annotated

import typer

from experiments._command import Settings, command, results_folder
from experiments._parameters import DryRun, OptionalOut
from ohr.display.choices import MARGIN
from ohr.study.config import StudyConfig
from ohr.study.presets import preset


@command
def main(
    config: Annotated[StudyConfig, Settings(preset("calibrate"))],
    out: OptionalOut = None,
    check: Annotated[
        bool, typer.Option(help="Check the fit: read pages at the fitted intensities.")
    ] = True,
    margin: Annotated[
        float,
        typer.Option(
            min=0.001, max=1, help="Largest accepted distance of measured from wanted noise."
        ),
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
