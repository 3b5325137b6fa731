from __future__ import annotations

from collections import Counter

import pytest

from ohr import registry
from ohr.errors import ConfigError, OhrError
from ohr.ocr.noise import set_dpi
from ohr.registry import PluginSpec
from ohr.study.calibration import CalibratedCurve, Calibration, fit
from ohr.study.loading import load_dataset
from ohr.study.output.cells import planned_cells
from ohr.study.output.groups import group_names
from ohr.study.plan import make_plan
from tests.builders import load_config, write_corpus

FAKE = "tests.fakes.LoggingEngine"


def plan(settings, *more):
    config = load_config([*settings, *more])
    return make_plan(config, load_dataset(config))


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    return write_corpus(tmp_path_factory.mktemp("corpus"))


def test_every_engine_meets_every_noise_once(settings):
    made = plan(
        settings, f"engines=[{FAKE}]", "noise=[rotation,psf_blur]", "intensities=[0,0.3]",
        "levels=[mild]", "ground_truth=true",
    )  # fmt: skip
    labels = [variant.label for variant in made.variants]
    assert labels == ["gt, clean", f"{FAKE}, clean"] + [
        f"{FAKE}, {operator} {what}"
        for operator in ("rotation", "psf_blur")
        for what in ("mild", "0", "0.3")
    ]


def test_the_ground_truth_beside_engines_of_images_is_their_clean_ceiling(settings):
    both = plan(settings, f"engines=[gt,{FAKE}]", "noise=[rotation]", "levels=[mild]")
    labels = [variant.label for variant in both.variants]
    assert labels == ["gt, clean", f"{FAKE}, clean", f"{FAKE}, rotation mild"]
    with pytest.raises(ConfigError, match=r"'rotation' distorts page images.* reads none"):
        plan(settings, "engines=[gt]", "noise=[rotation]")


def test_engines_that_noise_does_not_befall_stand_clean_beside_those_that_it_does(settings):
    made = plan(
        settings, f"engines=[gt,precomputed:gt,{FAKE}]", "noise=[formatting,rotation]",
        "levels=[mild]",
    )  # fmt: skip
    assert [variant.label for variant in made.variants] == [
        "gt, clean", "gt, formatting mild", "precomputed:gt, clean", f"{FAKE}, clean",
        f"{FAKE}, rotation mild",
    ]  # fmt: skip
    with pytest.raises(ConfigError, match=r"'formatting' rewrites .* its engine is gt"):
        plan(settings, f"engines=[{FAKE}]", "noise=[rotation,formatting]", "levels=[mild]")


def test_the_ceiling_needs_no_curve_for_a_wanted_amount_of_noise(settings, tmp_path):
    operator = registry.create("perturbation", set_dpi(PluginSpec(name="rotation"), 100))
    curve = CalibratedCurve(
        engine=FAKE,
        operator="rotation",
        engine_identity=registry.create("engine", FAKE).identity(),
        operator_identity=operator.identity(),
        metric="r_noise",
        curve=fit([0.0, 1.0], [0.2, 0.8]),
        n=10,
    )
    Calibration(dataset="", unit="page", curves=(curve,)).write(tmp_path / "calibration.json")
    both = plan(
        settings, f"engines=[gt,{FAKE}]", "noise=[rotation]", "r_noise=[0.5]", "dpi=100",
        f"calibration={tmp_path / 'calibration.json'}",
    )  # fmt: skip
    labels = [variant.label for variant in both.variants]
    assert labels == ["gt, clean", f"{FAKE}, clean", f"{FAKE}, rotation r_noise=0.5"]
    for twice in ("[0.5,0.5]", "[0.5,0.5000001]"):
        with pytest.raises(ConfigError, match="wanted amount is given twice"):
            plan(
                settings, f"engines=[{FAKE}]", "noise=[rotation]", f"r_noise={twice}", "dpi=100",
                f"calibration={tmp_path / 'calibration.json'}",
            )  # fmt: skip


def test_levels_are_the_default_unless_intensities_are_given(settings):
    assert len(plan(settings, f"engines={FAKE}", "noise=rotation").variants) == 4
    assert len(plan(settings, f"engines={FAKE}", "noise=rotation", "intensities=0.1").variants) == 2


def test_scope_and_selection(settings):
    everything = plan(settings)
    assert len(everything.questions) == 24
    assert len(everything.reread) == 12
    one = plan(settings, "dataset.documents=law/doc1")
    assert {ref.doc_id for ref in one.reread} == {"law/doc1"}
    assert len(one.questions) == 8
    assert one.domains == ("law",)
    few = plan(settings, "dataset.limit=3", "dataset.pages=evidence")
    assert len(few.questions) == 3
    assert set(few.reread) == {ref for q in few.questions for ref in q.evidence_pages}
    assert plan(settings, "dataset.limit=3", "seed=1").questions != few.questions
    assert few.kb_scope == "evidence"
    assert group_names(one) == ["all", "source:text", "domain:law", "form:String"]


def test_reference_protocol_exchanges_chunker_and_retriever(settings):
    made = plan(settings, "scoring=reference")
    assert made.retrievers["bm25"].name == "bm25_reference"
    assert made.chunkers["tokens"].params.reserve == 30
    assert made.chunkers["tokens"].params.keep_empty


def test_planned_cells_have_unique_keys(settings):
    cells = planned_cells(
        plan(settings, f"engines=[gt,{FAKE}]", "retrievers=[bm25,bm25_reference]")
    )
    assert len(cells) == len(set(cells)) > 100


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["engines=gt", "noise=rotation"], r"'rotation' distorts page images, but engine 'gt'"),
        (["engines=tesserakt"], r"unknown engine 'tesserakt'; did you mean 'tesseract'\?"),
        (["noise=smudge", f"engines={FAKE}"], "unknown perturbation 'smudge'"),
        (
            ["noise=rotation", f"engines={FAKE}", "levels=[mildly]"],
            "unknown level 'mildly'; known: mild, moderate, severe",
        ),
        (["engines=[gt,gt]"], "engine 'gt' is given twice"),
        (
            [f"engines=[{{name: {FAKE}, label: gt}}]", "ground_truth=true"],
            "engine 'logging' has the label gt of the ground truth",
        ),
        ([f"engines={FAKE}", "noise=[rotation,rotation]"], "given twice"),
        (["dataset.documents=law/doc9"], "no document 'law/doc9' among 3; .* like"),
        (["engines=[precomputed:theris]"], "no folder of a precomputed .* 'theris'; known in"),
        (["engines=[precomputed:~nobody_of_this_name/kb]"], "'~nobody_of.*home directory"),
        ([f"engines=[precomputed:{'x' * 300}]"], "no folder of a precomputed .*too long"),
        (["retrievers=[]"], "need retrievers"),
        (["readers=[]"], "need readers"),
        ([f"engines={FAKE}", "dataset.pdfs="], "have no PDF .*dataset.pdfs"),
        (["dataset.kind=folders"], "unknown dataset 'folders'; did you mean 'folder'"),
        (["dataset.params={colour: red}"], "dataset 'ohrbench': unknown parameter 'colour'"),
    ],
)
def test_what_cannot_run_is_refused_before_it_costs_anything(settings, more, message):
    with pytest.raises(OhrError, match=message):
        plan(settings, *more)


def test_an_engine_of_pdfs_meets_no_distorted_image(settings):
    pdf = "tests.pdf_fakes.PdfEngine"
    assert [v.label for v in plan(settings, f"engines=[{pdf}]", "ground_truth=false").variants] == [
        f"{pdf}, clean"
    ]
    with pytest.raises(ConfigError, match=r"'rotation' distorts page images.* reads PDFs"):
        plan(settings, f"engines=[{pdf}]", "noise=rotation")


def test_an_engine_of_pdfs_needs_pdfs(settings):
    with pytest.raises(ConfigError, match=r"'pdf_text' reads PDFs, but .* documents have no PDF"):
        plan([s for s in settings if not s.startswith("dataset.pdfs")], "engines=[pdf_text]")


def asked(made):
    return [question.qid for question in made.questions]


@pytest.fixture(scope="module")
def sample_settings(sample_cache):
    return [f"dataset.params={{cache: {sample_cache}}}", "stages=[retrieval]"]


def test_questions_drawn_evenly_have_as_many_of_each_domain_and_source(sample_settings):
    every = plan(sample_settings).questions
    strata = Counter((q.domain, q.evidence_source) for q in every)
    drawn = plan(sample_settings, "dataset.limit=20", "dataset.even=true").questions
    counts = Counter((q.domain, q.evidence_source) for q in drawn)
    assert sum(counts.values()) == 20
    for stratum, there in strata.items():
        assert counts[stratum] >= min(there, max(counts.values()) - 1)
    assert len({q.evidence_pages for q in drawn}) < len(drawn)  # pages come whole


@pytest.mark.parametrize("even", ["false", "true"])
def test_questions_passed_over_are_those_that_are_drawn_without(sample_settings, even):
    first, second, both = (
        asked(
            plan(sample_settings, f"dataset.even={even}", f"dataset.limit={n}", f"dataset.skip={s}")
        )
        for n, s in ((12, 0), (8, 12), (20, 0))
    )
    assert sorted(first + second) == sorted(both)
    assert not set(first) & set(second)
    with pytest.raises(ConfigError, match=r"dataset\.skip: there are only \d+ questions"):
        plan(sample_settings, f"dataset.even={even}", "dataset.skip=1000000")


def test_a_level_is_not_what_a_parameter_says(settings):
    noise = "noise=[{name: semantic, params: {draw: weak}}]"
    with pytest.raises(ConfigError, match="sets draw=weak, and its level 'severe' is draw=two"):
        plan(settings, noise, "levels=[severe]", f"engines=[{FAKE}]")
    same = plan(settings, noise, "levels=[mild]", f"engines=[{FAKE}]")
    assert any(variant.noise.level == "mild" for variant in same.variants)
