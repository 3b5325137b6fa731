"""Draws a run's figures in a second process, while this one makes the tables."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ohr.study.results import StudyRun
from ohr.workers.forked import ForkedCall


def start_drawing(run: StudyRun, draw: Callable[[], list[Path]]) -> ForkedCall[list[Path]]:
    """Start to draw figures; :meth:`ForkedCall.result` waits for their files. Close it.

    Matplotlib takes most of a second to import, and a figure as long to lay out and write twice,
    so a copy of this process pays even for the smallest run. It has all that this process has
    computed so far: compute first what figures and tables share. Without a spare core, or in a run
    of one worker, the figures are drawn when their files are asked for.
    """
    return ForkedCall(draw, workers=run.manifest.get("config", {}).get("workers", 1))
