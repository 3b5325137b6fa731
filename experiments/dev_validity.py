"""Checks whether made questions rank conditions as given questions do.

``ohr dev validity [CONFIG.yaml] [key=value ...] --out DIR`` makes, without a model, as many
questions as the dataset has, on the same pages. It asks both sets under the same conditions of
engine, noise and retriever. ``DIR/given`` and ``DIR/made`` are the two runs, ``DIR/questions`` is
the question set, and ``DIR/differences.csv`` has every pair of conditions on both. With ``--bias``
questions are made from each engine's OCR output alone, and ``DIR/swings.csv`` has the rank of each
condition by each set.
"""

from __future__ import annotations

from typing import Annotated

import typer

from experiments._command import Settings, command
from experiments._parameters import Out
from ohr.errors import OhrError
from ohr.study.config import StudyConfig


@command
def main(
    config: Annotated[StudyConfig, Settings({"stages": ["retrieval"]})],
    out: Out,
    metric: Annotated[
        str, typer.Option(help="Metric that ranks the conditions, as stage:metric.")
    ] = "retrieval:lcs",
    bias: Annotated[
        bool,
        typer.Option(
            "--bias", help="Instead: rank by questions made from each engine's OCR output."
        ),
    ] = False,
) -> int:
    """Check if made questions rank conditions as given ones do.

    For every pair of conditions: whether each question set shows which is better, and whether the
    two sets agree.
    """
    from ohr.analysis.validity.study import measure_bias, measure_validity

    stage, colon, name = metric.partition(":")
    if not colon or not name:
        raise OhrError(f"--metric {metric!r}: write stage:metric, such as retrieval:lcs")
    study = measure_bias if bias else measure_validity
    return study(config, out, stage, name)


if __name__ == "__main__":
    main()
