"""OCR output that is shipped as text: what they say about themselves, and what they refuse."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from benchmarks.shipped_readings import read_demo, readings_of, similarity, some_documents
from ocr_backends import shipped
from ocr_backends.shipped import PageReadings, Readings, truth_digest
from ohr import registry
from ohr.errors import ConfigError
from ohr.plugins.shipped import Condition
from ohr.sample import Sample, SampleParams
from ohr.study.config import make_config
from ohr.study.loading import load_dataset
from ohr.study.plan import make_plan
from ohr.study.presets import preset
from ohr.study.run import run_study
from ohr.types import Page, PageRef, Status

CLEAN = Condition(150)
ROTATED = Condition(150, "rotation", {"levels": 1}, 0.5, 7)
TEXT = "Dock seven holds 41 crates of amber glass."


def page(number: int, text: str = TEXT) -> Page:
    return Page(PageRef("law/dock", number), text, None)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the readings of one page by one engine."""
    rows = [PageReadings("law/dock", 0, truth_digest(TEXT), ["Dock seven holds", ""])]
    identity = {"name": "scribe", "engine_version": "9.1, models abc"}
    Readings(identity, [CLEAN, ROTATED], {"numpy": "2"}, rows).write(tmp_path / "scribe.jsonl.gz")
    monkeypatch.setattr(shipped, "FOLDER", tmp_path)
    return tmp_path


def test_a_reading_is_that_of_its_page_and_condition(folder: Path) -> None:
    engine = registry.create("engine", "shipped:scribe")
    assert engine.reading(page(0), CLEAN).value == "Dock seven holds"
    assert engine.reading(page(0), ROTATED).status is Status.EMPTY


def test_other_pages_texts_and_conditions_are_errors(folder: Path) -> None:
    engine = registry.create("engine", "shipped:scribe")
    for other in (page(1), page(0, TEXT + " Changed.")):
        with pytest.raises(ConfigError, match=r"no output of page \d of law/dock"):
            engine.reading(other, CLEAN)
    with pytest.raises(ConfigError, match=r"at 72 dpi; it has: clean pages at 150 dpi; rotation"):
        engine.reading(page(0), Condition(72))
    with pytest.raises(ConfigError, match=r"no output of 'nobody'.*known: scribe"):
        registry.create("engine", "shipped:nobody")
    with pytest.raises(ConfigError, match="reads no pages"):
        engine.read(np.zeros((9, 9), np.uint8))


def test_it_names_the_engine_that_read(folder: Path) -> None:
    engine = registry.create("engine", "shipped:scribe")
    assert engine.read_by() == "scribe 9.1 at 150 dpi"
    assert "9.1, models abc" in str(engine.identity()["engine_version"])
    assert "rotation 0.5 (levels=1), draw 7, at 150 dpi" in engine.describe()


def test_the_same_readings_are_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    readings, _ = shipped.read_readings(folder / "scribe.jsonl.gz")
    readings.write(tmp_path / "again.jsonl.gz")
    assert (tmp_path / "again.jsonl.gz").read_bytes() == (folder / "scribe.jsonl.gz").read_bytes()


def test_a_study_has_the_readings_and_reads_no_page(
    tmp_path: Path, sample_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = Sample(SampleParams(cache=sample_cache)).load().pages
    rows = [
        PageReadings(ref.doc_id, ref.page_no, truth_digest(p.text), [p.text.replace("e", "c")])
        for ref, p in pages.items()
    ]
    Readings({"name": "scribe", "engine_version": "9"}, [CLEAN], {}, rows).write(
        tmp_path / "scribe.jsonl.gz"
    )
    monkeypatch.setattr(shipped, "FOLDER", tmp_path)
    shutil.copytree(sample_cache, tmp_path / "cache")
    config = make_config(
        {
            "dataset": {"kind": "sample", "limit": 2, "pages": "evidence"},
            "engines": ["gt", "shipped:scribe"],
            "stages": ["ocr"],
            "cache": tmp_path / "cache",
        }
    )
    cells = run_study(config, tmp_path / "run").cells
    of_all = cells[(cells["metric"] == "edit_distance") & (cells["group"] == "all")]
    distances = of_all.set_index("engine")["mean"]
    assert distances["gt"] == 0 < distances["shipped:scribe"] < 0.2
    noisy = make_config({**config.model_dump(), "noise": ["rotation"], "intensities": [0.5]})
    with pytest.raises(ConfigError, match=r"no output of rotation 0\.5"):
        run_study(noisy, tmp_path / "noisy")


@pytest.mark.slow
def test_the_demo_has_readings_of_all_of_its_pages(tmp_path: Path) -> None:
    """The generator still writes the pages that were read."""
    config = make_config({**preset("demo"), "cache": tmp_path})
    plan = make_plan(config, load_dataset(config))
    truths = {
        (ref.doc_id, ref.page_no): truth_digest(plan.dataset.pages[ref].text) for ref in plan.reread
    }
    assert len(truths) == 60
    for name in shipped.shipped_names():
        readings, _ = shipped.read_readings(shipped.readings_file(name))
        assert {(p.doc_id, p.page_no): p.truth for p in readings.pages} == truths, name


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("tesseract") is None, reason="tesseract is not installed")
def test_three_pages_read_anew_have_the_shipped_text(tmp_path: Path) -> None:
    """Another version of the engine, or of OpenCV, may read a few characters otherwise."""
    readings, _ = shipped.read_readings(shipped.readings_file("tesseract"))
    documents = some_documents(readings, 3)
    anew = readings_of(read_demo("tesseract", ["severe"], tmp_path, documents))
    same = similarity(anew, readings)
    assert len(same) == 6
    exact = anew.engine["engine_version"] == readings.engine["engine_version"]
    assert min(value for _, value in same) >= (0.97 if exact else 0.8), same
