"""What it takes to read pages: one estimate, and one wording, for every command."""

from __future__ import annotations

import math


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
