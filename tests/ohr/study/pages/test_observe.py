"""What is seen of a page beside its reading, and when it is seen anew."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PIL import Image

from ohr import registry
from ohr.ocr.observe import REPEATS, Observing
from ohr.ocr.store import ocr_key
from ohr.ocr.worker import PageTask
from ohr.registry import PluginSpec
from ohr.store.artefacts import ArtefactStore
from ohr.types import PageRef, Status
from ohr.workers import Limits
from tests.builders import write_pdf


@pytest.fixture
def observing(tmp_path):
    spec = PluginSpec(name="tests.fakes.LoggingEngine")
    store = ArtefactStore(tmp_path / "cache")
    return Observing(spec, registry.create("engine", spec), store, Limits(60, 60))


@pytest.fixture
def page(tmp_path):
    source = write_pdf(tmp_path / "doc.pdf", 1)
    return PageTask(PageRef("doc", 0), source, 72, None, 0.0, 0, {"page": "doc"})


@pytest.mark.slow
def test_each_seed_distorts_the_page_anew(observing, page, log):
    counts = []
    for seed in (0, 0, 1):
        observing.observe([replace(page, seed=seed)], lambda *_: None)
        counts.append(len(set(log.read_text().split())))
    assert counts == [1 + len(REPEATS), 1 + len(REPEATS), 1 + 2 * len(REPEATS)]


@pytest.mark.slow
def test_repeats_that_are_no_longer_in_the_cache_are_read_again(observing, page):
    [before] = observing.observe([page], lambda *_: None)
    assert all(before.repeats)
    store = observing.store
    clean = store.get("reading", page.key)["pixels"]
    kept = store.path("ocr", ocr_key(clean, observing.backend.identity()))
    for path in {*(store.root / "ocr").rglob("*.json")} - {kept}:
        path.unlink()
    assert observing.observe([page], lambda *_: None) == [before]


@pytest.mark.slow
def test_a_damaged_observation_counts_as_none(observing, page):
    before = observing.observe([page], lambda *_: None)
    for path in (observing.store.root / "observation").rglob("*.json"):
        path.write_bytes(b"damaged")
    assert observing.observe([page], lambda *_: None) == before


@pytest.mark.slow
def test_a_picture_too_small_to_be_distorted_is_read_once(observing, tmp_path):
    Image.new("L", (20, 20), "white").save(tmp_path / "icon.png")
    icon = PageTask(PageRef("icon", 0), tmp_path / "icon.png", 72, None, 0.0, 0, {"page": "icon"})
    [seen] = observing.observe([icon], lambda *_: None)
    assert seen.outcome.status is Status.OK
    assert seen.repeats == ()
    assert observing.observe([icon], lambda *_: None) == [seen]


@pytest.mark.slow
def test_who_wants_no_repeats_need_not_read_an_observed_page_again(observing, page, log):
    [before] = observing.observe([page], lambda *_: None)
    read = log.read_text()
    once = replace(observing, instability=False)
    assert once.unobserved([page]) == []
    [after] = once.observe([page], lambda *_: None)
    assert after == replace(before, repeats=())
    assert log.read_text() == read
