"""Measures which OCR errors cost: those of one kind are undone at a time.

``ohr analyse error-kinds RUN --out DIR`` aligns each engine's page texts in a finished run with the
truth, splits their differences into errors of twelve kinds, and puts the truth in for the errors of
one kind after another. ``DIR/error_kinds.csv`` says how frequent each kind is,
``DIR/error_losses.csv`` what it costs: its part of the loss of each score (the parts add up to the
whole), the gain where a random half of its errors is repaired, and the loss where they alone are
put into the truth. ``DIR/error_places.csv`` has the parts of the errors in lines with evidence,
elsewhere on its pages, and on other pages; ``--distance 25 --distance 100`` divides those elsewhere
by the number of words between them and the nearest line with evidence. ``--kind letters --kind
line_lost`` undoes these by themselves and all others together, which asks a slow reader far less;
``--no-halves`` leaves out the random halves.
"""

from __future__ import annotations

from typing import Annotated

import typer

from experiments._command import results_command
from experiments._parameters import FinishedRun, Out, Seed
from ohr.errors import ConfigError

MOST_DISTANCES = 3
"""Each distance doubles the number of knowledge bases that are scored."""


@results_command
def main(
    run: FinishedRun,
    out: Out,
    engine: Annotated[
        str, typer.Option(help="Engine of the run, by its label; default: the only one.")
    ] = "",
    noise: Annotated[
        str,
        typer.Option(help="Noise and level of the run, as in its tables; default: clean."),
    ] = "",
    documents: Annotated[
        int,
        typer.Option(
            min=0, help="Ask only the questions of this many documents, drawn by the seed; 0: all."
        ),
    ] = 0,
    each: Annotated[
        int, typer.Option(min=0, help="Ask at most this many questions on a document; 0: all.")
    ] = 0,
    orders: Annotated[
        int,
        typer.Option(min=1, help="Pairs of orders in which kinds are repaired: one, its reverse."),
    ] = 2,
    distance: Annotated[
        list[int] | None,
        typer.Option(
            min=1,
            help="Words from the evidence that divide errors elsewhere on the page; up to 3 times.",
        ),
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(
            help="Undo this kind by itself and all others together; also several times. No places."
        ),
    ] = None,
    halves: Annotated[
        bool,
        typer.Option(help="Also repair a random half of each kind's errors, as a check."),
    ] = True,
    seed: Seed = 0,
) -> int:
    """Measure which kinds of OCR errors cost how much."""
    from ohr.analysis.error_kinds.report import report_kinds

    distances = sorted(set(distance or ()))
    if len(distances) > MOST_DISTANCES:
        raise ConfigError(f"--distance {distances[-1]}: give at most {MOST_DISTANCES} distances")
    chosen = kind or ()
    return report_kinds(
        run, out, engine, documents, each, orders, seed, distances, noise, chosen, halves
    )


if __name__ == "__main__":
    main()
