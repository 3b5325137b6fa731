"""Prints and draws the causes of the F1 loss."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
from rich.table import Table
from rich.text import Text

from ohr.analysis.attribution.figure import (
    _cause_rows,
    is_shown,
    waterfalls,
)
from ohr.analysis.attribution.loss_shares import HOW_SHARES_ADD
from ohr.analysis.attribution.table import (
    PARTS,
    ROWS,
    SETTING,
    count_documents,
    left_out_line,
    make_losses,
)
from ohr.analysis.systems.report import report_parts
from ohr.display.labels import group_label
from ohr.display.notes import answerers, note_lines, reader_notes
from ohr.display.terminal import empty_table, print_caption, say, say_files, show
from ohr.display.verdicts import MOST_NAMED, estimate_text, size_text
from ohr.display.wording import counted
from ohr.files.safe_text import plain
from ohr.metrics.labels import stage_label
from ohr.ocr.noise import noise_name
from ohr.ocr.progress import Progress
from ohr.statistics.numbers import NOTHING, ends, number, percent, prose
from ohr.store.csv import write_csv
from ohr.study.results import StudyRun


def report(run: StudyRun) -> None:
    """Attribute the losses of the built-in system to causes, and those of others to their parts."""
    files = _report_built_in(run) if run.plan.has_built_in else []
    if run.plan.systems:
        files += report_parts(run)
    say_files(files)


def _report_built_in(run: StudyRun) -> list[Path]:
    """Print the causes' shares, write the table, draw the waterfalls; returns the paths."""
    losses = make_losses(run.plan, Progress())
    notes = reader_notes(run.readers)
    write_csv(run.path / "attribution.csv", losses)
    for line in verdict_lines(losses, count_documents(run.plan)):
        say(line)
    print()
    show(loss_table(losses))
    print("F1 that each cause costs per question; ±: half the range over the orders of replacement")
    print_caption(f"in brackets: {HOW_SHARES_ADD}; {NOTHING}: the whole loss may be 0")
    for line in ocr_lines(losses):
        print_caption(line)
    if line := left_out_line(run.plan):
        print_caption(line)
    for line in note_lines(answerers(losses), notes):
        print_caption(line)
    figures = waterfalls(losses, run.cells, run.path / "figures", notes)
    return [run.path / "attribution.csv", *figures]


_CAUSE_TITLES = {name: name for name in ROWS} | {"ocr": "OCR"}


def verdict_lines(losses: pd.DataFrame, documents: int) -> Iterator[str]:
    """What each cause costs, the setting that loses most to OCR first; and the sizes."""
    whole = losses[losses["group"] == "all"]
    settings = dict(list(whole.groupby(SETTING, sort=False)))
    ranked = sorted(settings, key=lambda name: -_lost_to_ocr(settings[name]))
    names = _setting_names(whole)
    for name in ranked[:MOST_NAMED]:
        rows = settings[name].sort_values("f1_lost", ascending=False).to_dict("records")
        costs = "; ".join(f"{_CAUSE_TITLES[row['cause']]} {_cost(row)}" for row in rows)
        yield (
            f"{names[name]}: {stage_label('overall', 'F1')}: {prose(rows[0]['overall_f1'])}. "
            f"Lost, by cause: {costs}."
        )
    if others := ranked[MOST_NAMED:]:
        listed_names = "; ".join(names[name] for name in others)
        yield f"Measured, less is lost to OCR in (see the table): {listed_names}."
    yield size_text(int(whole["n"].max()), documents)


def _lost_to_ocr(rows: pd.DataFrame) -> float:
    return float(rows.loc[rows["cause"] == "ocr", "f1_lost"].iloc[0])


def _cost(row: dict[Any, Any]) -> str:
    """``0.21 (95 % CI 0.07 to 0.35)``; that it may be 0 where the interval includes 0."""
    low, high = row["ci_low"], row["ci_high"]
    if low == high == 0:
        return "0.00 (no document lost or gained)"
    text = estimate_text(row["f1_lost"], low, high)
    return text.removesuffix(")") + "; it may be 0)" if low <= 0 <= high else text


def _setting_names(whole: pd.DataFrame) -> dict[Any, str]:
    """Setting -> its knowledge base, with the parts of the system of which there are several."""
    parts = [name for name in ("chunker", "retriever", "reader") if whole[name].nunique() > 1]
    names = {}
    for key in whole[SETTING].drop_duplicates().itertuples(index=False, name=None):
        row = dict(zip(SETTING, key, strict=True))
        noise = noise_name(row["perturbation"], row["level"], row["intensity"])
        names[key] = ", ".join([row["engine"], noise, *(row[name] for name in parts)])
    return names


def loss_table(losses: pd.DataFrame) -> Table:
    """One row per knowledge base, setting and group; one column per cause, with its range."""
    noisy = losses[PARTS[0]].notna().any()
    parts = [f"OCR: {part.replace('_', ' ')}" for part in PARTS] if noisy else []
    table = empty_table(
        ["engine", "noise", "chunker, retriever, reader", "questions on"],
        [name.replace("ocr", "OCR") for name in ("n", *ROWS, *parts, stage_label("overall", "F1"))],
    )
    for _, rows in losses.groupby([*SETTING, "group"], sort=False):
        row_values: dict[Any, Any] = rows.iloc[0].to_dict()
        if not is_shown(row_values["group"]):
            continue
        first = row_values["group"] == "all"
        noise = noise_name(row_values["perturbation"], row_values["level"], row_values["intensity"])
        system = ", ".join(row_values[name] for name in ("chunker", "retriever", "reader"))
        heads = (row_values["engine"], noise, system)
        table.add_row(
            *(Text(plain(str(head)) if first else "") for head in heads),
            group_label(row_values["group"]),
            str(row_values["n"]),
            *(_loss(row) for row in _cause_rows(rows)),
            *(number(rows[part].max()) for part in PARTS if noisy),
            number(row_values["overall_f1"]),
        )
    return table


def _loss(row: dict[Any, Any]) -> str:
    """The mean, half the range of the orders and, of a group, its share of the whole."""
    text, spread = number(row["f1_lost"]), (row["order_high"] - row["order_low"]) / 2
    part = "" if row["group"] == "all" else f" ({_share(row)})"
    return f"{text} ±{number(spread)}{part}"


def ocr_lines(losses: pd.DataFrame) -> Iterator[str]:
    """Sentences on the F1 that OCR costs by evidence source, per question and as a share."""
    of_ocr = losses[(losses["cause"] == "ocr") & losses["group"].str.startswith("source:")]
    for key, rows in of_ocr.groupby(SETTING, sort=False):
        if len(rows) < 2 or rows["share_ci_low"].isna().any():
            continue
        setting = dict(zip(SETTING, map(str, key), strict=True))
        noise = noise_name(setting["perturbation"], setting["level"], rows["intensity"].iloc[0])
        system = [setting[name] for name in ("chunker", "retriever", "reader")]
        where = ", ".join(part for part in (setting["engine"], noise, *system) if part)
        yield f"F1 that OCR costs ({where}): " + "; ".join(
            f"{group_label(row['group'])} {prose(row['f1_lost'])} per question, "
            f"{_share(row)} of the whole{_share_ends(row)} ({counted(row['n'], 'question')})"
            for row in rows.sort_values("f1_lost", ascending=False).to_dict("records")
        )


def _share(row: dict[Any, Any]) -> str:
    """The share of the whole loss; a dash where the whole may be 0, so that it may be anything."""
    has_share = row["share"] == 1 or math.isfinite(row["share_ci_low"])
    return percent(row["share"]) if has_share else NOTHING


def _share_ends(row: dict[Any, Any]) -> str:
    return ends(row["share_ci_low"], row["share_ci_high"], percent)
