"""Formatting noise in studies: laid on the ground truth, paired, and measured without mark-up."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import signal

import pytest

from ohr.errors import ConfigError, PluginError
from ohr.figures.sources import source_curves
from ohr.ocr import rewriting
from ohr.ocr.noise import Noise
from ohr.ocr.progress import Progress
from ohr.ocr.rewriting import PageRewriter
from ohr.registry import PluginSpec
from ohr.store.artefacts import ArtefactStore
from ohr.study.knowledge_bases import KnowledgeBases
from ohr.study.loading import load_dataset
from ohr.study.metrics import make_metrics, plan_metrics
from ohr.study.plan import Variant, make_plan
from ohr.study.run import run_study
from ohr.types import Outcome, PageRef
from ohr.workers import forked
from tests.builders import load_config, qa, write_corpus, write_kb, write_questions

FAKE = "tests.fakes.Embolden"
NOISE = ["engines=[gt]", f"noise=[{FAKE}]", "intensities=[0,0.4,1]", "scoring=reference"]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_corpus(tmp_path_factory.mktemp("corpus"))


@pytest.fixture(scope="module")
def study(corpus, tmp_path_factory):
    out = tmp_path_factory.mktemp("run")
    return run_study(load_config([*corpus, *NOISE]), out / "first", progress=Progress()), out


def pages_of(corpus, *settings, intensity=0.4):
    config = load_config([*corpus, "engines=[gt]", *settings])
    plan = make_plan(config, load_dataset(config))
    noise = Noise(PluginSpec(name=FAKE), "", intensity)
    readings = KnowledgeBases(plan, ArtefactStore(config.cache))
    return plan, readings.knowledge_base(Variant(PluginSpec(name="gt"), noise, config.seed)).pages


def mean(cells, **wanted):
    for name, value in wanted.items():
        cells = cells[cells[name] == value]
    assert len(cells) == 1
    return cells["mean"].iloc[0]


@pytest.mark.slow
def test_commands_of_style_cost_the_raw_measures_alone(study):
    cells = study[0].cells
    cells = cells[cells["group"] == "all"]
    clean = {m: mean(cells, noise="none", metric=m) for m in ("lcs", "lcs_stripped")}
    for intensity in (0, 0.4, 1):
        noisy = cells[(cells["noise"] == "formatting") & (cells["intensity"] == intensity)]
        assert mean(noisy, metric="lcs_stripped") == clean["lcs_stripped"]
        assert (mean(noisy, metric="edit_distance") > 0) == (intensity > 0)
        assert mean(noisy, metric="r_noise_content") == 0
    assert mean(cells, noise="formatting", intensity=0.0, metric="lcs") == clean["lcs"]
    assert mean(cells, noise="formatting", intensity=1.0, metric="lcs") < clean["lcs"]
    distances = cells[cells["metric"] == "edit_distance"].set_index("intensity")["mean"]
    assert distances[1.0] > distances[0.4]


def test_a_study_repeats_to_the_byte(study, corpus):
    result, out = study
    run_study(load_config([*corpus, *NOISE]), out / "second", progress=Progress())
    for name in ("cells.csv", "rows.parquet"):
        assert (out / "first" / name).read_bytes() == (out / "second" / name).read_bytes()
    assert result.missing == []


def test_mark_up_is_left_out_only_where_formats_differ():
    def retrieval(*settings):
        config = load_config(list(settings))
        metric_infos = plan_metrics(config, make_metrics(config))
        return [info.metric for info in metric_infos if info.stage == "retrieval"]

    plain = ["lcs", "page_not_found", "text_missing", "hit@2", "mrr@2", "ndcg@2"]
    assert retrieval("noise=[salt_and_pepper]") == plain
    assert retrieval("engines=[gt,{name: gt, params: {tables: as_is}, label: b}]") == plain
    both = [*plain[:3], "lcs_stripped", *plain[3:]]
    assert retrieval(f"noise=[{FAKE}]") == both
    assert retrieval("engines=[{name: gt, params: {tables: html}}]") == both


def test_a_pages_noise_owes_nothing_to_the_other_pages(corpus):
    plan, every = pages_of(corpus)
    _, one = pages_of(corpus, "dataset.documents=[manual/doc2]")
    changed = [ref for ref in one if one[ref].value != plan.dataset.pages[ref].text]
    assert changed
    assert {ref.doc_id for ref in changed} == {"manual/doc2"}
    assert all(one[ref] == every[ref] for ref in changed)
    _, other = pages_of(corpus, "seed=1")
    assert other != every


def test_edits_nest_in_the_intensity(corpus):
    _, weak = pages_of(corpus, intensity=0.3)
    _, strong = pages_of(corpus, intensity=0.6)
    for ref in weak:
        few, many = weak[ref].value.split(" "), strong[ref].value.split(" ")
        for one, other in zip(few, many, strict=True):
            assert other == one or other == rf"\textbf{{{one}}}"


def test_pages_without_text_stay_as_they_are():
    refs = [PageRef("a", number) for number in range(4)]
    pages = {
        refs[0]: Outcome.of_text("two words"),
        refs[1]: Outcome.of_text(""),
        refs[2]: Outcome.error("missing"),
    }
    noisy = PageRewriter(pages, refs).rewrite(Noise(PluginSpec(name=FAKE), "", 1.0), 0)
    assert noisy == pages | {
        refs[0]: dataclasses.replace(pages[refs[0]], value=r"\textbf{two} \textbf{words}")
    }


@pytest.fixture
def text_workers(monkeypatch):
    """Processes for the noise in text, whatever the machine."""
    for module in (rewriting, forked):
        monkeypatch.setattr(module, "spare_cores", lambda workers: workers - 1)
    monkeypatch.setattr("ohr.study.plan.FEWEST_UNITS", 0)


def test_several_processes_write_the_text_of_one(corpus, text_workers):
    plan, pages = pages_of(corpus, intensity=0)
    several = PageRewriter(pages, plan.reread, workers=3)
    with contextlib.closing(several):
        for name, seed in (("ocr_errors", 7), ("ocr_errors", 8), (FAKE, 7)):
            noise = Noise(PluginSpec(name=name), "", 0.3)
            alone = PageRewriter(pages, plan.reread).rewrite(noise, seed)
            assert alone == several.rewrite(noise, seed) != pages


def test_a_process_that_has_ended_is_replaced(corpus, text_workers, caplog):
    plan, pages = pages_of(corpus, intensity=0)
    noise = Noise(PluginSpec(name="ocr_errors"), "", 0.3)
    several = PageRewriter(pages, plan.reread, workers=3)
    with contextlib.closing(several):
        first = several.rewrite(noise, 7)
        os.kill(several._copies[0].pid, signal.SIGKILL)
        assert several.rewrite(noise, 7) == first
        assert "has ended" in caplog.text
    assert several.rewrite(noise, 7) == first, "the processes were closed"


def test_an_operator_that_fails_in_another_process_says_why(corpus, text_workers):
    plan, pages = pages_of(corpus, intensity=0)
    with contextlib.closing(PageRewriter(pages, plan.reread, workers=3)) as several:
        noise = Noise(PluginSpec(name="tests.fakes.FailsOnFact10"), "", 0.3)
        with pytest.raises(PluginError, match="doc0 page 2: ValueError: no more facts"):
            several.rewrite(noise, 7)


@pytest.mark.slow
def test_seconds_of_all_processes_are_counted_once(corpus, text_workers, tmp_path):
    noise = ["noise=[tests.fakes.UsesCpu]", "intensities=[0.5,1]"]
    config = load_config([*corpus, *noise, "engines=[gt]", "workers=3"])
    before = os.times()
    run = run_study(config, tmp_path / "run")
    after = os.times()
    spent = sum(after[:4]) - sum(before[:4])
    counted = sum(stage["cpu_s"] for stage in run.manifest["seconds"].values())
    assert spent / 2 < counted <= spent + 0.1


@pytest.mark.parametrize("engine", ["tesseract", "precomputed:gt", "tests.fakes.LoggingEngine"])
def test_other_engines_are_refused_when_the_run_is_planned(corpus, engine):
    config = load_config([*corpus, f"engines=[{engine}]", f"noise=[{FAKE}]"])
    with pytest.raises(ConfigError, match="its engine is gt"):
        make_plan(config, load_dataset(config))


@pytest.mark.slow
def test_curves_by_evidence_source(tmp_path):
    write_kb(
        tmp_path / "kb/gt", {"law/a": ["Fact 0 is answer 0. One.", "Fact 1 is answer 1. Two."]}
    )
    entries = [qa(0, "law/a", 0), qa(1, "law/a", 1, evidence_source="table")]
    write_questions(tmp_path / "qas.json", entries)
    settings = [
        "dataset.kind=ohrbench", f"dataset.path={tmp_path / 'kb'}", f"cache={tmp_path / 'cache'}",
        f"dataset.questions={tmp_path / 'qas.json'}", *NOISE,
    ]  # fmt: skip
    result = run_study(load_config(settings), tmp_path / "run", progress=Progress())
    first = source_curves(result.cells, tmp_path / "one")
    second = source_curves(result.cells, tmp_path / "two")
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    svg = first[1].read_text()
    assert all(f">{name}<" in svg for name in ("all", "mark-up left out"))
    assert "not drawn, with fewer than 20 questions or 6 documents: text (n = 1), table" in svg
    clean = result.cells[result.cells["noise"] == "none"]
    assert source_curves(clean, tmp_path / "three") == []
