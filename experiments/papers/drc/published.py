"""Figures of the DRC paper (McDonald et al. 2022), in per cent.

``drc_published.csv``: table, method, metric, group, split (``validation``, ``test`` or ``all``),
value.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import pandas as pd


@cache
def _every_figure() -> pd.DataFrame:
    with (files("experiments.papers.drc") / "published.csv").open(encoding="utf-8") as file:
        return pd.read_csv(file)


def drc_figures(table: str) -> pd.DataFrame:
    """The rows of one table, such as ``table 3``."""
    figures = _every_figure()
    return figures[figures["table"] == table]
