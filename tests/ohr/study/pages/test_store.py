"""Readings that a study finds in the cache: which stand, and which are made again."""

from __future__ import annotations

import shutil

import numpy as np
import pandas as pd
import pytest

from ohr import registry
from ohr.errors import StoreError
from ohr.ocr.observe import _read_again
from ohr.ocr.store import (
    StoredOutput,
    keep_failure,
    ocr_key,
    stored_output,
    stored_text,
)
from ohr.ocr.worker import PageReader
from ohr.registry import PluginSpec
from ohr.store.artefacts import ArtefactStore
from ohr.store.identity import pixel_digest
from ohr.study.knowledge_bases import KnowledgeBases
from ohr.study.loading import load_dataset
from ohr.study.plan import make_plan
from ohr.study.run import run_study
from ohr.types import Outcome, Status
from ohr.workers import Limits
from tests.builders import load_config, write_corpus
from tests.fakes import MENDED


@pytest.fixture
def corpus(tmp_path):
    """One document of two pages."""
    return write_corpus(tmp_path, documents=1, pages=2)


def study(corpus, out, *more, engine="tests.fakes.MendableEngine"):
    """Statuses of the pages that a study scored."""
    settings = [*corpus, f"engines=[{engine}]", "stages=[ocr]", "workers=1", *more]
    run_study(load_config(settings), out)
    rows = pd.read_parquet(out / "rows.parquet")
    return list(rows[rows["metric"] == "edit_distance"]["status"])


def test_failures_stand_until_they_are_tried_again(corpus, tmp_path, monkeypatch):
    assert study(corpus, tmp_path / "one") == ["error", "error"]
    monkeypatch.setenv(MENDED, "1")
    assert study(corpus, tmp_path / "two") == ["error", "error"]
    assert study(corpus, tmp_path / "three", "retry_failed=true") == ["ok", "ok"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["reading", "ocr"])
def test_a_damaged_cache_never_becomes_a_score(corpus, tmp_path, kind):
    engine = "tests.fakes.LoggingEngine"
    assert study(corpus, tmp_path / "one", engine=engine) == ["ok", "ok"]
    for path in (tmp_path / "cache" / kind).rglob("*.json"):
        path.write_text("")
    assert study(corpus, tmp_path / "two", engine=engine) == ["ok", "ok"]
    shutil.rmtree(tmp_path / "cache" / kind)
    config = load_config([*corpus, f"engines=[{engine}]"])
    plan = make_plan(config, load_dataset(config))
    readings = KnowledgeBases(plan, ArtefactStore(config.cache))
    assert readings.pending(plan.variants[0]) == 2
    with pytest.raises(StoreError, match=r"output of manual/doc0 page 0 is not in the cache"):
        readings.knowledge_base(plan.variants[0])


def test_a_timeout_stands_for_no_more_time_than_it_was_given(tmp_path):
    store, key = ArtefactStore(tmp_path), {"page": 1}
    given = Limits(cpu_s=10, wall_s=20)
    keep_failure(store, key, Outcome.timeout("too slow"), given)
    found = stored_output(store, key, {})
    assert found == StoredOutput(Outcome.timeout("too slow"), (10, 20))
    assert found.is_final(given, retry=False)
    assert found.is_final(Limits(cpu_s=5, wall_s=20), retry=False)
    assert not found.is_final(Limits(cpu_s=10, wall_s=21), retry=False)
    assert not found.is_final(given, retry=True)
    keep_failure(store, key, Outcome.error("torn"), given)
    found = stored_output(store, key, {})
    assert found == StoredOutput(Outcome.error("torn"))
    assert found.is_final(Limits(cpu_s=99, wall_s=99), retry=False)
    assert StoredOutput(Outcome("x", Status.OK)).is_final(given, retry=True)


def test_pixels_that_failed_when_they_were_observed_are_read_by_a_study(tmp_path, monkeypatch):
    spec = PluginSpec(name="tests.fakes.MendableEngine")
    identity = registry.create("engine", spec).identity()
    store = ArtefactStore(tmp_path)
    reader, page = PageReader(spec, identity, store), np.full((8, 8), 99, np.uint8)
    assert _read_again(page, 0, reader) is None
    # As caches hold it that were written before.
    failure = {"status": "error", "detail": "out of order"}
    store.put("ocr", ocr_key(pixel_digest(page), identity), failure)
    assert stored_text(store, pixel_digest(page), identity) is None
    monkeypatch.setenv(MENDED, "1")
    digest = _read_again(page, 0, reader)
    assert digest == pixel_digest(page)
    read = stored_text(store, digest, identity)
    assert read is not None
    assert read.outcome.status is Status.OK
