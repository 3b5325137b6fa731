"""Retrievers and readers that look at page images, in a study."""

from __future__ import annotations

import json

import pytest

from ohr.analysis.attribution.table import make_losses
from ohr.errors import ConfigError, OhrError, PluginError
from ohr.ocr.progress import Progress, Silent
from ohr.study.loading import load_dataset
from ohr.study.plan import make_plan
from ohr.study.run import run_study
from rag.retrievers.late_interaction import LateInteraction
from tests.builders import load_config, write_corpus
from tests.fakes import LOG
from tests.image_fakes import Darkest, PixelReader
from tests.ocr_backends.checkpoints import written as seeing
from tests.rag.vision_checkpoints import written

DARKEST = "{name: tests.image_fakes.Darkest, label: darkest}"
PIXELS = "{name: tests.image_fakes.PixelReader, label: pixels}"


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    monkeypatch.setenv(LOG, str(tmp_path / "read.log"))
    Darkest.seen.clear()
    PixelReader.asked.clear()
    return [
        *write_corpus(tmp_path, documents=2, pages=3),
        "engines=[tests.fakes.LoggingEngine]",
        "noise=[salt_and_pepper]",
        "intensities=[0,0.5]",
        "stages=[ocr,retrieval]",
    ]


def run(settings, out, *more):
    return run_study(load_config([*settings, *more]), out, progress=Progress())


def test_a_retriever_is_shown_the_very_pictures_that_the_engine_reads(corpus, tmp_path):
    run(corpus, tmp_path / "run", f"retrievers=[{DARKEST}]")
    read = set((tmp_path / "read.log").read_text().split())
    assert len(read) == 9  # six pages distorted, and clean, where the two documents are alike
    assert {pixels for _, _, pixels in Darkest.seen} == read
    assert len({ref for ref, _, _ in Darkest.seen}) == 6
    by_recipe = {recipe: pixels for _, recipe, pixels in Darkest.seen}
    assert all(by_recipe[recipe] == pixels for _, recipe, pixels in Darkest.seen)


@pytest.mark.slow
def test_noise_of_no_intensity_is_the_clean_picture(corpus, tmp_path):
    result = run(corpus, tmp_path / "run", f"retrievers=[{DARKEST}]")
    cells = result.cells[result.cells["metric"] == "hit@2"]
    assert set(cells["intensity"]) == {0.0, 0.5}
    assert len(Darkest.seen) == 12  # clean and intensity 0 are one


@pytest.mark.slow
def test_rankings_are_kept_and_a_run_again_has_the_same_bytes(corpus, tmp_path):
    run(corpus, tmp_path / "one", f"retrievers=[bm25,{DARKEST}]")
    Darkest.seen.clear()
    run(corpus, tmp_path / "two", f"retrievers=[bm25,{DARKEST}]")
    assert not Darkest.seen
    for name in ("rows.parquet", "cells.csv", "cases.zip"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


@pytest.mark.slow
def test_its_rows_stand_beside_those_of_other_retrievers(corpus, tmp_path):
    result = run(corpus, tmp_path / "run", f"retrievers=[bm25,{DARKEST}]", "noise=[]")
    cells = result.cells[(result.cells["stage"] == "retrieval") & (result.cells["group"] == "all")]
    means = cells.set_index(["retriever", "metric"])["mean"]
    assert result.missing == []
    # Page 2 of each document has the longest bar, page 1 the next.
    assert means["darkest", "hit@2"] == pytest.approx(2 / 3)
    assert set(result.rows["retriever"]) >= {"bm25", "darkest"}


def test_a_page_without_a_picture_is_a_miss_and_counted(corpus, tmp_path):
    pdf = tmp_path / "pdfs" / "law" / "doc1.pdf"
    pdf.write_bytes(pdf.read_bytes()[:300])
    result = run(corpus, tmp_path / "run", f"retrievers=[{DARKEST}]", "noise=[]", "top_k=9")
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    [base] = manifest["knowledge_bases"].values()
    assert manifest["image_retrievers"]["darkest"]["name"] == "darkest"
    assert base["unseen_pages"]["darkest"]["by_status"] == {"error": 3}
    assert any("images for darkest: 3 errors" in line for line in result.failures)
    rows = result.rows
    rows = rows[(rows["stage"] == "retrieval") & (rows["metric"] == "hit@9")]
    law = rows["qid"].isin([f"q{n}" for n in (1000, 1001, 1010, 1011, 1020, 1021)])
    assert set(rows.loc[law, "status"]) == {"error"}
    assert set(rows.loc[law, "value"]) == {0.0}
    assert set(rows.loc[~law, "status"]) == {"ok"}
    assert set(rows.loc[~law, "value"]) == {1.0}


@pytest.mark.slow
def test_pages_that_fail_alike_stop_a_run(corpus, tmp_path):
    for pdf in (tmp_path / "pdfs").rglob("*.pdf"):
        pdf.write_bytes(pdf.read_bytes()[:300])
    with pytest.raises(OhrError, match="3 pages in a row failed alike"):
        run(corpus, tmp_path / "run", f"retrievers=[{DARKEST}]", "engines=[gt]", "noise=[]",
            "stop_after_failures=3")  # fmt: skip


def test_pictures_need_pdfs(corpus):
    config = load_config([*corpus, "dataset.pdfs=", "engines=[gt]", "noise=[]",
                          f"retrievers=[{DARKEST}]"])  # fmt: skip
    with pytest.raises(ConfigError, match="retriever 'darkest' looks at page images"):
        make_plan(config, load_dataset(config))


def test_a_hit_on_a_page_that_was_not_shown_is_the_plugins_fault(corpus, tmp_path):
    with pytest.raises(PluginError, match="image it did not get"):
        run(corpus, tmp_path / "run", "retrievers=[tests.image_fakes.Elsewhere]", "noise=[]")


@pytest.mark.slow
def test_ground_truth_has_clean_pictures(corpus, tmp_path):
    run(corpus, tmp_path / "run", f"retrievers=[{DARKEST}]", "ground_truth=true")
    assert len(Darkest.seen) == 12  # gt's are the engine's clean ones


def test_attribution_swaps_texts_alone(corpus):
    config = load_config([*corpus, f"retrievers=[{DARKEST}]", "stages=[ocr,retrieval,overall]"])
    with pytest.raises(ConfigError, match="looks at"):
        make_losses(make_plan(config, load_dataset(config)), Silent())


# --- readers ---------------------------------------------------------------------------


@pytest.mark.slow
def test_a_reader_is_shown_the_pages_of_its_context(corpus, tmp_path):
    settings = [*corpus, f"readers=[{PIXELS}]", "stages=[ocr,generation,overall]"]
    result = run(settings, tmp_path / "run", f"retrievers=[{DARKEST},bm25]")
    asked = len(PixelReader.asked)
    assert result.missing == []
    run(settings, tmp_path / "again", f"retrievers=[{DARKEST},bm25]")
    assert len(PixelReader.asked) == asked  # every answer was kept
    assert (tmp_path / "run/cases.zip").read_bytes() == (tmp_path / "again/cases.zip").read_bytes()


@pytest.mark.slow
def test_an_answer_from_pictures_does_not_depend_on_their_text(corpus, tmp_path):
    settings = [*corpus, f"readers=[{PIXELS}]", "stages=[ocr,generation]", "noise=[]"]
    run(settings, tmp_path / "one")
    asked = len(PixelReader.asked)
    run(settings, tmp_path / "two", "engines=[gt]")
    assert len(PixelReader.asked) == asked


# --- real code -------------------------------------------------------------------------


@pytest.mark.torch
@pytest.mark.slow
def test_models_in_a_study_and_one_that_was_killed_ends_with_the_same_bytes(
    corpus, tmp_path, monkeypatch
):
    late = {"name": "late_interaction", "params": {"model": str(written("colqwen2")), "pool": 2,
            "device": "cpu"}}  # fmt: skip
    fused = {"name": "hybrid", "params": {"retrievers": ["bm25", late]}}
    reader = {"name": "transformers", "params": {"model": str(seeing("qwen_vl")), "device": "cpu",
              "max_new_tokens": 2, "read": "both", "image_side": 200}}  # fmt: skip
    given = [*corpus, f"retrievers={json.dumps([late, fused])}", f"readers={json.dumps([reader])}",
             "stages=[ocr,retrieval,overall]", "dataset.limit=4"]  # fmt: skip
    whole = run(given, tmp_path / "whole", f"cache={tmp_path / 'other'}")
    assert whole.missing == []
    assert not whole.failures

    def dies(self, images, encode=LateInteraction.encode_pages, calls=[]):  # noqa: B006
        calls.append(images)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return encode(self, images)

    with monkeypatch.context() as patch:
        patch.setattr(LateInteraction, "encode_pages", dies)
        with pytest.raises(KeyboardInterrupt):
            run(given, tmp_path / "killed")
    run(given, tmp_path / "killed")
    for name in ("rows.parquet", "cells.csv", "cases.zip"):
        there = [(tmp_path / run_name / name).read_bytes() for run_name in ("whole", "killed")]
        assert there[0] == there[1]
