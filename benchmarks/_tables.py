"""How the simulations print their shares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ohr.statistics.numbers import number


def table(
    title: str,
    rows: Mapping[str, Sequence[float]],
    columns: Iterable[object],
    digits: int = 3,
) -> None:
    """Print a Markdown table of shares; NaN is an empty cell."""
    headings = [str(column) for column in columns]
    print(f"\n| {title} | {' | '.join(headings)} |")
    print(f"| --- {'| ---: ' * len(headings)}|")
    for name, values in rows.items():
        shown = ("" if np.isnan(v) else number(v, digits) for v in values)
        print(f"| {name} | {' | '.join(shown)} |", flush=True)
