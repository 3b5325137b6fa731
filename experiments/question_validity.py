"""Whether made questions rank conditions as given ones do.

``ohr questions validity [CONFIG.yaml] [key=value ...] --out DIR`` makes as many
questions as are given, on the same pages, without a model, and asks both sets under the same
conditions of engine, noise and retriever. ``DIR/given`` and ``DIR/made`` are the two runs,
``DIR/questions`` the exam, ``DIR/differences.csv`` every pair of conditions on both. With
``--bias`` questions are made of each engine's reading alone, and ``DIR/swings.csv`` has the ranks
that the conditions have by each.
"""

from __future__ import annotations

from typing import Annotated

import typer

from experiments._command import Out, Settings, command
from ohr.errors import OhrError
from ohr.study.config import StudyConfig


@command
def main(
    config: Annotated[StudyConfig, Settings({"stages": ["retrieval"]})],
    out: Out,
    metric: Annotated[
        str, typer.Option(help="What the conditions are ranked by, as stage:metric.")
    ] = "retrieval:lcs",
    bias: Annotated[
        bool,
        typer.Option(
            "--bias", help="Instead: questions of each engine's reading alone, and their ranks."
        ),
    ] = False,
) -> int:
    """Check that made questions rank conditions as given ones do.

    Of every pair of conditions: whether each set of questions settles which is better, and whether
    the two sets then agree.
    """
    from ohr.analysis.validity.study import measure_bias, measure_validity

    stage, colon, name = metric.partition(":")
    if not colon or not name:
        raise OhrError(f"--metric {metric!r}: write stage:metric, as retrieval:lcs")
    measure = measure_bias if bias else measure_validity
    return measure(config, out, stage, name)


if __name__ == "__main__":
    main()
