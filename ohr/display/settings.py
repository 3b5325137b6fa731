"""The settings of a study: chunker, retriever, number of hits, reader.

Tables have one row, and figures one file, for each setting.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING

import numpy as np

from ohr.study.config import BUILT_IN

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Setting:
    """One combination, as texts; empty parts do not apply."""

    chunker: str
    retriever: str
    top_k: str
    reader: str
    system: str = BUILT_IN

    def select(self, cells: pd.DataFrame) -> pd.DataFrame:
        """The cells of this setting: every column that applies to their stage is equal."""
        fitting = np.array([self.fits(values) for values in setting_texts(cells)], dtype=bool)
        return cells[fitting]

    def fits(self, values: Sequence[str]) -> bool:
        """Whether a cell with these texts of the columns belongs to this setting."""
        return all(own in (value, "") for own, value in zip(values, astuple(self), strict=True))

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of its parts: ``tokens``, ``bm25``, ``2 hits``, ``extractive``."""
        hits = self.top_k and f"{self.top_k} hit{'s' * (self.top_k != '1')}"
        system = "" if self.system == BUILT_IN else self.system
        return (self.chunker, self.retriever, hits, self.reader, system)

    @property
    def system_parts(self) -> tuple[str, ...]:
        """Its retriever and its reader, or the whole system: ``("bm25", "extractive")``."""
        return tuple(part for part in (self.parts[-1], self.retriever, self.reader) if part)

    def __str__(self) -> str:
        return ", ".join(part for part in self.parts if part)


COLUMNS = tuple(Setting.__dataclass_fields__)


@dataclass(frozen=True)
class Value:
    """A mean in a table, with the smallest and the largest n behind it."""

    mean: float
    least: int
    most: int
    letters: str = ""
    """Its letters for ties with other conditions, if these were tested."""

    @property
    def n(self) -> str:
        """``3276``, or ``3270 to 3276`` if the settings behind the mean differ in n."""
        return str(self.most) if self.least == self.most else f"{self.least} to {self.most}"


@dataclass(frozen=True)
class Block:
    """The settings of one row of a table: one, or several whose mean it shows."""

    label: str
    """What distinguishes it from the table's other blocks; empty for a single one."""
    settings: tuple[Setting, ...]

    @property
    def is_mean(self) -> bool:
        """Whether it is a mean over settings."""
        return len(self.settings) > 1


class Means:
    """The means of one knowledge base's cells, by stage, metric and group."""

    def __init__(self, cells: pd.DataFrame) -> None:
        import pandas as pd

        keys = zip(cells["stage"], cells["metric"], cells["group"], strict=True)
        letters = cells["letters"] if "letters" in cells else [""] * len(cells)
        values = zip(cells["mean"], pd.to_numeric(cells["n"]), letters, strict=True)
        self._cells: dict[tuple[str, str, str], list[tuple[tuple[str, ...], Value]]] = {}
        for key, setting, (mean, n, text) in zip(keys, setting_texts(cells), values, strict=True):
            if n > 0:
                value = Value(mean, int(n), int(n), text)
                self._cells.setdefault(key, []).append((setting, value))

    def find(self, block: Block, stage: str, metric: str, group: str) -> Value | None:
        """The mean over a block's settings; None without any.

        A cell that several settings share at this stage counts once.
        """
        import pandas as pd

        cells = self._cells.get((stage, metric, group), [])
        places = dict.fromkeys(
            place
            for each in block.settings
            for place, (setting, _) in enumerate(cells)
            if each.fits(setting)
        )
        if not places:
            return None
        values = [cells[place][1] for place in places]
        mean = float(pd.Series([value.mean for value in values]).mean())
        numbers = [value.most for value in values]
        letters = values[0].letters if len(values) == 1 else ""
        return None if math.isnan(mean) else Value(mean, min(numbers), max(numbers), letters)


def texts(cells: pd.DataFrame, name: str) -> pd.Series:
    """A column of settings as text, for cells in memory and cells read from a file."""
    import pandas as pd

    column = cells[name]
    if name == "top_k":
        column = pd.to_numeric(column, errors="coerce").astype("Int64")
    return column.astype("string").fillna("")


def setting_texts(cells: pd.DataFrame) -> Iterator[tuple[str, ...]]:
    """The texts (see :func:`texts`) of each cell's setting; faster for small tables."""
    import pandas as pd

    columns = []
    for name in COLUMNS:
        column = cells[name]
        if name == "top_k" and not pd.api.types.is_integer_dtype(column.dtype):
            column = texts(cells, name)
        columns.append(["" if pd.isna(value) else str(value) for value in column.tolist()])
    return zip(*columns, strict=True)


def settings_of(cells: pd.DataFrame) -> list[Setting]:
    """Every setting of the cells, in their order; at least one, with empty parts if none applies.

    Numbers of hits that no reader uses have only retrieval, and no reader.
    """
    whole = [name for name in dict.fromkeys(texts(cells, "system")) if name not in ("", BUILT_IN)]
    systems = [Setting("", "", "", "", name) for name in whole]
    cells = cells[~texts(cells, "system").isin(whole)]
    searching = cells[cells["stage"].isin(["retrieval", "overall"])]
    searches = list(dict.fromkeys(zip(*(texts(searching, n) for n in COLUMNS[:3]), strict=True)))
    readers = [name for name in dict.fromkeys(texts(cells, "reader")) if name] or [""]
    if not searches:
        return [
            Setting("", "", "", reader) for reader in readers if reader or not systems
        ] + systems
    answered = [*texts(cells[cells["stage"] == "overall"], "top_k"), searches[0][2]]
    return [
        Setting(chunker, retriever, top_k, reader)
        for chunker, retriever, top_k in searches
        for reader in (readers if top_k == answered[0] else [""])
    ] + systems


def blocks_of(cells: pd.DataFrame) -> list[Block]:
    """One block per setting, then the means over retrievers and readers, if there are several."""
    settings = settings_of(cells)
    blocks = [Block(_distinction(setting, settings), (setting,)) for setting in settings]
    groups: dict[tuple[str, str], list[Setting]] = {}
    for each in settings:
        if each.system == BUILT_IN:
            groups.setdefault((each.chunker, each.top_k), []).append(each)
    heads = [Setting(chunker, "", top_k, "") for chunker, top_k in groups]
    for head, members in zip(heads, groups.values(), strict=True):
        if len(members) > 1:
            label = _distinction(head, heads)
            blocks.append(Block(f"mean, {label}" if label else "mean", tuple(members)))
    return blocks


def setting_names(cells: pd.DataFrame) -> str:
    """The setting of cells in words; for several settings, the names of each kind."""
    settings = settings_of(cells)
    if len(settings) == 1:
        return str(settings[0])
    kinds = [dict.fromkeys(names) for names in zip(*(s.parts for s in settings), strict=True)]
    named = [", ".join(name for name in names if name) for names in kinds]
    return "; ".join(names for names in named if names)


def _distinction(setting: Setting, settings: Sequence[Setting]) -> str:
    """The parts of a setting that differ between settings; for another system, its name."""
    alike = [each for each in settings if each.system == setting.system]
    kinds = zip(setting.parts, zip(*(s.parts for s in alike), strict=True), strict=True)
    parts = [part for part, every in kinds if part and len(set(every)) > 1]
    return ", ".join([setting.system, *parts] if len(alike) < len(settings) else parts)
