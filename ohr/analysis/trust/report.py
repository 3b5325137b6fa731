"""Prints which answers can be trusted, and writes the tables, the details and the figure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from ohr.analysis.trust.details import (
    Row,
    broken_cell,
    details,
    kept_word,
    name_conditions,
    share_cell,
    size_of,
)
from ohr.analysis.trust.figure import draw_trust
from ohr.analysis.trust.table import CHECKED, COMBINED, FEWEST, RISKS, trust
from ohr.display.notes import note_lines, run_notes
from ohr.display.terminal import print_caption, say, say_files, show, terminal_table
from ohr.display.text_tables import TextTable
from ohr.statistics.numbers import NOTHING, percent
from ohr.store.atomic import write_text
from ohr.store.csv import write_csv
from ohr.study.opening import open_runs

SIGNALS_FILE, PROMISES_FILE, DETAILS_FILE = "trust.csv", "promises.csv", "trust.md"


def report_trust(path: Path, metric: str, right: float, risks: Sequence[float], out: Path) -> int:
    """Print and write the trust of a finished run. Raises OhrError."""
    [run] = open_runs([path])
    chosen = tuple(risks) or RISKS
    result = trust(run, metric, right, chosen)
    signals, promises = result.signals, result.promises
    verdict, table = verdict_of(signals), conditions_table(signals, promises)
    readers = signals["reader"].unique().tolist()
    notes = note_lines(readers, run_notes([run]))
    write_csv(out / SIGNALS_FILE, signals)
    write_csv(out / PROMISES_FILE, promises)
    text = details(verdict, table, signals, promises, chosen, notes)
    write_text(out / DETAILS_FILE, text)
    figures = draw_trust(result.answers, signals, out)
    say(verdict)
    print()
    show(terminal_table(table))
    for line in (table.caption, *notes):
        print_caption(line)
    say_files([*(out / n for n in (DETAILS_FILE, SIGNALS_FILE, PROMISES_FILE)), *figures])
    return 0


def verdict_of(signals: pd.DataFrame) -> str:
    """One sentence: how many answers, where OCR breaks most, and what checking by hand finds."""
    rows = _best_rows(signals)
    tenth = percent(CHECKED)
    compared = [row for row in rows if row["baseline"] and row["n_broken"]]
    if compared:
        worst = max(compared, key=lambda row: int(row["n_broken"]))
        most = " the most," if len(compared) > 1 else ""
        head = (
            f"{size_of(worst)}: {worst['name']} breaks{most} {worst['n_broken']:,} that are right "
            f"with {worst['baseline']}"
        )
        if math.isnan(worst["found_broken"]):
            return f"{head}, too few to say which ones look broken."
        return (
            f"{head}; among the {tenth} that look most like broken ones are "
            f"{percent(worst['found_broken'])} of them ({_ends(worst, 'found_broken')})."
        )
    row = max(rows, key=lambda row: float(row["wrong"]))
    head = f"{size_of(row)}: {percent(row['wrong'])} are wrong with {row['name']}"
    if math.isnan(row["found"]):
        return f"{head}; to say which takes {FEWEST} documents, and wrong answers."
    most = percent(min(1.0, CHECKED / row["wrong"]))
    return (
        f"{head}; among the {tenth} least sure are {percent(row['found'])} of them "
        f"({_ends(row, 'found')}; at most {most} are possible)."
    )


def conditions_table(signals: pd.DataFrame, promises: pd.DataFrame) -> TextTable:
    """One row per condition, by all signals together: broken answers, or wrong ones if no
    condition has a baseline.
    """
    rows = _best_rows(signals)
    tenth = percent(CHECKED)
    if any(row["baseline"] for row in rows):
        header = ["knowledge base", "wrong", "broken", "found", "AUROC"]
        cells = [[row["name"], percent(row["wrong"]), *_broken_cells(row)] for row in rows]
        caption = (
            "broken: right with the ground truth (under noise: with the engine's clean pages), "
            f"wrong now; found: of them in the {tenth} of the answers that look most like them; "
            "AUROC: do they look less sure than those still right (0.5 is chance)"
        )
    else:
        header = ["knowledge base", "wrong", "found"]
        cells = [[row["name"], percent(row["wrong"]), share_cell(row, "found")] for row in rows]
        caption = f"found: of the wrong answers in the {tenth} that look least sure"
    caption += "; by all signals together; in brackets: 95 % intervals"
    if outcomes := _promises(promises):
        header.append("promise")
        for line in cells:
            line.append(outcomes.get(line[0], NOTHING))
        caption += "; promise: the smallest share of wrong answers that could be promised"
    return TextTable(header, cells, caption)


def _broken_cells(row: Row) -> list[str]:
    if not row["baseline"]:
        return [NOTHING] * 3
    return [f"{row['n_broken']:,}", share_cell(row, "found_broken"), broken_cell(row)]


def _promises(promises: pd.DataFrame) -> dict[str, str]:
    """Condition -> its smallest promise with a threshold, and whether it is kept under noise."""
    if promises.empty:
        return {}
    chosen: dict[str, Row] = {}
    for row in _best_rows(promises[promises["has_threshold"]], "risk"):
        if row["name"] not in chosen or row["risk"] < chosen[row["name"]]["risk"]:
            chosen[row["name"]] = row
    return {name: f"{percent(row['risk'])} {kept_word(row)}" for name, row in chosen.items()}


def _best_rows(frame: pd.DataFrame, *keys: str) -> list[Row]:
    """Of each condition the row of all signals together, or its first if there is none."""
    rows: dict[tuple[object, ...], Row] = {}
    for row in name_conditions(frame).to_dict("records"):
        key = (row["name"], *(row[name] for name in keys))
        if key not in rows or row["signal"] == COMBINED:
            rows[key] = row
    return list(rows.values())


def _ends(row: Row, name: str) -> str:
    return f"95 % CI {percent(row[f'{name}_ci_low'])} to {percent(row[f'{name}_ci_high'])}"
