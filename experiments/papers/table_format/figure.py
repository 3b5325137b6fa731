"""The paper's figure 4: quality by the format of the tables."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from experiments.papers.table_format.table import GENERATION, OVERALL, RETRIEVAL
from ohr.display.labels import interval_units, mathless
from ohr.display.notes import Notes, answerers, note_lines
from ohr.display.settings import blocks_of
from ohr.display.wording import ALPHA, family, is_shown
from ohr.figures.dots import draw_dots, height_of_rows, name_rows
from ohr.figures.marks import HOLLOW
from ohr.figures.style import describe, figure, save

LETTERS = 24
"""Characters of a line of a row's name."""


def format_figure(
    cells: pd.DataFrame, differences: pd.DataFrame, folder: Path, notes: Notes | None = None
) -> list[Path]:
    """Draw the paired changes from the first format: of retrieval, and of answers.

    ``differences`` are those of :func:`paired_differences`; without any nothing is drawn. Answers
    are those of the whole system, or those with the right pages given if it was not measured.
    """
    stages = set(differences["stage"])
    answers = OVERALL if OVERALL[0] in stages else GENERATION
    metrics = [metric for metric in (RETRIEVAL, answers) if metric[0] in stages]
    if not metrics:
        return []
    blocks = [block for block in blocks_of(cells) if not block.is_mean]
    rows = {
        (name, block.settings[0]): ", ".join(mathless(part) for part in (name, block.label) if part)
        for name in dict.fromkeys(differences["format"])
        for block in blocks
    }
    baseline = mathless(str(differences["less"].iloc[0]))
    height = height_of_rows(list(rows.values()), LETTERS) + 1.0
    with figure(1.8 + 2.4 * len(metrics), height) as fig:
        axes = fig.subplots(1, len(metrics), squeeze=False, sharex=True, sharey=True)[0]
        for ax, (stage, metric, title) in zip(axes, metrics, strict=True):
            chosen = (differences["stage"] == stage) & (differences["metric"] == metric)
            for name, setting in rows:
                chosen_rows = setting.select(differences[chosen & (differences["format"] == name)])
                changes = chosen_rows.assign(hollow=~chosen_rows["p_adjusted"].map(is_shown))
                changes["row"] = pd.Series([(name, setting)] * len(changes), changes.index)
                draw_dots(ax, list(rows), changes, "mean")
            ax.axvline(0, color="#777777", linewidth=1)
            ax.set_title(mathless(title))
            ax.locator_params(axis="x", nbins=5)
            ax.set_xlabel(f"change from {baseline} (better →)")
        name_rows(list(axes), list(rows.values()), LETTERS)
        description = describe(fig, [*_caption(differences), *note_lines(answerers(cells), notes)])
        return save(fig, folder, "table_format", notes=description)


def _caption(differences: pd.DataFrame) -> list[str]:
    """What is drawn."""
    units = interval_units(differences["ci_unit"])
    tests = int(differences["family_size"].max())
    return [
        f"n = {_range(differences['n'])} questions about tables",
        f"95 % intervals for further {units}" if units else "no intervals: too few documents",
        HOLLOW,
        f"paired changes from {differences['less'].iloc[0]}",
        f"significant: adjusted p is at most {ALPHA}; {family(tests, 'of each metric')}",
    ]


def _range(numbers: pd.Series) -> str:
    least, most = int(numbers.min()), int(numbers.max())
    return str(most) if least == most else f"{least} to {most}"
