"""What it takes to read pages: one estimate, and one wording, for every command."""

from __future__ import annotations

import math
from collections.abc import Mapping

WAITS = 5.0
"""Wall seconds over CPU seconds above which an engine waits for a server or a GPU. A machine that
does other work besides is seldom so slow."""


def reading_s(pages: int, page_s: float, workers: int) -> float:
    """Wall seconds for some pages at ``page_s`` seconds per page and worker; NaN if not known."""
    return pages * page_s / min(workers, pages) if pages > 0 else 0.0


def time_text(seconds: float) -> str:
    """``about 3 min``, ``no time`` or ``time not known``."""
    if math.isnan(seconds):
        return "time not known"
    return f"about {spoken(seconds)}" if seconds > 0 else "no time"


def spoken(seconds: float) -> str:
    """``40 s``, ``3 min`` or ``2.5 h``."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def comparable_seconds(costs: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Seconds a page by which one engine is faster than another; NaN if they are not known.

    ``costs`` are the ``cpu_s`` and ``wall_s`` of each engine. It is CPU time, which depends little
    on what else the machine does, unless an engine waits or its CPU time is not known: then it is
    wall time, of all engines.
    """
    wall = {name: cost.get("wall_s", math.nan) for name, cost in costs.items()}
    cpu = {name: cost.get("cpu_s", math.nan) for name, cost in costs.items()}
    is_computed = all(cpu[name] > 0 and not wall[name] > WAITS * cpu[name] for name in costs)
    return cpu if is_computed else wall
