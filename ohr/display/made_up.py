"""The table of what engines make up: of 1,000 numbers and 1,000 words, by noise level."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohr.display.text_tables import TextTable
from ohr.ocr.noise import noise_name
from ohr.statistics.numbers import number, percent
from ohr.study.output.select import cells_of

if TYPE_CHECKING:
    import pandas as pd

_NUMBERS = ("silent_numbers", "dropped_numbers", "added_numbers")
_WORDS = ("invented_words", "repeated_words")
_PASSAGE = "invented_passage"
_KEYS = ["engine", "noise", "perturbation", "level", "intensity"]
HEADER = (
    *("engine", "noise", "right", "changed", "dropped", "added"),
    *("invented", "repeated", "passages"),
)
TITLE = "Made up: of 1,000 numbers and of 1,000 words of a page"
MEANING = (
    "numbers: changed = another number in its place, dropped = none, added = nowhere on the page",
    "words: invented = no part of the page supports them; passages: pages with 8 of them in a row",
    "means over pages; in brackets 95 % intervals",
)


def made_up_table(cells: pd.DataFrame) -> TextTable | None:
    """One row per knowledge base; None if nothing is made up in any, or it was not measured.

    The clean ground truth has no row. Shares are means over pages, as in the cells.
    """
    page_cells = cells[(cells["stage"] == "ocr") & (cells["group"] == "all")]
    rows = []
    is_made_up = False
    for _, key in page_cells[_KEYS].drop_duplicates().iterrows():
        if key["engine"] == "gt" and key["noise"] == "none":
            continue
        own = page_cells[(page_cells[_KEYS] == key).all(axis=1)]
        by_name = {
            name: cells_of(own, "ocr", name, "all") for name in (*_NUMBERS, *_WORDS, _PASSAGE)
        }
        if any(each.empty for each in by_name.values()):
            continue
        means = {name: float(each["mean"].iloc[0]) for name, each in by_name.items()}
        is_made_up = is_made_up or any(value > 0 for value in means.values())
        right = 1 - means["silent_numbers"] - means["dropped_numbers"]
        rows.append(
            (
                str(key["engine"]),
                noise_name(key["perturbation"], key["level"], key["intensity"]),
                _thousandths(right),
                _interval_text(by_name["silent_numbers"]),
                *(_thousandths(means[name]) for name in _NUMBERS[1:]),
                _interval_text(by_name["invented_words"]),
                _thousandths(means["repeated_words"]),
                percent(means[_PASSAGE]),
            )
        )
    if not rows or not is_made_up:
        return None
    return TextTable(HEADER, rows, TITLE, left=2)


def _thousandths(share: float) -> str:
    return number(1000 * share, 1)


def _interval_text(cell: pd.DataFrame) -> str:
    row = cell.iloc[0]
    text = _thousandths(row["mean"])
    if row["ci_low"] != row["ci_low"]:
        return text
    return f"{text} [{_thousandths(row['ci_low'])}, {_thousandths(row['ci_high'])}]"
