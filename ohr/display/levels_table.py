"""The smallest table of a study of noise: a row for each engine, a column for each level."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from ohr.display.labels import shown_measures
from ohr.display.settings import settings_of
from ohr.display.terminal import empty_table
from ohr.files.safe_text import plain
from ohr.ocr.noise import noise_name, strength
from ohr.statistics.numbers import number

if TYPE_CHECKING:
    import pandas as pd

_SHORT = {("retrieval", "lcs"): "LCS", ("overall", "f1"): "F1"}


def levels_table(cells: pd.DataFrame) -> Table:
    """Means of retrieval and of the whole system, on clean pages and at each level of noise.

    They are those of the first setting; a dash: not measured, as noise of images on the true text.
    """
    of_all = settings_of(cells)[0].select(cells[cells["group"] == "all"])
    points = [
        (noise_name(*row), strength(*row[1:]) if row[0] != "none" else "clean")
        for row in of_all[["perturbation", "level", "intensity"]].itertuples(index=False)
    ]
    of_all = of_all.assign(condition=[name for name, _ in points])
    noises = [name for name in dict.fromkeys(of_all["perturbation"]) if name != "none"]
    titles = dict(points) if len(noises) == 1 else {name: name for name, _ in points}
    conditions = sorted(titles, key=lambda name: name != "clean")
    measures = [measure for measure in shown_measures(of_all) if measure[:2] in _SHORT]
    headings = [
        f"{_SHORT[stage, metric]} {titles[name]}"
        for stage, metric, _ in measures
        for name in conditions
    ]
    caption = [f"{_SHORT[stage, metric]}: {title}" for stage, metric, title in measures]
    if len(noises) == 1:
        caption.append(f"noise: {noises[0]}")
    table = empty_table(["engine"], headings)
    for engine in of_all["engine"].drop_duplicates():
        rows = of_all[of_all["engine"] == engine].set_index(["stage", "metric", "condition"])
        means = [
            number(rows["mean"].get((stage, metric, name), float("nan")))
            for stage, metric, _ in measures
            for name in conditions
        ]
        table.add_row(Text(plain(str(engine))), *means)
    table.caption = Text(plain("; ".join([*caption, "gt: the true text"])), style="")
    return table
