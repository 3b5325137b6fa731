"""The options of a report."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ReportOptions:
    """What a report contains."""

    cases: str = "worst:200,random:100,failed:all"
    """Which cases have details: ``worst:N``, ``random:N``, ``failed:N``; N may be ``all``."""
    images: str = "webp:1024:60"
    """Page images: ``webp:SIDE:QUALITY``, or ``none``."""
    most_mb: int = 200
    """Largest size of all page images, in megabytes; further images are left out and counted."""
    title: str = ""
    """Title of the report; by default the names of the runs."""
    verdict: tuple[str, ...] = ()
    """Sentences of a recommendation, for the top of the first page."""
