"""Engines that invent at a loaded rate are measured at that rate."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from ohr.analysis.inventions.reading import Reading, image_engine, read_variants
from ohr.analysis.inventions.table import ALL, count_pages, summarise
from ohr.analysis.inventions.variants import Design, Variant, draw_variants
from ohr.errors import ConfigError
from ohr.ocr.progress import Progress
from ohr.registry import PluginSpec
from ohr.types import Outcome
from tests.ohr.inventions.drawn import TRUTH, load_pages, write_pages

INVENTOR = "tests.ohr.inventions.drawn.Inventor"
RATES = (0.0, 0.02, 0.1, 0.35, 0.8)


def inventor(**params: object) -> PluginSpec:
    return PluginSpec(name=INVENTOR, label=str(params), params=params)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("drawn")
    write_pages(folder)
    return folder


@pytest.fixture
def measured(pages, tmp_path, monkeypatch):
    monkeypatch.setenv(TRUTH, str(pages))

    def measure(design: Design, *engines: PluginSpec) -> pd.DataFrame:
        loaded = load_pages(pages)
        variants = draw_variants(loaded, design, tmp_path / "drawn", lambda *_: None)
        outcomes = read_variants(variants, Reading(engines, tmp_path / "cache"), Progress())
        return summarise(count_pages(loaded, variants, outcomes))

    return measure


def value(summary: pd.DataFrame, engine: PluginSpec, measure: str, kind: str = ALL) -> float:
    rows = summary[(summary["engine"] == engine.label) & (summary["measure"] == measure)]
    [mean] = rows[(rows["kind"] == kind) & rows["dose"].isna()]["mean"]
    return float(mean)


@pytest.mark.slow
def test_the_rate_of_covered_words_is_found_within_a_hundredth(measured):
    engines = [inventor(rate=rate) for rate in RATES]
    summary = measured(Design(textless=0, repeats=False), *engines)
    for engine, rate in zip(engines, RATES, strict=True):
        assert value(summary, engine, "excess") == pytest.approx(rate, abs=0.01)
        assert value(summary, engine, "new") == 0
    by_dose = summary[summary["dose"].notna() & (summary["measure"] == "excess")]
    assert by_dose["dose"].nunique() == 5
    assert by_dose[by_dose["engine"] == engines[0].label]["mean"].eq(0).all()
    pooled = summary[(summary["measure"] == "excess") & (summary["kind"] == ALL)]
    assert (pooled["ci_low"] <= pooled["mean"]).all()
    assert (pooled["ci_high"] >= pooled["mean"]).all()
    assert summary[summary["measure"] == "excess"]["n"].min() > 30


@pytest.mark.slow
def test_words_written_whatever_the_page_are_chance(measured):
    """The engine writes all words of all pages: all covered words come out, and all controls."""
    engine = inventor(dump=True)
    design = Design(doses=(0.2,), covers=("white",), textless=0, repeats=False)
    summary = measured(design, engine)
    assert value(summary, engine, "written") == 1
    assert value(summary, engine, "chance") == 1
    assert value(summary, engine, "excess") == 0


@pytest.mark.slow
def test_a_sentence_on_every_page_is_found_where_there_is_no_text(measured):
    engine, silent = inventor(chatty=True), inventor()
    summary = measured(Design(doses=(), textless=2), engine, silent)
    assert value(summary, engine, "any") == 1
    assert value(summary, engine, "words") == 7
    assert value(summary, engine, "longest", "photograph") == 7
    assert value(summary, silent, "any") == value(summary, silent, "words") == 0
    assert value(summary, engine, "gone", "jpeg") == 0


def test_an_engine_of_pdfs_is_refused():
    with pytest.raises(ConfigError, match="reads PDFs, not page images"):
        image_engine(PluginSpec(name="tests.pdf_fakes.PdfEngine"))
    with pytest.raises(ConfigError, match="reads no pages"):
        image_engine(PluginSpec(name="gt"))


def test_a_page_that_failed_invents_nothing_and_is_counted(pages, tmp_path):
    loaded = load_pages(pages)[:1]
    variants = [
        Variant("clean", "", 0.0, 0, loaded[0].ref, loaded[0].source),
        Variant("hidden", "white", 0.1, 0, loaded[0].ref, loaded[0].source, (0, 1, 2)),
        Variant("repeat", "jpeg", 0.0, 0, loaded[0].ref, loaded[0].source),
    ]
    text = " ".join(piece.text for piece in loaded[0].pieces)
    failed: Outcome[str] = Outcome.timeout("too long")
    counts = count_pages(loaded, variants, {"e": [Outcome(text), failed, failed]})
    summary = summarise(counts).set_index("measure")
    assert counts["status"].tolist() == ["timeout", "timeout"]
    assert set(summary["n_timeout"]) == {1}
    assert summary.loc["gone", "mean"] == 1
    assert summary["mean"]["excess"].eq(0).all()


def test_drawn_pages_are_drawn_once_and_again_if_one_is_gone(pages, tmp_path):
    loaded = load_pages(pages)[:1]
    design = Design(doses=(0.1,), textless=1)

    def draw() -> dict[Path, int]:
        variants = draw_variants(loaded, design, tmp_path, lambda *_: None)
        assert len(variants) == sum(design.images(1, 1).values())
        return {v.source.path: v.source.path.stat().st_mtime_ns for v in variants}

    first = draw()
    assert draw() == first
    gone = next(path for path in first if "jpeg" in path.name)
    before = gone.read_bytes()
    gone.unlink()
    assert set(draw()) == set(first)
    assert gone.read_bytes() == before
