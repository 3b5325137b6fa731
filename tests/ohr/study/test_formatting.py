"""Formatting noise in studies: laid on the ground truth, paired, and measured without mark-up."""

from __future__ import annotations

import dataclasses

import pytest

from ohr.errors import ConfigError
from ohr.figures.sources import source_curves
from ohr.ocr import rewriting
from ohr.ocr.noise import Noise
from ohr.ocr.progress import Progress
from ohr.ocr.rewriting import rewrite_pages
from ohr.registry import PluginSpec
from ohr.store.artefacts import ArtefactStore
from ohr.study import knowledge_bases
from ohr.study.config import load_config
from ohr.study.knowledge_bases import KnowledgeBases
from ohr.study.plan import Variant, load_dataset, make_plan
from ohr.study.run import run_study
from ohr.study.scoring.metrics import make_metrics, plan_metrics
from ohr.types import Outcome, PageRef
from ohr.workers import forked
from tests.builders import qa, write_corpus, write_kb, write_questions

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
    found = rewrite_pages(pages, refs, Noise(PluginSpec(name=FAKE), "", 1.0), 0).pages
    assert found == pages | {
        refs[0]: dataclasses.replace(pages[refs[0]], value=r"\textbf{two} \textbf{words}")
    }


def test_several_processes_write_the_text_of_one(corpus, monkeypatch):
    monkeypatch.setattr(rewriting, "spare_cores", lambda workers: workers - 1)
    monkeypatch.setattr(forked, "spare_cores", lambda workers: workers - 1)
    plan, pages = pages_of(corpus, intensity=0)
    noise = Noise(PluginSpec(name="ocr_errors"), "", 0.3)
    alone = rewrite_pages(pages, plan.reread, noise, 7)
    shared = rewrite_pages(pages, plan.reread, noise, 7, workers=3)
    assert alone.pages == shared.pages != pages
    assert alone.copies_cpu_s == 0 < shared.copies_cpu_s


def test_copies_are_made_after_a_process_has_seen_the_pages(corpus, monkeypatch):
    workers = []

    def spy(pages, refs, noise, seed, count):
        workers.append(count)
        return rewrite_pages(pages, refs, noise, seed)

    monkeypatch.setattr(knowledge_bases, "rewrite_pages", spy)
    monkeypatch.setattr(knowledge_bases, "is_large", lambda plan: True)
    config = load_config([*corpus, "engines=[gt]", "workers=2"])
    plan = make_plan(config, load_dataset(config))
    bases = KnowledgeBases(plan, ArtefactStore(config.cache))
    for name, intensity in ((FAKE, 0.2), (FAKE, 0.4), ("ocr_errors", 0.2)):
        noise = Noise(PluginSpec(name=name), "", intensity)
        bases.knowledge_base(Variant(PluginSpec(name="gt"), noise, config.seed))
    assert workers == [1, 2, 1], "a copy has what was remembered of the pages"


@pytest.mark.parametrize("engine", ["tesseract", "precomputed:gt", "tests.fakes.LoggingEngine"])
def test_other_engines_are_refused_when_the_run_is_planned(corpus, engine):
    config = load_config([*corpus, f"engines=[{engine}]", f"noise=[{FAKE}]"])
    with pytest.raises(ConfigError, match="its engine is gt"):
        make_plan(config, load_dataset(config))


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
    assert all(f">{name}<" in svg for name in ("text", "table", "all", "mark-up left out"))
    clean = result.cells[result.cells["noise"] == "none"]
    assert source_curves(clean, tmp_path / "three") == []
