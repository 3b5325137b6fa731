"""Draws pictures from the tables of results pages: ``python docs/make_table_pictures.py``.

Their runs take hours. The tables have as many digits as a picture shows.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path

import pandas as pd

from ohr.analysis.error_kinds.figure import draw_kinds
from ohr.analysis.error_kinds.table import NAMES
from ohr.analysis.mitigations.figure import gains_figure
from ohr.analysis.ocr_errors.figure import check_figure
from ohr.analysis.ocr_errors.table import DRAWN, LEARNED, REAL, UNIFORM
from ohr.figures.dots import draw_dots, height_of_rows, name_rows
from ohr.figures.style import (
    COLOURS,
    describe,
    figure,
    legend_below,
    only,
    save,
    series_handles,
    series_numbers,
)

DOCS = Path(__file__).resolve().parent
PICTURES = DOCS / "pictures"
_NUMBER = r"([−-]?[0-9.]+)"
_SHARE = re.compile(rf"{_NUMBER} % \({_NUMBER} to {_NUMBER}\)(\*?)")
_GAIN = re.compile(rf"{_NUMBER} \({_NUMBER} to {_NUMBER}\)(\*?)")
STAGES = {
    "text recall, gain": ("ocr", "text_recall", "text recall"),
    "retrieval LCS, gain": ("retrieval", "lcs", "retrieval LCS"),
    "answer F1, whole system, gain": ("overall", "f1", "answer F1, whole system"),
}
"""Column of the table of repairs -> stage, metric and title."""
OUTCOMES = {
    "retrieval LCS": "retrieval:lcs",
    "answer F1, right pages given": "generation:f1",
    "answer F1, whole system": "overall:f1",
}
"""Column of the table of kinds of errors -> the outcome."""
LOSSES = {"loss of LCS real": REAL, "learned": LEARNED, "drawn pages": DRAWN, "uniform": UNIFORM}
"""The last columns of the table of made errors -> the kind of errors."""


def table_below(page: str, words: str) -> list[list[str]]:
    """The rows of the first table below some words of a page, with its head, without its rule."""
    text = (DOCS / page).read_text("utf-8").partition(words)[2]
    block = re.search(r"^\|.*\n(?:\|.*\n)+", text, re.MULTILINE)
    if block is None:
        raise SystemExit(f"{page}: no table below {words!r}")
    rows = [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for line in block[0].splitlines()
    ]
    return [row for row in rows if not set("".join(row)) <= set("-: ")]


def number_of(text: str) -> float:
    """A number as pages write it."""
    return float(text.replace("−", "-"))


def draw_repairs(folder: Path) -> list[Path]:
    """What each repair of the page, the text or the search wins back under ``camera``."""
    head, *rows = table_below("results/image-noise.md", "### Under `camera` 0.5")
    losses = dict(zip(head, rows[0], strict=True))
    records = []
    for row in rows[1:]:
        cells = dict(zip(head, row, strict=True))
        for column, (stage, metric, _) in STAGES.items():
            match, loss = _GAIN.match(cells[column]), _GAIN.match(losses[column])
            if match is not None and loss is not None:
                ends = {"gain_low": number_of(match[2]), "gain_high": number_of(match[3])}
                records.append(
                    {"engine": "tesseract", "noise": "camera 0.5", "retriever": ""}
                    | {"arm": cells["arm"].replace("`", ""), "stage": stage, "metric": metric}
                    | {"gain": number_of(match[1]), "loss": number_of(loss[1])}
                    | {"p_adjusted": 0.0 if match[4] else 1.0}
                    | ends
                )
    order = list(STAGES.values())
    table = pd.DataFrame(records)
    table = table.iloc[
        table["stage"].map({stage: n for n, (stage, *_) in enumerate(order)}).argsort(kind="stable")
    ]
    titles = {(stage, metric): title for stage, metric, title in order}
    return gains_figure(table, titles, list(dict.fromkeys(table["arm"])), folder)


def draw_errors(folder: Path) -> list[Path]:
    """What made errors cost at the same edit distance as the engine's own."""
    head, *rows = table_below("results/ocr-errors.md", "means over three draws of the made errors")
    columns = range(len(head) - len(LOSSES), len(head))
    table = pd.DataFrame(
        {
            "kind": LOSSES[head[column]],
            "edit_distance": number_of(row[0]),
            "lcs_loss": number_of(row[column]),
        }
        for row in rows
        for column in columns
    )
    parts = "180 pages, 180 questions; documents left out of the fit"
    return check_figure(table, folder, "ocr-errors", parts)


def draw_error_kinds(folder: Path) -> list[Path]:
    """What each kind of MinerU's errors weighs and costs."""
    head, *rows = table_below("results/error-costs.md", "## MinerU")
    kind_of = {name: kind for kind, name in NAMES.items()}
    kinds, losses = [], []
    for row in rows[:-1]:  # the last has the whole loss
        cells = dict(zip(head, row, strict=True))
        kind = kind_of[cells["kind"]]
        weight = number_of(cells["wrong characters"].removesuffix(" %")) / 100
        kinds.append({"kind": kind, "share_of_characters": weight})
        for column, outcome in OUTCOMES.items():
            match = _SHARE.match(cells[column])
            if match is None:
                raise SystemExit(f"{cells['kind']}, {column}: no share with an interval")
            share, low, high = (number_of(text) / 100 for text in match.groups()[:3])
            losses.append(
                {"group": "all", "outcome": outcome, "kind": kind, "share": share}
                | {"share_ci_low": low, "share_ci_high": high, "loss_p": 0.0 if match[4] else 1.0}
            )
    notes = ["MinerU; 339 questions of 60 documents"]
    return draw_kinds(pd.DataFrame(kinds), pd.DataFrame(losses), folder, notes)


def draw_receipts(folder: Path) -> list[Path]:
    """What each kind of Tesseract's errors on receipts weighs and costs."""
    return _lcs_alone(folder, "## Receipts", "Tesseract on receipts")


def draw_typeset(folder: Path) -> list[Path]:
    """The same on typeset pages under ``scan`` 1."""
    return _lcs_alone(folder, "| whole loss per question | | | 0.146", "Tesseract, scan 1")


def draw_systems(folder: Path) -> list[Path]:
    """What each whole system loses to formatting noise and to MinerU's text."""
    _, *rows = table_below("results/systems.md", "## What noise leaves of each system's answers")
    systems = [row[0].strip("`") for row in rows]
    columns = {"severe formatting noise": 3, "MinerU": 5}
    with figure(4.6, height_of_rows(systems, 12, len(columns)) + 1.1) as fig:
        ax = fig.subplots()
        for place, column in enumerate(columns.values()):
            cells = pd.DataFrame([_loss_of(row[column]) for row in rows]).assign(row=systems)
            draw_dots(ax, systems, cells, "loss", number=place, of=len(columns))
        ax.axvline(0, color="#777777", linewidth=0.8, linestyle="--")
        ax.set_xlabel("lost answer F1, with 95 % intervals")
        name_rows([ax], systems, 12)
        legend_below(fig, *series_handles(list(columns)), 2)
        return save(fig, folder, "systems", notes=describe(fig, ["hollow: 0 is in the interval"]))


def _loss_of(text: str) -> dict[str, float | bool]:
    """A cell of a loss with its interval, as :func:`draw_dots` takes it."""
    match = _GAIN.match(text)
    if match is None:
        raise SystemExit(f"{text}: no loss with an interval")
    loss, low, high = (number_of(number) for number in match.groups()[:3])
    return {"loss": loss, "ci_low": low, "ci_high": high, "hollow": low <= 0 <= high}


def draw_speeds(folder: Path) -> list[Path]:
    """How many pages a second engines read, with one worker and with two."""
    _, *rows = table_below("results/engines.md", "## Speed and memory")
    names = [row[0].replace("`", "") for row in rows]
    numbers = [series_numbers([name.partition(" ")[0]])[0] for name in names]
    with figure(4.6, height_of_rows(names, 22, 2) + 0.7) as fig:
        ax = fig.subplots()
        for workers in (1, 2):
            values = [number_of(row[2].split(" / ")[workers - 1]) for row in rows]
            places = [place + (workers - 1.5) * 0.34 for place in range(len(names))]
            colours = [COLOURS[number] for number in numbers]
            bars = ax.barh(places, values, height=0.32, color=colours, alpha=workers / 2)
            words = [f"{value:.2f}" for value in values]
            words[0] += f", {workers} worker" + "s" * (workers > 1)
            ax.bar_label(bars, words, padding=3, fontsize=7)
        ax.set_xlabel("pages a second")
        ax.margins(x=0.25)
        name_rows([ax], names, 22)
        return save(fig, folder, "engine_speeds")


def _lcs_alone(folder: Path, words: str, notes: str) -> list[Path]:
    """One panel, from a table's first engine: its share of the characters and of the lost LCS."""
    _, *rows = table_below("results/error-costs.md", words)
    kind_of = {name: kind for kind, name in NAMES.items()}
    kinds, losses = [], []
    for row in rows:
        if row[0] not in kind_of:
            continue
        weight = number_of(row[2].removesuffix(" %")) / 100
        kinds.append({"kind": kind_of[row[0]], "share_of_characters": weight})
        match = _SHARE.match(row[3])
        numbers = match.groups()[:3] if match else [row[3].removesuffix(" %")] * 3
        share, low, high = (number_of(text) / 100 for text in numbers)
        losses.append(
            {"group": "all", "outcome": "retrieval:lcs", "kind": kind_of[row[0]], "share": share}
            | {"share_ci_low": low, "share_ci_high": high}
            | {"loss_p": 0.0 if match and match[4] else 1.0}
        )
    return draw_kinds(pd.DataFrame(kinds), pd.DataFrame(losses), folder, [notes])


DRAWN_FROM_TABLES = {
    "mitigations": draw_repairs,
    "ocr-errors": draw_errors,
    "error_costs": draw_error_kinds,
    "error_costs_receipts": draw_receipts,
    "error_costs_typeset": draw_typeset,
    "systems": draw_systems,
    "engine_speeds": draw_speeds,
}


def main() -> None:
    """Draw them, as SVG, which follows the page's colours."""
    for name, draw in DRAWN_FROM_TABLES.items():
        with tempfile.TemporaryDirectory() as folder, only("svg"):
            [drawn] = [path for path in draw(Path(folder)) if path.suffix == ".svg"]
            print(shutil.copy(drawn, PICTURES / f"{name}.svg"))


if __name__ == "__main__":
    main()
