"""Whether OCR and answer are right, question by question, after the paper's figure 5.

``python -m experiments.error_analysis RUN [RUN ...] --out DIR`` reads finished runs. OCR is right
where the evidence's word LCS with its page is above .95 (``r_noise`` counts the others). The
paper does not say when it takes an answer to be right; here its F1 must reach ``--right``, .5
unless told otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer

from experiments.comparing import run_names
from experiments.failing import CommandLine, with_errors
from experiments.labels import interval_units, mathless
from experiments.notes import note_lines, run_notes
from experiments.runs import (
    KNOWLEDGE_BASE,
    UNIT_COLUMNS,
    Run,
    clusters_of,
    group_rows,
    knowledge_base_name,
    measured,
    read_run,
)
from experiments.style import COLOURS, figure, save, wrapped
from experiments.table_files import TextTable, write_table
from experiments.tables import show, terminal_table
from ohr.errors import OhrError
from ohr.metrics.scores import R_NOISE_THRESHOLD
from ohr.statistics import mean_interval

CASES = {
    "ocr_right_answer_right": ("OCR right, answer right", COLOURS[2], ""),
    "ocr_wrong_answer_right": ("OCR wrong, answer right", COLOURS[4], "///"),
    "ocr_right_answer_wrong": ("OCR right, answer wrong", COLOURS[5], "..."),
    "ocr_wrong_answer_wrong": ("OCR wrong, answer wrong", COLOURS[1], "xxx"),
}
"""Each case with its name, colour and hatch."""
STAGES = ("overall", "generation")
RIGHT = 0.5
"""F1 from which an answer is right."""
SETTING = ("chunker", "retriever", "reader", "top_k", "protocol", "seed")

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


def case_shares(run: Run, right: float, stage: str) -> pd.DataFrame:
    """A row a knowledge base, retriever, reader and group: the share of each case, intervals.

    ``right_despite_ocr`` is the share of right answers among the questions that OCR got wrong.
    Raises OhrError if the run lacks the stage ``ocr`` or the answers.
    """
    evidence = measured(run.drawn, "ocr", "evidence_lcs")
    answers = measured(run.drawn, stage, "f1")
    if evidence.empty or answers.empty:
        missing = "ocr" if evidence.empty else stage
        raise OhrError(f"{run.path} did not measure the stage {missing}: run it with that stage")
    keys = [*KNOWLEDGE_BASE, *UNIT_COLUMNS, "draw"]
    both = answers.merge(evidence[[*keys, "value"]], on=keys, suffixes=("", "_ocr"))
    both["top_k"] = both["top_k"].astype("string").fillna("")
    both["ocr"] = np.where(both["value_ocr"] > R_NOISE_THRESHOLD, "ocr_right", "ocr_wrong")
    # An F1 is a ratio of small integers: the last digit must not decide.
    both["answer"] = np.where(both["value"] >= right - 1e-9, "answer_right", "answer_wrong")
    both["case"] = both["ocr"] + "_" + both["answer"]
    found = []
    for values, condition in both.groupby([*KNOWLEDGE_BASE, *SETTING], sort=False):
        key = dict(zip([*KNOWLEDGE_BASE, *SETTING], values, strict=True))
        found += [key | row for row in _shares(condition)]
    return pd.DataFrame(found)


def distinct(shares: Sequence[pd.DataFrame], names: Sequence[str]) -> pd.DataFrame:
    """The shares of all questions in runs of these names, with a ``name`` and a ``setting``.

    What is the same in several runs, as the clean ground truth, comes once.
    """
    found = pd.concat([one.assign(run=name) for one, name in zip(shares, names, strict=True)])
    found = found[found["group"] == "all"]
    found = found.drop_duplicates([*KNOWLEDGE_BASE, *SETTING, "n", *CASES])
    found = found.assign(
        name=[knowledge_base_name(row) for _, row in found.iterrows()],
        setting=_settings(found),
    )
    twice = found.duplicated(["name", "setting"], keep=False)
    return found.assign(name=found["name"].mask(twice, found["name"] + " (" + found["run"] + ")"))


def _shares(condition: pd.DataFrame) -> Iterator[dict[str, Any]]:
    for group, questions in group_rows(condition):
        clusters = clusters_of(questions)
        row: dict[str, Any] = {"group": group, "n": questions["qid"].nunique()}
        for case in CASES:
            member = (questions["case"] == case).to_numpy(dtype=float)
            interval = mean_interval(member, clusters, bounded=True)
            row[case] = member.mean()
            row[f"{case}_ci_low"], row[f"{case}_ci_high"] = interval.low, interval.high
        misread = row["ocr_wrong_answer_right"] + row["ocr_wrong_answer_wrong"]
        row["right_despite_ocr"] = row["ocr_wrong_answer_right"] / misread if misread else np.nan
        row["ci_unit"] = clusters.unit
        yield row


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


def _settings(shares: pd.DataFrame) -> list[str]:
    """Retriever and reader of each row, and whatever else is not the same in all."""
    parts = ["retriever", "reader"]
    parts += [name for name in SETTING if name not in parts and shares[name].nunique() > 1]
    named = {"top_k": "top {}", "seed": "seed {}"}
    return [
        ", ".join(named.get(name, "{}").format(row[name]) for name in parts if row[name] != "")
        for _, row in shares.iterrows()
    ]


def case_bars(shares: pd.DataFrame, caption: str, folder: Path) -> list[Path]:
    """A panel a setting; a stacked bar a knowledge base, of the four cases."""
    settings, names = list(dict.fromkeys(shares["setting"])), list(dict.fromkeys(shares["name"]))
    with figure(2.6 + 3.4 * len(settings), 1.3 + 0.42 * len(names)) as made:
        axes = made.subplots(1, len(settings), squeeze=False, sharey=True, sharex=True)[0]
        for ax, setting in zip(axes, settings, strict=True):
            mine = shares[shares["setting"] == setting].set_index("name")
            left = np.zeros(len(names))
            for case, (label, colour, hatch) in CASES.items():
                widths = mine[case].reindex(names).fillna(0).to_numpy()
                ax.barh(
                    range(len(names)),
                    widths,
                    left=left,
                    color=colour,
                    hatch=hatch,
                    edgecolor="white",
                    linewidth=0,
                    label=label,
                )
                for place, (start, width) in enumerate(zip(left, widths, strict=True)):
                    if width >= 0.06:
                        ax.text(
                            start + width / 2,
                            place,
                            f"{100 * width:.0f}",
                            ha="center",
                            va="center",
                            fontsize=7,
                            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
                        )
                left += widths
            ax.set_title(mathless(setting))
            ax.set_xlabel("share of questions")
            ax.set_xlim(0, 1)
            ax.grid(axis="y", visible=False)
        axes[0].set_yticks(range(len(names)), [mathless(name) for name in names])
        axes[0].invert_yaxis()
        made.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
        least, most = (int(n) for n in (shares["n"].min(), shares["n"].max()))
        n = str(most) if least == most else f"{least} to {most}"
        made.suptitle(
            wrapped(f"n = {n} questions; {caption[0].lower()}{caption[1:]}", made.get_figwidth()),
            fontsize=8,
            color="#444444",
        )
        return save(made, folder, "error_analysis", pdf=True)


if __name__ == "__main__":
    main()
