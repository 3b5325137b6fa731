"""Engines that take several pages at a time: the same readings, whatever company a page is in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from ohr import registry
from ohr.ocr.files import FileOutputs, file_pages
from ohr.ocr.pools import Runners
from ohr.ocr.sources import find_pages
from ohr.ocr.store import stored_cost
from ohr.registry import PluginSpec
from ohr.store.artefacts import ArtefactStore
from ohr.study.run import run_study
from ohr.types import Status
from ohr.workers import Limits
from tests.builders import load_config, write_corpus
from tests.fakes import TOGETHER

ENGINE = PluginSpec(name="tests.fakes.TogetherEngine")
NOISE = ["engines=[tests.fakes.TogetherEngine]", "noise=[salt_and_pepper,rotation]", "stages=ocr"]


def batches(log: Path) -> list[int]:
    return list(map(int, Path(f"{log}.batches").read_text().split()))


@pytest.mark.slow
def test_a_study_writes_the_same_bytes_whatever_is_read_together(tmp_path, log, monkeypatch):
    settings = write_corpus(tmp_path, documents=3, pages=5)
    settings = [line for line in settings if not line.startswith("cache=")]
    for together in (1, 4):
        monkeypatch.setenv(TOGETHER, str(together))
        config = load_config([*settings, *NOISE, f"cache={tmp_path / str(together)}"])
        run_study(config, tmp_path / f"run-{together}")
    for name in ("rows.parquet", "cells.csv", "cases.zip"):
        one, four = (tmp_path / f"run-{together}" / name for together in (1, 4))
        assert one.read_bytes() == four.read_bytes()
    # Documents have five pages: fours are of several; some failed in company, and were read alone.
    sizes = batches(log)
    assert sizes.count(4) >= 5
    assert sizes[-20:].count(1) > 0


def test_pages_that_cannot_be_drawn_spoil_no_others_and_equal_ones_are_read_once(
    tmp_path, log, monkeypatch
):
    monkeypatch.setenv(TOGETHER, "8")
    folder = tmp_path / "pages"
    folder.mkdir()
    page = np.full((40, 40), 255, np.uint8)
    for name in ("a", "b", "c"):
        Image.fromarray(page).save(folder / f"{name}.png")
    Image.fromarray(page // 2).save(folder / "d.png")
    (folder / "e.png").write_bytes(b"no image at all")
    engine = registry.ocr_engine(ENGINE)
    pages = file_pages(list(find_pages([folder], 150)), ENGINE, engine, hand_over_pdfs=False)
    store = ArtefactStore(tmp_path / "cache")
    readings = FileOutputs(ENGINE, engine.identity(), store, Limits(), Runners(1))
    readings.make(pages, lambda _: None)
    found = [readings.stored(page).outcome for page in pages]
    assert [one.status for one in found] == [Status.OK] * 4 + [Status.ERROR]
    assert "e.png" in found[-1].detail
    assert len(log.read_text().split()) <= 2 + 2  # two images, and those that failed in company
    taken = [stored_cost(store, page.key, engine.identity()) for page in pages[:4]]
    assert all(one["wall_s"] > 0 for one in taken)
