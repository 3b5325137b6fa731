"""Which pages are assessed, why others are not, and which outputs of a page are compared."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ohr.quality.bounds import Apart, read_apart
from ohr.quality.page_kind import PAGE_KINDS
from ohr.quality.predictor import OUTSIDE, Predictor, is_assessable

__all__ = ["ONLY_TEXT", "page_pairs", "reason_against"]

ONLY_TEXT = "only text"
"""The reason that other signals are missing."""


def reason_against(row: Mapping[str, Any], model: Predictor) -> str:
    """Why an engine's output of a page is not assessed; empty if it is.

    ``row`` has the signals and, if they are known, ``engine``, ``page_kind``, ``script`` and
    ``writes_script``.
    """
    if not row.get("writes_script", True):
        return f"{row.get('engine')} cannot write {row.get('script')}"
    script, page_kind = (_text(row.get(name)) for name in ("script", "page_kind"))
    if script and not model.knows_script(script):
        return f"predictions were not fitted on pages in {script}"
    if page_kind and not model.knows_kind(page_kind):
        return f"predictions are not shown to hold for {PAGE_KINDS.get(page_kind, page_kind)}"
    signals = {name: float(row.get(name, math.nan)) for name in OUTSIDE}
    return "" if is_assessable(signals) else ONLY_TEXT


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def page_pairs(rows: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], dict[str, Apart]]:
    """How far the outputs of one page are apart, by the places of two of its rows."""
    places = {str(row.get("engine")): str(place) for place, row in enumerate(rows)}
    pairs: dict[tuple[str, str], dict[str, Apart]] = {}
    for place in places.values():
        for other, of in read_apart(rows[int(place)].get("apart")).items():
            if other in places and (places[other], place) not in pairs:
                pairs[place, places[other]] = of
    return pairs
