"""Engines that read with others: no page is read twice, and all of its cost is counted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from ohr import registry
from ohr.ocr.store import ocr_key, parsed_words, stored_text
from ohr.ocr.worker import PageReader
from ohr.plugins import ImageRepair, OcrBackend, TextFusion
from ohr.registry import PluginSpec
from ohr.store.artefacts import ArtefactStore
from ohr.store.identity import pixel_digest
from ohr.types import Outcome, Word

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


class Sure(First):
    """Also gives its words, sure of those on bright pages alone."""

    name = "sure"
    has_confidence = True

    def read_with_words(self, image: np.ndarray) -> tuple[Outcome[str], tuple[Word, ...]]:
        outcome = self.read(image)
        words = (outcome.value or "").split() * 3
        sure = float(image[0, 0]) / 255
        return outcome, tuple(Word(word, sure, (0, 0, 40, 9)) for word in words)


class Brighter(ImageRepair):
    name = "brighter"

    def repair(self, image: np.ndarray) -> np.ndarray:
        return np.full_like(image, 255)


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


def test_the_words_that_decide_are_stored(store):
    params = {"engine": f"{HERE}.Sure", "steps": [f"{HERE}.Brighter"]}
    spec = PluginSpec.parse({"name": "repaired", "params": params})
    identity = registry.create("engine", spec).identity()
    dim = np.full((60, 40), 120, np.uint8)
    forms = []
    for _ in range(2):
        reader = PageReader(spec, identity, store)
        forms.append(reader.transcribe(dim, 0))
        assert reader.cost["tokens"] == 4
    assert forms[0] == forms[1]
    assert forms[0]["detail"] == ""  # the repaired page was better
    assert READINGS == ["sure", "sure"]  # the page as it was and the repaired one, once each
    # A text that was stored without its words is read again for them, and stays as it is.
    key = ocr_key(pixel_digest(PAGE), registry.create("engine", f"{HERE}.Sure").identity())
    store.put("words", key, "damaged")
    assert PageReader(spec, identity, store).transcribe(dim, 0) == forms[0]
    assert READINGS == ["sure"] * 3
    assert parsed_words(store.get("words", key)) is not None


@pytest.mark.parametrize("form", [None, "x", [["a", 0.5]], [["a", "b", [0, 0, 1, 1]]], {}])
def test_damaged_words_are_absent(form):
    assert parsed_words(form) is None
    assert parsed_words([["a", 0.5, [0, 0, 1, 1]]]) == (Word("a", 0.5, (0, 0, 1, 1)),)
