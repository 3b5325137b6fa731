"""What ``ohr read --auto --seconds`` reads, with a clock of our own."""

from __future__ import annotations

import pandas as pd
import pytest

from ohr.adviser.auto import reading
from ohr.adviser.auto.choice import Reading
from ohr.adviser.auto.reading import AutoReader, Budget
from ohr.errors import ConfigError
from ohr.ocr.progress import Silent
from ohr.types import PageRef
from tests.ohr.adviser.timed import Clock, collected, sample_of, time_checks, works_of

PAGES = 40
BEFORE_S = 30
"""Seconds that opening files and checking layers took."""


def _error(engine: str, ref: PageRef) -> float:
    """The first engine reads all pages badly but the first; the second is better on all."""
    if engine == "engine1":
        return 0.01
    return 0.05 if ref == PageRef("documents/d0", 0) else 0.2


@pytest.fixture
def auto(monkeypatch):
    """Reads pages that the first engine reads badly within some seconds; returns what that took,
    the engines and what was said."""

    def read(seconds, check_s, *engines):
        clock, said = Clock(), []
        sample = sample_of(PAGES)
        works = works_of(sample, clock, *engines)
        monkeypatch.setattr(reading, "time", clock)
        monkeypatch.setattr(reading, "collect_outputs", collected)
        time_checks(monkeypatch, clock, check_s, pd.DataFrame())

        def readings(_table, outputs, _inventions):
            return {
                label: {ref: Reading(label, _error(label, ref), characters=9.0) for ref in pages}
                for label, pages in outputs.seen.items()
            }

        monkeypatch.setattr(reading, "_readings", readings)
        budget = Budget(0.1, seconds, clock.now)
        clock.now += BEFORE_S
        started = clock.now - BEFORE_S
        reader = AutoReader(sample, works, budget, 1, Silent(), said.append)
        result = reader.read()
        return clock.now - started, works, result, said

    return read


@pytest.mark.parametrize("check_s", [0, 1, 4])
def test_all_that_the_command_does_is_within_the_seconds(auto, check_s):
    used_s, works, result, _ = auto(300, check_s, (0, 1), (0, 20))
    assert used_s <= 300
    assert len(works[0].read_pages) == len(result.choices) == PAGES
    assert used_s > 300 - 20 - 2 * check_s - 1
    assert len(works[1].read_pages) < PAGES


def test_the_price_has_the_checks(auto):
    *_, said = auto(None, 3, (0, 1), (0, 20))
    price = next(line for line in said if line.startswith("engine0: "))
    assert price.endswith(f"; to check what they write: about {3 * (PAGES - 1) / 60:.0f} min")


def test_seconds_that_the_layers_have_used_are_not_there_for_reading(auto):
    with pytest.raises(ConfigError, match="more than is left of the 80 s of the budget after 5"):
        auto(80, 0, (0, 1), (0, 20))


def test_a_page_that_both_have_read_for_the_price_is_still_taken_by_the_first(auto):
    _, _, result, _ = auto(200, 0, (0, 1), (0, 20))
    routes = {choice.ref: choice.route for choice in result.choices}
    assert routes[PageRef("documents/d0", 0)] == "engine0"
    assert set(routes.values()) == {"engine0", "engine1"}
