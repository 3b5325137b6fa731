"""Sites: where a rule could act, with its random choices, and which of those that overlap stay.

A rule finds all its sites on the clean text and draws their choices, whatever the intensity. Sites
then draw a priority and a uniform each; overlaps are settled by priority, and only the sites that
remain are compared with the intensity. So the edits of a lower intensity are a subset of those of a
higher one, across rules.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from perturb.text.edits import Edit
from perturb.text.page import EditablePage


@dataclass(frozen=True, slots=True)
class Sites:
    """One rule's sites on a page, in order.

    Site i claims ``text[starts[i]:ends[i]]``; ``edits(i)`` are its edits, sorted. Edits of
    different sites never overlap unless their claims do.
    """

    starts: Sequence[int]
    ends: Sequence[int]
    edits: Callable[[int], Sequence[Edit]]
    weight: float = 0.0
    """Above 0, a site tolerates no other site on its claim; its chance of winning against n others
    is weight / (weight + n), so infinity always wins. Sites of weight 0 tolerate each other."""


Rule = Callable[[EditablePage, np.random.Generator], list[Sites]]
"""Finds a rule's sites and draws their choices; every draw depends on the text alone."""


def chosen(groups: Sequence[Sites], intensity: float, rng: np.random.Generator) -> list[Edit]:
    """The edits of the sites that win their place and whose uniform lies below the intensity."""
    uniforms = [rng.random(len(sites.starts)) for sites in groups]
    stays = _settle(groups, [rng.random(len(sites.starts)) for sites in groups])
    edits = [
        (_place(edit, sites.starts[i], sites.ends[i]), edit)
        for sites, drawn, stay in zip(groups, uniforms, stays, strict=True)
        for i in np.flatnonzero(stay & (drawn < intensity)).tolist()
        for edit in sites.edits(i)
    ]
    edits.sort(key=lambda entry: entry[0])  # equal places keep order
    return [edit for _, edit in edits]


def _place(edit: Edit, start: int, end: int) -> tuple[int, int]:
    """Where an edit of the site ``text[start:end]`` stands among others.

    Where sites touch, what closes one comes before what stands between them, and that before what
    opens the next. An insertion comes before what stands at its place is removed.
    """
    if edit.removed:
        return edit.at, 3
    if start == end:
        return edit.at, 1
    return edit.at, 0 if edit.at == end else 2


def _settle(groups: Sequence[Sites], drawn: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Which sites stay when they are placed by priority, the best first, unless one before forbids
    it."""
    stays = [np.ones(len(sites.starts), dtype=bool) for sites in groups]
    order = sorted(
        (
            (float(drawn[k][i]) ** (1 / sites.weight), k, i)
            for k, sites in enumerate(groups)
            if sites.weight > 0
            for i in range(len(sites.starts))
        ),
        reverse=True,
    )
    for priority, k, i in order:
        if not stays[k][i]:
            continue
        start, end = groups[k].starts[i], groups[k].ends[i]
        rivals = []
        for j, sites in enumerate(groups):
            first = bisect_right(sites.ends, start)
            last = bisect_left(sites.starts, end)
            rivals += [(j, r) for r in range(first, last) if stays[j][r] and (j, r) != (k, i)]
        if any(_priority(groups[j], drawn[j][r]) > priority for j, r in rivals):
            stays[k][i] = False
        else:
            for j, r in rivals:
                stays[j][r] = False
    return stays


def _priority(sites: Sites, drawn: float) -> float:
    return float(drawn) ** (1 / sites.weight) if sites.weight > 0 else float(drawn)
