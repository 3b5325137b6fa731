"""How many pages can be read in the time that is left, by what reading took so far."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ohr.ocr.price import reading_s


class Pace:
    """The seconds that engines take: to start, and per page and worker.

    The first page of an engine also starts its workers and loads its model. If only the seconds of
    both together were known, one slow start would make a minute look too short for a second page.
    """

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._start_s: dict[str, float] = {}
        self._page_s: dict[str, float] = {}

    def note(self, engine: str, pages: int, elapsed_s: float, page_s: float = math.nan) -> None:
        """Take note that ``pages`` were read in ``elapsed_s``.

        ``page_s`` are the seconds of a page without the start, if they are known.
        """
        if not pages:
            return
        several = min(self._workers, pages)
        if engine not in self._page_s:
            each = elapsed_s * several / pages
            self._page_s[engine] = min(each, page_s) if page_s > 0 else each
            self._start_s[engine] = elapsed_s - reading_s(
                pages, self._page_s[engine], self._workers
            )
            return
        # A first start may be slower than the later ones: what is left for the pages would then be
        # too little, or nothing, and any number of pages would seem to fit.
        each = page_s if page_s > 0 else self._page_s[engine]
        rest = max(0.0, elapsed_s - reading_s(pages, each, self._workers))
        self._start_s[engine] = min(self._start_s[engine], rest)
        self._page_s[engine] = (elapsed_s - self._start_s[engine]) * several / pages

    def seconds(self, pages: Mapping[str, int]) -> float:
        """Seconds for some pages of each engine; an engine that has not read yet takes none."""
        return sum(
            self._start_s[engine] + reading_s(count, self._page_s[engine], self._workers)
            for engine, count in pages.items()
            if count and engine in self._page_s
        )

    def is_worth_a_start(self, pages: Mapping[str, int]) -> bool:
        """Whether some pages of each engine take longer than the engines' start."""
        starts = sum(self._start_s.get(engine, 0.0) for engine, count in pages.items() if count)
        return self.seconds(pages) > 2 * starts
