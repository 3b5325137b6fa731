"""The signals of many pages of many documents."""

from __future__ import annotations

import tracemalloc

from ohr.quality.table import Observation, signal_table
from ohr.types import Outcome, PageRef

PAGE = "The river bridge was opened in 1931 by the mayor of the town, who spoke of tolls. " * 30


def peak_of(documents: int) -> int:
    """Most bytes held while the table of so many documents of one page is made."""
    pages = {
        PageRef(f"law/{number}", 0): Observation(Outcome.of_text(f"Town {number}. {PAGE}"))
        for number in range(documents)
    }
    tracemalloc.start()
    try:
        table = signal_table({"one": pages, "two": pages}, {})
        assert table["surprise"].notna().all()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_document_more_takes_little_more_memory():
    """Each took 40 MB, so that hundreds of files of one page ran out of it."""
    assert peak_of(16) - peak_of(12) < 4 * 2**20
