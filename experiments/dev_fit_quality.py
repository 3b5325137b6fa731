"""Fits the model that predicts OCR errors from signals of quality.

``ohr dev fit-quality RUN [RUN ...] --out model.json`` takes the pages of runs of
``ohr quality confidence``. Every domain has the same weight. The intervals are those that hold for
domains left out of the fit. Each kind of page, writing system and domain is then left out as a
whole: a kind for which 90 % intervals hold for less than 0.85 of the pages is not assessed. With
``--half``, half of the documents are fitted, and ``ohr dev check-quality --other-half`` checks the
rest. ``--means-of MODEL`` fits nothing: it only moves the means of MODEL's predictions for each
kind of page, so that they are right on documents that MODEL was not fitted to. The model that comes
with the toolkit was fitted by this command; its ``fitted_on`` names the data.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import command


@command
def main(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN", help="Result folders of ohr quality confidence."),
    ],
    out: Annotated[Path, typer.Option(help="File for the model.")],
    half: Annotated[
        bool, typer.Option("--half", help="Fit half of the documents of each domain only.")
    ] = False,
    means_of: Annotated[
        Path | None,
        typer.Option(metavar="MODEL", help="Only calibrate the means of this model on the runs."),
    ] = None,
    fitted: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="RUN", help="With --means-of: runs of which MODEL was fitted to half; left out."
        ),
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(help="With --means-of: kinds of pages, e.g. slip; by default all."),
    ] = None,
) -> int:
    """Fit the predictor of OCR errors to finished runs."""
    from ohr.adviser.quality.check import read_model
    from ohr.adviser.quality.fit_report import report_calibration, report_fit
    from ohr.errors import ConfigError

    if means_of is not None:
        model = read_model(means_of, "--means-of")
        return report_calibration(
            runs, model, out, half=half, fitted=fitted or (), kinds=kind or ()
        )
    if fitted or kind:
        raise ConfigError("--fitted and --kind go with --means-of MODEL")
    return report_fit(runs, out, half=half)


if __name__ == "__main__":
    main()
