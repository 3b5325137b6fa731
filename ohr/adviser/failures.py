"""Why pages of a sample could not be read."""

from __future__ import annotations

from collections.abc import Mapping

from ohr.quality.table import Observation
from ohr.types import FAILED, PageRef


def page_failures(seen: Mapping[str, Mapping[PageRef, Observation]]) -> dict[PageRef, str]:
    """Why pages failed; with the engines, unless all that read a page say the same.

    ``seen`` has the outputs of each engine.
    """
    failures: dict[PageRef, str] = {}
    for ref in sorted({ref for pages in seen.values() for ref in pages}):
        outcomes = {label: pages[ref].outcome for label, pages in seen.items() if ref in pages}
        reasons = {
            label: outcome.detail or str(outcome.status)
            for label, outcome in outcomes.items()
            if outcome.status in FAILED
        }
        distinct = set(reasons.values())
        if len(reasons) == len(outcomes) and len(distinct) == 1:
            failures[ref] = distinct.pop()
        elif reasons:
            failures[ref] = "; ".join(f"{label}: {why}" for label, why in reasons.items())
    return failures
