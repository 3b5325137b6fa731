"""Figures of the OHR-Bench paper, and ours beside them.

``published.csv`` holds its tables 2 and S5 to S8: engine, reader (table S5 alone; the others are
means over readers and retrievers), stage, metric, group and value. The paper gives some figures
twice and not always alike, so a figure's row names what the other tables say.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import pandas as pd

from experiments.paper_tables import averages

KEY = ("engine", "reader", "stage", "metric", "group")
SMALLEST_CONTRADICTION = 0.0015
"""Figures are given to a tenth of a per cent: what differs by more is no rounding."""


@cache
def published() -> pd.DataFrame:
    """All rows: ``table``, the columns of ``KEY``, ``value`` in [0, 1]."""
    with (files("experiments") / "published.csv").open(encoding="utf-8") as file:
        return pd.read_csv(file, keep_default_na=False)


def published_engine(label: str) -> str | None:
    """The paper's name of an engine: ``precomputed:MinerU`` is its ``MinerU``."""
    names = {str(name).lower(): str(name) for name in published()["engine"].unique()}
    return names.get(label.rpartition(":")[2].lower())


def contradictions() -> pd.DataFrame:
    """Rows for which another table of the paper gives another value, in ``elsewhere``."""
    found = []
    for _, rows in published().groupby(list(KEY), sort=False):
        if rows["value"].max() - rows["value"].min() > SMALLEST_CONTRADICTION:
            for row in rows.to_dict("records"):
                others = rows[rows["table"] != row["table"]]
                found.append(dict(row) | {"elsewhere": _said(others)})
    return pd.DataFrame(found)


def _said(rows: pd.DataFrame) -> str:
    return "; ".join(f"{row.value:.3f} ({row.table})" for row in rows.itertuples(index=False))


def beside_published(cells: pd.DataFrame) -> pd.DataFrame:
    """A row for each figure of the paper of which a clean engine's cells hold ours.

    Columns: ``table``, those of ``KEY``, ``elsewhere`` (what the paper's other tables say, where
    that differs), ``paper``, ``ours`` (mean over retrievers and readers, as theirs; in table S5
    over retrievers), ``difference`` and ``n``.
    """
    clean = cells[cells["noise"] == "none"]
    labels = {
        name: label
        for label in reversed(list(dict.fromkeys(clean["engine"])))
        if (name := published_engine(str(label))) is not None
    }
    elsewhere = _elsewhere()
    found = []
    for row in published().to_dict("records"):
        label = labels.get(row["engine"])
        mine = clean[clean["engine"] == label]
        if row["reader"]:
            mine = mine[mine["reader"].str.lower() == row["reader"].lower()]
        ours = averages(mine, row["stage"], row["metric"], row["group"]).get(str(label))
        if ours is None:
            continue
        same = mine[(mine["stage"] == row["stage"]) & (mine["metric"] == row["metric"])]
        key = tuple(row[name] for name in ("table", *KEY))
        found.append(
            {name: row[name] for name in ("table", *KEY)}
            | {"elsewhere": elsewhere.get(key, ""), "paper": row["value"], "ours": ours}
            | {"difference": ours - row["value"]}
            | {"n": int(same[same["group"] == row["group"]]["n"].max())}
        )
    return pd.DataFrame(found)


def _elsewhere() -> Mapping[tuple[str, ...], str]:
    rows = contradictions()
    keys = rows[["table", *KEY]].itertuples(index=False, name=None)
    return dict(zip(keys, rows["elsewhere"], strict=True))
