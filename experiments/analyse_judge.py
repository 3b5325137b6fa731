"""Grades the answers of systems with a language model, and ranks the systems (PDFTriage, table 3).

``ohr analyse judge RUN [RUN ...] --judge SPEC --out DIR`` reads the answers of finished runs. A
judge grades readability, informativeness, clarity, accuracy and overall from 1 to 5. It also
compares the answers of each pair of systems, in both orders. With two judges, their agreement is
reported. Judgements are cached: after an interruption, nothing is asked twice.

``ohr analyse judge RUN --verdicts FILE.csv --out DIR`` asks nobody: it compares the verdicts of the
run's own judge (metric ``judged``) with those of a person or a rule on a sample, which
``--sample FILE.csv`` draws.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import command
from experiments._parameters import FinishedRuns, OptionalOut, Seed


@command
def main(
    runs: FinishedRuns,
    out: OptionalOut = None,
    judge: Annotated[
        list[str] | None,
        typer.Option(
            help="A language model, such as '{name: openai, params: {model: …}}'; once or twice."
        ),
    ] = None,
    verdicts: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE.csv",
            help="Verdicts (qid, correct) on answers of the run's own judge; repeat for raters.",
        ),
    ] = None,
    sample: Annotated[
        Path | None,
        typer.Option(metavar="FILE.csv", help="Write answers to check to this file, and end."),
    ] = None,
    number: Annotated[
        int, typer.Option(min=0, help="Questions (answers for --sample) to draw; 0: all.")
    ] = 0,
    seed: Seed = 0,
    cache: Annotated[Path, typer.Option(help="Folder of the cache, for judgements.")] = Path(
        ".ohr-cache"
    ),
) -> int:
    """Grade systems with a model, or measure a judge's errors.

    With --judge a model grades and ranks the answers of systems (PDFTriage, table 3). With
    --verdicts the run's own judge is compared with a person's verdicts: confusion matrix, corrected
    means, agreement. --sample draws the answers to check.
    """
    from ohr.errors import ConfigError

    if judge and (sample is not None or verdicts):
        raise ConfigError("--judge: it asks a model; --sample and --verdicts ask nobody")
    if sample is not None:
        if len(runs) > 1:
            raise ConfigError("--sample: it draws answers of one run")
        return _draw(runs, sample, number, seed)
    if out is None:
        raise ConfigError("--out: name a folder for the results")
    if verdicts or not judge:
        return _judge_errors(runs, verdicts or [], out)
    from ohr.analysis.judging.study import judge_runs
    from ohr.study.config import parse_plugin

    specs = [parse_plugin("judge", text) for text in judge]
    return judge_runs(runs, specs, out, number=number, seed=seed, cache=cache)


def _draw(runs: list[Path], sample: Path, number: int, seed: int) -> int:
    from ohr.analysis.judging.error_report import draw_sample
    from ohr.study.opening import open_runs

    return draw_sample(open_runs(runs)[0], sample, number, seed)


def _judge_errors(runs: list[Path], verdicts: list[Path], out: Path) -> int:
    from ohr.analysis.judging.error_report import report_errors
    from ohr.errors import ConfigError
    from ohr.study.opening import open_runs

    if not verdicts and len(runs) < 2:
        raise ConfigError("name a model with --judge, or a file of verdicts with --verdicts")
    return report_errors(open_runs(runs), verdicts, out)


if __name__ == "__main__":
    main()
