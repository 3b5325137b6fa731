"""DRC's ranking and answers, beside the paper's tables 2, 4, 5 and 6."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from rich.table import Table
from rich.text import Text

from experiments.papers.drc.figure import answers_figure
from experiments.papers.drc.published import drc_figures
from experiments.papers.drc.table import SHARES, DrcTables
from ohr.display.terminal import empty_table, show
from ohr.files.safe_text import plain
from ohr.ocr.noise import noise_name
from ohr.store.csv import write_csv

RANKING, ANSWERS = "ranking.csv", "answers.csv"
RECALLS = [f"recall@{share}%" for share in SHARES]
SPLITS = ("validation", "test")
EXPLANATION = (
    "recall of evidence passages among the first 1 to 20 % of a document's passages (table 4); "
    "Evidence-F1 of the passages with a classifier's probability of 0.5 or more (table 6); "
    "lost: questions whose evidence is in no passage, which count 0\n"
    "best: the best answer from any of the first K passages (figure 3; at K = 1 tables 2 and 5); "
    "chosen: the answer of the system drc, which does not see the accepted answers\n"
    "paper: McDonald et al. (2022) on QASPER; table 2 from its detector's text, table 5 from "
    "QASPER's own"
)


def print_drc(tables: DrcTables) -> None:
    """Print both tables in per cent, with the paper's figures below.

    Answers are grouped by the paper's types and all together; the files have all groups.
    """
    show(_ranking(tables.ranking))
    show(_answers(tables.answers))
    print(EXPLANATION)


def write_drc(tables: DrcTables, out: Path) -> list[Path]:
    """Write both as CSV, and the figure."""
    write_csv(out / RANKING, tables.ranking)
    write_csv(out / ANSWERS, tables.answers)
    return [out / RANKING, out / ANSWERS, *answers_figure(tables.answers, out / "figures")]


def _ranking(ranking: pd.DataFrame) -> Table:
    table = empty_table(["engine", "noise", "retriever"], [*RECALLS, "Evidence-F1", "n", "lost"])
    for row in ranking.to_dict("records"):
        counts = (f"{row['questions']:,}", f"{row['lost']:,.1f}".removesuffix(".0"))
        ours = [_percent(row[name]) for name in (*RECALLS, "evidence_f1")]
        table.add_row(*_condition(row), Text(plain(str(row["retriever"]))), *ours, *counts)
    table.add_section()
    figures = pd.concat([drc_figures("table 4"), drc_figures("table 6")])
    for method, rows in figures.groupby("method", sort=False):
        for split in SPLITS:
            values = rows[rows["split"] == split].set_index("metric")["value"]
            texts = [f"{values[n]:.2f}" if n in values else "-" for n in (*RECALLS, "evidence_f1")]
            table.add_row("paper", split, str(method), *texts, style="dim")
    return table


def _answers(answers: pd.DataFrame) -> Table:
    paper = pd.concat([drc_figures("table 2"), drc_figures("table 5")])
    known_groups = set(answers["group"])
    groups = [group for group in dict.fromkeys(paper["group"]) if group in known_groups]
    table = empty_table(
        ["engine", "noise", "retriever", "reader"],
        ["K", *(f"{group}: best" for group in groups), "all: chosen", "n"],
    )
    key = ["engine", "perturbation", "level", "intensity", "retriever", "reader", "k"]
    for _, rows in answers.groupby(key, sort=False):
        first = rows.to_dict("records")[0]
        best = rows.set_index("group")["best"]
        overall = rows[rows["group"] == "all"].iloc[0]
        table.add_row(
            *_condition(first),
            *(Text(plain(str(first[name]))) for name in ("retriever", "reader")),
            str(first["k"]),
            *(_percent(best.get(group)) for group in groups),
            _percent(overall["chosen"]),
            f"{overall['n']:,}",
        )
    table.add_section()
    for (source, method), rows in paper.groupby(["table", "method"], sort=False):
        for split in SPLITS:
            values = rows[rows["split"] == split].set_index("group")["value"]
            texts = [f"{values[group]:.2f}" for group in groups]
            where = (f"paper, {source}", split, str(method), "", "1")
            table.add_row(*where, *texts, "", "", style="dim")
    return table


def _condition(row: Mapping[Hashable, Any]) -> tuple[Text, str]:
    noise = noise_name(row["perturbation"], row["level"], row["intensity"])
    return Text(plain(str(row["engine"]))), noise


def _percent(value: float | None) -> str:
    return "-" if value is None or pd.isna(value) else f"{100 * value:.2f}"
