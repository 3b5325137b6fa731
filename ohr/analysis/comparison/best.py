"""Sentences that compare candidates with the best, valid although the data chose the best."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ohr.statistics import PAGE, BestOf
from ohr.statistics.numbers import prose_bound, prose_interval
from ohr.statistics.paired import FEWEST_TO_SHOW


def comparison_text(
    names: Sequence[str], compared: BestOf, introduction: str = "Shown to be worse"
) -> str:
    """``Shown to be worse: p0 (by 0.02 to 0.08). No significant difference from p3: p4 (none
    larger than 0.04).``; the first is not among them.

    ``names`` are the candidates', ``introduction`` introduces those that are shown to be worse.
    """
    first = names[compared.first]
    rest = [name for name in names if name != first]
    if not compared.unit:
        return f"Not tested, for lack of documents and pages: {', '.join(rest)}."
    worse, alike = [], []
    for name, standing in zip(names, compared.standings, strict=True):
        if standing.is_worse:
            ends = standing.interval
            is_known = ends.low > 0 and ends.high < compared.largest
            by = f" (by {prose_interval(ends.low, ends.high)})" if is_known else ""
            worse.append(f"{name}{by}")
        elif name != first:
            bound = standing.from_first.bound
            limit = f"none larger than {prose_bound(bound)}"
            if bound >= compared.largest:
                limit = "nothing is excluded"
            alike.append(f"{name} ({limit})")
    texts = [f"{introduction}: {', '.join(worse)}."] if worse else []
    texts += [f"No significant difference from {first}: {', '.join(alike)}."] if alike else []
    return " ".join(texts)


def family_line(comparisons: Sequence[BestOf], of: str) -> str:
    """The family of such lines: all comparisons of two candidates, ``of`` systems or engines."""
    pairs = sum(math.comb(len(each.standings), 2) for each in comparisons)
    every = f"all {pairs} comparisons" if pairs > 1 else "the one comparison"
    line = (
        f"family: {every} of two {of}; 95 % for the whole family, although the data chose the best"
    )
    [unit] = {each.unit for each in comparisons}
    if unit == PAGE:
        line += "; they are about further pages of these documents, not about other documents"
    elif unit and any(each.size < FEWEST_TO_SHOW for each in comparisons):
        line += f"; of fewer than {FEWEST_TO_SHOW} documents nothing can be shown"
    return line
