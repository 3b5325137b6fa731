"""Engines that read with others: no page is read twice, and all of its cost is counted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from ohr import registry
from ohr.ocr.store import ocr_key, stored_text
from ohr.ocr.worker import PageReader
from ohr.plugins import OcrBackend, TextFusion
from ohr.registry import PluginSpec
from ohr.store.artefacts import ArtefactStore
from ohr.store.identity import pixel_digest
from ohr.types import Outcome

HERE = "tests.ohr.study.pages.test_composite"
PAGE = np.full((60, 40), 255, np.uint8)
READINGS: list[str] = []


class First(OcrBackend):
    """Logs its readings, and reports two tokens for each."""

    name = "first"
    tokens = 0.0

    def read(self, image: np.ndarray) -> Outcome[str]:
        READINGS.append(self.name)
        self.tokens += 2
        return Outcome.of_text(f"read by {self.name}")

    def usage(self) -> dict[str, float]:
        spent, self.tokens = self.tokens, 0.0
        return {"tokens": spent}


class Second(First):
    name = "second"


class Broken(First):
    name = "broken"

    def read(self, image: np.ndarray) -> Outcome[str]:
        READINGS.append(self.name)
        return Outcome.error("out of order")


class Joined(TextFusion):
    name = "joined"

    def fuse(self, texts: Sequence[str]) -> str:
        return " / ".join(texts)


@pytest.fixture
def store(tmp_path):
    READINGS.clear()
    return ArtefactStore(tmp_path)


def reader_of(store, *names, nested=False):
    engines = [f"{HERE}.{name}" for name in names]
    params = {"engines": engines, "method": f"{HERE}.Joined"}
    value = {"name": "fused", "params": params}
    if nested:
        value = {"name": "repaired", "params": {"engine": value, "steps": ["light"]}}
    spec = PluginSpec.parse(value)
    return PageReader(spec, registry.create("engine", spec).identity(), store)


def test_parts_are_stored_as_their_own(store):
    reader = reader_of(store, "First", "Second")
    assert reader.transcribe(PAGE, 0)["text"] == "read by first / read by second"
    assert READINGS == ["first", "second"]
    identity = registry.create("engine", f"{HERE}.Second").identity()
    stored = stored_text(store, pixel_digest(PAGE), identity)
    assert stored.outcome.value == "read by second"
    other = reader_of(store, "Second", "First")
    assert other.transcribe(PAGE, 0)["text"] == "read by second / read by first"
    assert READINGS == ["first", "second"]


def test_the_cost_of_a_page_has_that_of_stored_parts(store):
    reader = reader_of(store, "First", "Second")
    reader.transcribe(PAGE, 0)
    assert reader.cost["tokens"] == 4
    for name in ("First", "Second"):
        identity = registry.create("engine", f"{HERE}.{name}").identity()
        store.put("taken", ocr_key(pixel_digest(PAGE), identity), {"cpu_s": 100.0, "tokens": 2.0})
    again = reader_of(store, "First", "Second")
    again.transcribe(PAGE, 0)
    assert again.cost["tokens"] == 4
    assert again.cost["cpu_s"] == pytest.approx(200, abs=20)


def test_an_engine_inside_another_that_is_inside_a_third(store):
    reader = reader_of(store, "First", "Second", nested=True)
    form = reader.transcribe(PAGE, 0)
    assert form["text"] == "read by first / read by second"
    assert form["detail"] == "not changed by light"
    assert reader.cost["tokens"] == 4
    reader_of(store, "First", "Second").transcribe(PAGE, 0)
    assert READINGS == ["first", "second"]


def test_a_failure_of_a_part_is_not_stored(store):
    for _ in range(2):
        with pytest.raises(Exception, match="Broken: out of order"):
            reader_of(store, "First", "Broken").transcribe(PAGE, 0)
    assert READINGS == ["first", "broken", "broken"]
