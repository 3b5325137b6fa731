"""The paper's table S5: readers beside each other on every knowledge base."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from experiments.labels import STAGE_METRICS
from experiments.notes import Notes, note_lines
from experiments.paper_tables import (
    SOURCE_COLUMNS,
    TRUTH,
    averages,
    caption,
    distance,
    percent,
)
from experiments.runs import KNOWLEDGE_BASE, knowledge_base_name
from experiments.table_files import TextTable, write_table

_TRUTH = ("none", "none", "", 0.0, TRUTH)
"""The clean ground truth, by the columns of a knowledge base."""


def reader_values(cells: pd.DataFrame) -> pd.DataFrame:
    """Table S5: a row a reader and knowledge base, overall F1 by evidence source in [0, 1].

    ``delta`` is ALL less the ground truth's under the same reader.
    """
    stage, metric, _ = STAGE_METRICS[2]
    found = []
    for reader in [name for name in dict.fromkeys(cells["reader"]) if name]:
        mine = cells[cells["reader"].isin([reader, ""])]
        truth = averages(_of(mine, _TRUTH), stage, metric, "all")
        bases = mine[list(KNOWLEDGE_BASE)].drop_duplicates()
        for base in bases.itertuples(index=False, name=None):
            here = _of(mine, base)
            means = {
                short: next(iter(averages(here, stage, metric, group).values()), float("nan"))
                for group, short in SOURCE_COLUMNS.items()
            }
            if pd.isna(means["ALL"]):
                continue
            distance = averages(here, "ocr", "edit_distance", "all").values()
            row = {"reader": reader, "knowledge_base": _base_name(base)}
            row |= {"edit_distance": next(iter(distance), float("nan"))} | means
            found.append(row | {"delta": means["ALL"] - next(iter(truth.values()), float("nan"))})
    made = pd.DataFrame(found)
    return made.dropna(axis="columns", how="all")


def _of(cells: pd.DataFrame, base: tuple[object, ...]) -> pd.DataFrame:
    chosen = cells
    for name, value in zip(KNOWLEDGE_BASE, base, strict=True):
        chosen = chosen[chosen[name] == value]
    return chosen


def _base_name(base: tuple[object, ...]) -> str:
    return knowledge_base_name(pd.Series(dict(zip(KNOWLEDGE_BASE, base, strict=True))))


def write_reader_table(cells: pd.DataFrame, folder: Path, notes: Notes | None = None) -> list[Path]:
    """Write table S5 of the cells of a run."""
    values = reader_values(cells)
    titles = {"edit_distance": "E.D.", "delta": "Δ(ALL)", "knowledge_base": "knowledge base"}
    names = list(values.columns)
    rows = [
        [
            row["reader"],
            row["knowledge_base"],
            *(
                distance(row[name])
                if name == "edit_distance"
                else f"{100 * row[name]:+.1f}"
                if name == "delta"
                else percent(row[name])
                for name in names[2:]
            ),
        ]
        for row in values.to_dict("records")
    ]
    measured = caption(cells.assign(reader=""))  # each row is one reader's
    parts = [f"Readers by knowledge base, {STAGE_METRICS[2][2]}", measured]
    title = "; ".join(parts + note_lines(cells["reader"], notes))
    table = TextTable([titles.get(name, name) for name in names], rows, title, left=2)
    return write_table(folder, "table_s5", values, table)
