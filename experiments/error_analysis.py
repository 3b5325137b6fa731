"""Whether OCR and answer are right, question by question, after the paper's figure 5.

``python -m experiments.error_analysis RUN [RUN ...] --out DIR`` reads finished runs. OCR is right
where the evidence's word LCS with its page is above .95 (``r_noise`` counts the others). The
paper does not say when it takes an answer to be right; here its F1 must reach ``--right``, .5
unless told otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from experiments._command import CommandLine, with_errors
from experiments.analysis.cases import (
    CASES,
    RIGHT,
    STAGES,
    case_shares,
    distinct,
)
from experiments.analysis.comparison import run_names
from experiments.analysis.labels import interval_units
from experiments.analysis.notes import note_lines, run_notes
from experiments.figures.cases import case_bars
from experiments.reports.files import TextTable, write_table
from experiments.reports.terminal import show, terminal_table
from ohr.errors import OhrError
from ohr.metrics.scores import R_NOISE_THRESHOLD
from ohr.study.results import (
    read_run,
)

main = CommandLine()


@main.command(help="Count questions by whether OCR and answer are right (figure 5).")
def command(
    runs: Annotated[list[Path], typer.Argument(help="Folders of finished runs.")],
    out: Annotated[Path, typer.Option(help="Folder for the tables and the figure.")],
    right: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="F1 from which an answer is right.")
    ] = RIGHT,
    stage: Annotated[
        str, typer.Option(help="overall (retrieved chunks) or generation (gold pages).")
    ] = STAGES[0],
    debug: Annotated[bool, typer.Option("--debug")] = False,
) -> None:
    """Analyse."""
    with_errors(lambda: analyse_errors(runs, out, right, stage), debug)


def analyse_errors(
    paths: Sequence[Path], out: Path, right: float = RIGHT, stage: str = STAGES[0]
) -> int:
    """Print and write the shares of finished runs. Raises OhrError."""
    if stage not in STAGES:
        raise OhrError(f"unknown --stage {stage!r}; known: {', '.join(STAGES)}")
    runs = [read_run(path) for path in paths]
    shares = [case_shares(run, right, stage) for run in runs]
    caption = (
        f"Share of questions; OCR right: LCS of evidence and page above {R_NOISE_THRESHOLD:g}; "
        f"answer right: F1 of at least {right:g}; {stage} stage"
    )
    names = run_names(runs)
    everyone = distinct(shares, names)
    caption = "; ".join([caption, *note_lines(everyone["reader"], run_notes(runs))])
    units = interval_units(everyone["ci_unit"])
    show(terminal_table(_text_table(everyone, caption, intervals=False)))
    print(caption)
    over = f"; 95 % intervals for further {units}" if units else ""
    table = _text_table(everyone, caption + over, intervals=True)
    found = [one.assign(run=name) for one, name in zip(shares, names, strict=True)]
    written = write_table(out, "error_analysis", pd.concat(found, ignore_index=True), table)
    written += case_bars(everyone, caption, out)
    for path in written:
        print(f"written: {path}")
    return 0


def _text_table(shares: pd.DataFrame, caption: str, *, intervals: bool) -> TextTable:
    header = ["knowledge base", "setting", "n", *(name for name, _, _ in CASES.values())]
    rows = []
    for _, row in shares.iterrows():
        rows.append(
            [
                row["name"],
                row["setting"],
                str(row["n"]),
                *(_share(row, case, intervals) for case in CASES),
                "-"
                if pd.isna(row["right_despite_ocr"])
                else f"{100 * row['right_despite_ocr']:.1f} %",
            ]
        )
    return TextTable([*header, "right where OCR is wrong"], rows, caption, left=2)


def _share(row: pd.Series, case: str, intervals: bool) -> str:
    low, high = row[f"{case}_ci_low"], row[f"{case}_ci_high"]
    shown = intervals and not pd.isna(low)
    return f"{100 * row[case]:.1f} %" + (f" [{100 * low:.1f}, {100 * high:.1f}]" if shown else "")


if __name__ == "__main__":
    main()
