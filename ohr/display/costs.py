"""Time and cost of engines on clean pages, and which engines are worth it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from ohr.ocr.costs import COUNTED
from ohr.study.output.select import distinct

SECONDS, COST = "seconds a page", "cost of 1,000 pages"
EXPENSES = (SECONDS, COST)
PER_PAGES = 1000


def engine_costs(cells: pd.DataFrame, bases: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    """One row per engine whose time on clean pages was measured.

    ``seconds a page`` are wall seconds of the median page with one worker; ``CPU seconds`` those of
    this machine; ``cost of 1,000 pages`` is in the currency of the given prices, NaN without
    prices. Tokens are means over pages, odd replies are counts. ``bases`` is the manifest's
    ``knowledge_bases``.
    """
    rows = []
    for engine in distinct(cells["engine"]):
        cost = bases.get(f"{engine}, clean", {}).get("taken") or {}
        pages = float(cost.get("pages", 0))
        if not pages:
            continue
        row: dict[str, Any] = {
            "engine": engine,
            "pages": int(pages),
            SECONDS: cost["median_wall_s"],
            "CPU seconds": cost["median_cpu_s"],
            COST: cost["cost"] / pages * PER_PAGES if "cost" in cost else float("nan"),
        }
        for name in ("prompt_tokens", "completion_tokens"):
            row[name] = cost[name] / pages if name in cost else float("nan")
        rows.append(row | {name: int(cost.get(name, 0)) for name in COUNTED})
    return pd.DataFrame(rows)


def frontier(
    expense: Sequence[float], quality: Sequence[float], *, higher_is_better: bool
) -> list[int]:
    """The Pareto frontier: indices for which no other is as good for less, or better for no more.

    In order of expense; of equals, the first.
    """
    sign = 1.0 if higher_is_better else -1.0
    order = sorted(
        range(len(expense)),
        key=lambda position: (expense[position], -sign * quality[position], position),
    )
    best: list[int] = []
    for position in order:
        if not best or sign * quality[position] > sign * quality[best[-1]]:
            best.append(position)
    return best
