"""Checks the outputs of pages, and knows what that takes."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import pandas as pd

from ohr.adviser.invented import InventionJudge, Inventions, judged_outputs
from ohr.adviser.own_pages import SampleOutputs
from ohr.ocr.progress import Progress
from ohr.types import PageRef


class OutputChecks:
    """Checks outputs for invented text, and predicts their errors: a part of what a page takes.

    ``predict`` gives the table of predictions. A page is checked again only if another engine has
    read it since.
    """

    def __init__(
        self, predict: Callable[[SampleOutputs], pd.DataFrame], progress: Progress | None = None
    ) -> None:
        self._predict, self._progress = predict, progress
        self._judge = InventionJudge()
        self._checked: dict[PageRef, frozenset[str]] = {}
        self._pages, self._elapsed_s = 0, 0.0

    def check(
        self, collect: Callable[[], SampleOutputs]
    ) -> tuple[SampleOutputs, pd.DataFrame, Inventions]:
        """Collect outputs and check them; returns what :func:`judged_outputs` does."""
        started = time.perf_counter()
        outputs = collect()
        result = judged_outputs(outputs, self._judge, self._predict, self._progress)
        engines: dict[PageRef, list[str]] = {}
        for label, pages in outputs.seen.items():
            for ref in pages:
                engines.setdefault(ref, []).append(label)
        read = {ref: frozenset(labels) for ref, labels in engines.items()}
        self._pages += sum(self._checked.get(ref) != labels for ref, labels in read.items())
        self._checked |= read
        self._elapsed_s += time.perf_counter() - started
        return result

    @property
    def page_s(self) -> float:
        """Wall seconds per page so far; NaN before any page is checked."""
        return self._elapsed_s / self._pages if self._pages else math.nan

    @property
    def checked(self) -> int:
        """Number of pages that are checked."""
        return len(self._checked)

    def seconds(self, pages: int) -> float:
        """Estimated wall seconds for some more pages; 0 before any page is checked."""
        return max(0, pages) * self.page_s if self._pages else 0.0
