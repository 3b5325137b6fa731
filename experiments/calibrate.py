"""Measures noise against intensity, fits it on half of the pages, and checks it on the rest.

``python -m experiments.calibrate [CONFIG.yaml] [key=value ...] --out RUN`` writes
``RUN/calibration.json`` (the fitted curves, for ``calibration=`` of other studies),
``curves.csv``, ``checks.csv``, figures, and the two studies behind them in ``RUN/measured`` and
``RUN/checked``. The check asks a study for each wanted r_noise, as a user would, and looks at
the half that the curves were not fitted on.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import command
from experiments.studies.calibration import (
    calibrate,
)
from ohr.study.config import load_config

DEFAULTS = {"engines": ["tesseract"], "noise": ["salt_and_pepper"]}


@command("Fit measured noise against intensity, and check the fit on unseen pages.")
def main(
    settings: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CONFIG.yaml] [key=value ...]",
            help="As for noise_curve; r_noise=[…] are the values to check.",
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the results.")] = None,
    check: Annotated[
        bool, typer.Option(help="Read pages at the intensities found, to check them.")
    ] = True,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the plan of the measurement; read nothing.")
    ] = False,
) -> int:
    """Calibrate."""
    return calibrate(load_config(settings or [], DEFAULTS), out, check, dry_run)


if __name__ == "__main__":
    main()
