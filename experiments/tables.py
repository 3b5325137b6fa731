"""Terminal tables of a study's cells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from rich.console import Console
from rich.table import Table
from rich.text import Text

from experiments.figures import cells_of, first_setting
from experiments.labels import STAGE_METRICS, group_label, plain
from experiments.table_files import TextTable

_NOISE_METRICS = (("ocr", "r_noise", "r_noise"), ("ocr", "edit_distance", "edit dist."))
_NOTED = {
    "contexts_cut": "contexts cut at max_context_tokens",
    "answers_cut": "answers cut",
    "unmetered": "answers whose tokens the server did not report",
}
TABLE_GROUPS = ("all", "source:", "domain:")
_GUESS = ("generation", "f1_no_context", "no context")
"""The reader's F1 with nothing to read stands beside its F1 with the gold pages."""


def number(value: float) -> str:
    """Three decimals, or a dash for what is not there."""
    return "-" if pd.isna(value) else f"{value:.3f}"


def p_value(p: float) -> str:
    """Three decimals; ``<.001`` below, and a dash where there was no test."""
    return "-" if pd.isna(p) else "<.001" if p < 0.001 else f"{p:.3f}"


def _columns(cells: pd.DataFrame) -> list[tuple[str, str, str]]:
    retrieval, generation, overall = STAGE_METRICS
    wanted = (*_NOISE_METRICS, retrieval, generation, _GUESS, overall)
    return [column for column in wanted if len(cells_of(cells, column[0], column[1], "all"))]


def noise_table(cells: pd.DataFrame) -> Table:
    """A row a knowledge base: level, measured noise, and quality at each stage."""
    columns = _columns(cells)
    table = Table(header_style="bold", box=None, pad_edge=False)
    for name in ("engine", "noise", "level"):
        table.add_column(name)
    for _, _, title in columns:
        table.add_column(title, justify="right")
    keys = ["engine", "perturbation", "level", "intensity"]
    for _, key in cells[keys].drop_duplicates().iterrows():
        mine = cells[(cells[keys] == key).all(axis=1)]
        clean = key["perturbation"] == "none"
        level = "clean" if clean else (key["level"] or f"{key['intensity']:g}")
        table.add_row(
            Text(plain(str(key["engine"]))),
            "" if clean else str(key["perturbation"]),
            level,
            *(_mean(mine, stage, metric, "all") for stage, metric, _ in columns),
        )
    return table


def benchmark_table(cells: pd.DataFrame) -> Table:
    """A row an engine and evidence source, after the paper's table 2."""
    columns = _columns(cells)
    table = Table(header_style="bold", box=None, pad_edge=False)
    for name in ("engine", "questions on"):
        table.add_column(name)
    table.add_column("n", justify="right")
    for _, _, title in columns:
        table.add_column(title, justify="right")
    clean = cells[cells["noise"] == "none"]
    groups = [g for g in clean["group"].drop_duplicates() if g.startswith(TABLE_GROUPS)]
    for engine in clean["engine"].drop_duplicates():
        mine = clean[clean["engine"] == engine]
        for group in groups:
            counted = mine[(mine["group"] == group) & (mine["metric"] == "r_noise")]
            counted = counted if len(counted) else mine[mine["group"] == group]
            table.add_row(
                Text(plain(str(engine)) if group == "all" else ""),
                Text(plain(group_label(group))),
                str(counted["n"].max()),
                *(_mean(mine, stage, metric, group) for stage, metric, _ in columns),
            )
        table.add_section()
    return table


def _mean(cells: pd.DataFrame, stage: str, metric: str, group: str) -> str:
    chosen = first_setting(cells_of(cells, stage, metric, group))
    return number(chosen["mean"].iloc[0]) if len(chosen) else "-"


def terminal_table(table: TextTable) -> Table:
    """A printed table for the terminal."""
    made = Table(header_style="bold", box=None, pad_edge=False)
    for place, name in enumerate(table.header):
        made.add_column(Text(plain(name)), justify="left" if place < table.left else "right")
    for row in table.rows:
        made.add_row(*(Text(plain(cell)) for cell in row))
    return made


def reader_lines(readers: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """A line for each reader that counts tokens: what its answers took, now and before."""
    lines = []
    for label, told in readers.items():
        usage: Mapping[str, float] = told["usage"]
        if not usage:
            continue
        parts = [
            f"{told['answers']} answers, {told['asked_in_this_run']} of them asked for now",
            f"{usage.get('prompt_tokens', 0):,.0f} tokens read",
            f"{usage.get('completion_tokens', 0):,.0f} written",
        ]
        if "cost" in usage:
            now = told["usage_of_this_run"].get("cost", 0.0)
            parts.append(f"cost {usage['cost']:.4f}, {now:.4f} of it now")
        for name, what in _NOTED.items():
            if name in usage:
                parts.append(f"{usage[name]:.0f} {what}")
        lines.append(f"{plain(label)}: {'; '.join(parts)}")
    return lines


def show(table: Table) -> None:
    """Print a table on standard output, as wide as it needs to be when there is no terminal."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=140)
    console.print(table)
