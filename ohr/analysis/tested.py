"""Tests the comparisons of a table together: one family for each group of its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ohr.statistics import Paired, PairedComparison, compare_family

_VALUES = {
    "difference": lambda result: result.difference,
    "low": lambda result: result.interval.low,
    "high": lambda result: result.interval.high,
    "unit": lambda result: result.interval.unit,
    "excluded": lambda result: result.interval.bound,
    "p": lambda result: result.p,
    "p_adjusted": lambda result: result.p_adjusted,
    "tests": lambda result: result.tests,
    "cohens_dz": lambda result: result.cohens_dz,
    "cliffs_delta": lambda result: result.cliffs_delta,
}


def add_tests(
    table: pd.DataFrame,
    paired: str,
    columns: Mapping[str, str],
    by: Sequence[str] = (),
    *,
    largest: float = 1.0,
    others: Mapping[tuple[Any, ...], Sequence[Paired]] | None = None,
    seed: int = 0,
) -> pd.DataFrame:
    """The table with the results of its comparisons, without the column ``paired``.

    That column has each row's :class:`~ohr.statistics.Paired`, or None where nothing is compared.
    ``columns`` maps what to write (``difference``, ``low``, ``high``, ``unit``, ``excluded``,
    ``p``, ``p_adjusted``, ``tests``, ``cohens_dz``, ``cliffs_delta``) to the column that gets it.
    Rows that agree in ``by`` are one family (:func:`ohr.statistics.infer`); ``others`` are further
    comparisons of a family, by its values of ``by``. ``largest`` is the largest possible
    difference.
    """
    families: dict[tuple[Any, ...], list[int]] = {}
    for place, row in enumerate(table[list(by)].itertuples(index=False, name=None)):
        if table[paired].iloc[place] is not None:
            families.setdefault(row, []).append(place)
    results: dict[int, PairedComparison] = {}
    for key, places in families.items():
        members = [table[paired].iloc[place] for place in places]
        tested = compare_family(
            [*members, *(others or {}).get(key, ())], largest=largest, seed=seed
        )
        results |= dict(zip(places, tested, strict=False))
    result = table.drop(columns=paired)
    for value, column in columns.items():
        missing: Any = "" if value == "unit" else 0 if value == "tests" else np.nan
        result[column] = [
            _VALUES[value](results[place]) if place in results else missing
            for place in range(len(table))
        ]
    return result
