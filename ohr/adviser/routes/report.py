"""Says what the routes of some pages are, and what they cost and bring."""

from __future__ import annotations

import math

import pandas as pd

from ohr.adviser.routes.table import ROUTED, Pair
from ohr.ocr.routes import LAYER, PERSON
from ohr.statistics.numbers import percent


def route_lines(
    routes: pd.DataFrame, table: pd.DataFrame, pair: Pair, threshold: float
) -> list[str]:
    """Lines about the routes; ``table`` is their curve, empty if every page has a layer."""
    counts = routes["route"].value_counts()
    parts = [
        f"{counts[name]} {title}"
        for name, title in (
            (LAYER, "by the text layer"),
            (pair.fast, f"by {pair.fast}"),
            (pair.slow, f"by {pair.slow}"),
            (PERSON, "for a person"),
        )
        if name in counts
    ]
    lines = [f"routes of {len(routes)} pages: {', '.join(parts)}"]
    if table.empty:
        return lines
    routed = table[table["rule"] == ROUTED]
    chosen = routed[routed["threshold"] <= threshold].iloc[0]
    every = table.set_index("rule")
    lines.append(
        f"{pair.slow} re-reads pages for which {pair.fast} alone predicts an error above "
        f"{threshold:.3f}: {percent(chosen['reread'])} of the pages without a layer"
    )
    for name, title in (("predicted_error", "predicted"), ("true_error", "true")):
        if math.isnan(chosen[name]):
            continue
        lines.append(
            f"{title} error: {chosen[name]:.3f} by routes, {every[name][pair.fast]:.3f} by "
            f"{pair.fast} and {every[name][pair.slow]:.3f} by {pair.slow} on every such page"
        )
    if not math.isnan(chosen["seconds"]):
        lines.append(
            f"seconds per such page: {chosen['seconds']:.2f} by routes, {pair.fast_s:.2f} by "
            f"{pair.fast}, {pair.slow_s:.2f} by {pair.slow}; {pair.fast} reads each page first, "
            "since the prediction needs its output"
        )
    return lines


def seconds_lines(routes: pd.DataFrame, pair: Pair, most: float) -> list[str]:
    """A line about the seconds of the routes of all pages, which should be at most a share."""
    share = float(routes["seconds"].mean()) / pair.slow_s
    if math.isnan(share):
        unknown = f"seconds: not known for {pair.fast} or {pair.slow}"
        return [f"{unknown}, so only pages that cannot be assessed are read twice"]
    line = f"seconds: {share:.2f} of what {pair.slow} takes to read every page"
    if share > most + 1e-9:
        needs = f"{pair.fast} alone, and the pages that it cannot assess, take so much"
        line += f", more than {most:g}: {needs}"
    return [line]
