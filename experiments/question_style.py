"""The same study with other wordings of its questions (section IV.2 of the paper).

``python -m experiments.question_style [CONFIG.yaml] [key=value ...] --out RUN`` asks the
questions of ``dataset.rewritten=FILE`` (a CSV with the columns ``qid`` and ``question``) twice, in
their original wording (``RUN/original``) and in the file's (``RUN/rewritten``), and compares the
two by question. With ``--rewriter`` a language model words ``--number`` questions drawn with the
seed, and they are written to ``RUN/rewritten.csv``: read them before you believe the result.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Annotated

import typer

from experiments._command import CommandLine, report_troubles, with_errors
from experiments.analysis.wordings import rewrite
from experiments.compare import compare_runs
from ohr.errors import ConfigError, OhrError
from ohr.registry import PluginSpec
from ohr.store.atomic import write_text
from ohr.study.config import StudyConfig, load_config
from ohr.study.progress import Progress
from ohr.study.run import run_study
from ohr.study.wordings import wordings_csv
from ohr.study.yaml_values import parse_yaml

PAPER = {
    "GT": (27.2, 23.2), "MinerU": (20.7, 18.0), "GOT": (12.8, 12.9), "Qwen2.5-VL": (23.1, 20.0),
}  # fmt: skip
"""Section IV.2: before and after 100 questions were reworded by hand, in per cent."""

main = CommandLine()


@main.command(help="Compare the original wording of questions with another one.")
def command(
    settings: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CONFIG.yaml] [key=value ...]",
            help="A study's options, with dataset.rewritten=FILE or --rewriter.",
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the results.")] = None,
    rewriter: Annotated[
        str,
        typer.Option(help="Language model that rewords, as '{name: openai, params: {model: …}}'."),
    ] = "",
    number: Annotated[int, typer.Option(min=1, help="Questions that it rewords.")] = 100,
    debug: Annotated[
        bool, typer.Option("--debug", help="Print a traceback with an error.")
    ] = False,
) -> None:
    """Compare wordings."""
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    with_errors(lambda: _run(load_config(settings or []), out, rewriter, number), debug)


def _run(config: StudyConfig, out: Path | None, rewriter: str, number: int) -> int:
    if out is None:
        raise OhrError("where should the results go? give --out RUN, such as --out runs/style")
    if rewriter and config.dataset.rewritten is not None:
        raise ConfigError("give dataset.rewritten=FILE or --rewriter, not both")
    path = config.dataset.rewritten
    if rewriter:
        path = out / "rewritten.csv"
        write_text(path, wordings_csv(rewrite(config, _spec(rewriter), number)))
        print(f"wordings: {path}")
    if path is None:
        raise ConfigError("question_style needs dataset.rewritten=FILE, or --rewriter")
    return compare_wordings(config, path, out, overwrite=bool(rewriter))


def compare_wordings(config: StudyConfig, path: Path, out: Path, *, overwrite: bool = False) -> int:
    """Run the study in both wordings, and compare them. Raises OhrError."""
    runs, troubles, failed = [], list[str](), list[str]()
    for wording in ("original", "rewritten"):
        dataset = config.dataset.model_copy(update={"rewritten": path, "wording": wording})
        asked = config.model_copy(update={"dataset": dataset})
        result = run_study(asked, out / wording, progress=Progress(), overwrite=overwrite)
        runs.append(out / wording)
        troubles += result.troubles
        failed += result.failed
    compare_runs(runs, out)
    rows = ", ".join(f"{name} {a} to {b}" for name, (a, b) in PAPER.items())
    print(f"paper, 100 questions reworded by hand, F1 in per cent: {rows}")
    return report_troubles(troubles, failed)


def _spec(text: str) -> PluginSpec:
    try:
        return PluginSpec.parse(parse_yaml(text))
    except ValueError as error:
        raise ConfigError(f"cannot read --rewriter {text!r}: it is not YAML: {error}") from error


if __name__ == "__main__":
    main()
