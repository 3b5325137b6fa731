"""What a report can be asked to hold."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ReportOptions:
    """What a report holds."""

    cases: str = "worst:200,random:100,failed:all"
    """Which cases have details: ``worst:N``, ``random:N``, ``failed:N``; N may be ``all``."""
    images: str = "webp:1024:60"
    """Pictures of pages, ``webp:SIDE:QUALITY``, or ``none``."""
    most_mb: int = 200
    """Megabytes of pictures; those of further pages are left out and counted."""
    title: str = ""
    """By default the runs' names."""
