"""``import ohr``: everything that README, notebooks and examples use."""

from __future__ import annotations

import ast
import importlib
import json
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import ohr
from experiments.__main__ import GROUPS
from ohr.api.analyses import Analyses, method_of
from ohr.api.study import Options
from ohr.ocr.noise import choose_level
from ohr.ocr.worker import PageTask, distort
from ohr.study.config import StudyConfig
from tests.builders import write_corpus, write_pdf
from tests.conftest import ROOT

REF = ohr.PageRef("law/deed", 2)
CLEAN = np.random.default_rng(0).integers(0, 256, (200, 150, 3), dtype=np.uint8)

EXPORTED = """
Answer Chunk ConfigError Dataset DatasetError Document EngineError Hit KnowledgeBase
MissingDependencyError OhrError Outcome Page PageRef Question Run Status Study chunker dataset
engine errors evaluate known lcs metric mitigation open_run page_image perturb perturbation plugins
r_noise read reader recommend retriever strip_markup system
"""
OF_VERSION_0_1 = """
AnswerCase Applied Chunker DatasetParams DatasetSource Distortion Engine EvidenceCase HitsCase
ImageRepair ImageRetriever KnowledgeBaseSource LateError Level LoadedEngine LoadedNoise Metric
PageCase PageImage PageParams PageRecord Params Plot PluginError Reader Recommendation Retriever
RetrieverChange ShownHit StoreError System SystemReply TextFusion TextPerturbation TextRepair
UnknownPluginError load_images load_metric stage
"""


def test_what_is_exported_is_exactly_this_and_fits_a_screen():
    assert sorted(ohr.__all__) == sorted(EXPORTED.split()) == dir(ohr)
    assert len(dir(ohr)) <= 40
    for name in ohr.__all__:
        assert getattr(ohr, name).__doc__, name
    with pytest.raises(AttributeError, match="'ohr' has no attribute 'studdy'"):
        _ = ohr.studdy


@pytest.mark.filterwarnings("error")
def test_names_of_the_last_release_still_work():
    for name in OF_VERSION_0_1.split():
        assert getattr(ohr, name).__doc__, name
    assert ohr.Engine is ohr.plugins.Engine


def test_the_reference_has_all_of_it_once():
    page = (ROOT / "docs" / "reference" / "python.md").read_text("utf-8")
    paths = re.findall(r"^::: ohr\.([\w.]+)$", page, re.MULTILINE)
    assert len(paths) == len(set(paths))
    modules = {"errors", "plugins"}
    assert {path for path in paths if "." not in path} == set(ohr.__all__) - modules
    for path in paths:
        package, _, name = path.rpartition(".")
        module = importlib.import_module(f"ohr.{package}".rstrip("."))
        assert getattr(module, name).__doc__, path
    documented = {path.rpartition(".")[2] for path in paths}
    assert set(OF_VERSION_0_1.split()) - documented == {"load_metric"}


def test_every_analysis_is_a_method_of_a_run():
    _, commands = GROUPS["analyse"]
    methods = {method_of(command) for command in commands}
    assert methods <= set(vars(Analyses)), methods - set(vars(Analyses))
    assert all(getattr(ohr.Run, name).__doc__ for name in methods)


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        ("ohr", ("numpy", "pandas", "matplotlib", "pydantic", "scipy", "torch", "cv2")),
        ("experiments.noise_curve", ("matplotlib", "scipy", "torch", "transformers", "augraphy")),
    ],
)
def test_importing_it_imports_nothing_heavy(module, heavy):
    code = f"import {module}, sys; print([m for m in sys.argv[1:] if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code, *heavy], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def sources():
    for path in sorted((ROOT / "docs" / "extend").glob("*.py")):
        yield path.name, path.read_text("utf-8")
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        cells = json.loads(path.read_text("utf-8"))["cells"]
        code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        yield path.name, "\n".join(code)


@pytest.mark.parametrize(("name", "code"), list(sources()))
def test_notebooks_and_examples_import_of_the_project_nothing_but_ohr(name, code):
    project = {"ohr", "perturb", "ocr_backends", "rag", "experiments"}
    imported = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            imported.add(node.module)
    assert {m for m in imported if m.partition(".")[0] in project} <= {"ohr"}
    assert "ohr" in imported


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    root = tmp_path_factory.mktemp("front")
    settings = dict(setting.split("=", 1) for setting in write_corpus(root))
    dataset = {
        name.removeprefix("dataset."): value
        for name, value in settings.items()
        if name.startswith("dataset.")
    }
    return root, {"dataset": dataset, "cache": root / "cache", "dpi": 72, "workers": 1}


@pytest.fixture(scope="module")
def run(study):
    root, options = study
    return ohr.Study(
        **options, engines="gt", noise="formatting", levels=["mild", "severe"], seeds=0
    ).run(root / "run", progress=False)


@pytest.mark.slow
def test_a_run_just_made_and_the_same_opened_are_alike(run):
    opened = ohr.open_run(str(run.path))
    assert isinstance(opened, ohr.Run)
    assert opened.path == run.path
    assert opened.manifest == json.loads(json.dumps(run.manifest))
    pd.testing.assert_frame_equal(opened.rows, run.rows)
    pd.testing.assert_frame_equal(opened.cells, run.cells, rtol=0, atol=1e-6)
    for name in ("missing", "failures", "failed", "readers", "config", "name", "seed"):
        assert getattr(opened, name) == getattr(run, name), name
    assert opened.plan.variants == run.plan.variants
    assert [q.qid for q in opened.plan.questions] == [q.qid for q in run.plan.questions]


def test_a_run_of_failures_says_so_when_it_is_opened_too(study):
    root, options = study
    run = ohr.Study(
        **options,
        readers="tests.faults.plugins.MendableReader",
        stages="generation",
        stop_after_failures=0,
    ).run(root / "failed", progress=False)
    opened = ohr.open_run(root / "failed")
    assert opened.failed == run.failed
    assert [line.rpartition(": ")[2] for line in opened.failed] == [
        f"all {len(run.plan.questions)} answers (generation {metric})"
        for metric in ("f1", "f1_no_context")
    ]
    assert opened.failures == run.failures != []


@pytest.mark.slow
def test_a_run_compares_and_draws_itself(run, tmp_path):
    compared = run.compare(by="knowledge_base", metrics=["overall:f1"], baseline="gt, clean")
    assert list(compared["other"]) == ["gt, formatting mild", "gt, formatting severe"]
    with pytest.raises(ohr.ConfigError, match="unknown by='engin'; known: run, knowledge_base"):
        run.compare(by="engin")
    assert {"slope", "retention", "axis"} <= set(run.curves().columns)
    plot = run.plot.noise_strength()
    shown, metadata = plot._repr_mimebundle_()
    assert shown["image/png"].startswith(b"\x89PNG")
    pixels = int.from_bytes(shown["image/png"][16:20], "big")
    assert metadata["image/png"]["width"] == pixels // 2 > 0
    assert [path.name for path in plot.save(tmp_path)] == [
        "noise_strength.png",
        "noise_strength.svg",
        "noise_strength.txt",
    ]
    with pytest.raises(ohr.ConfigError, match="plot 'noise_curv'; did you mean 'noise_curve'"):
        run.plot("noise_curv")


def test_what_a_run_did_not_measure_cannot_be_drawn(study):
    root, options = study
    run = ohr.Study(**options, stages="ocr").run(root / "clean", progress=False)
    with pytest.raises(ohr.ConfigError, match=r"plot 'noise_curve': .*clean has no data for it"):
        run.plot.noise_curve()


def test_a_study_takes_every_option_of_its_configuration_and_no_other():
    assert set(Options.__annotations__) == set(StudyConfig.model_fields)
    with pytest.raises(ohr.ConfigError, match="unknown option 'engine'; did you mean 'engines'"):
        ohr.Study(engine="gt")
    with pytest.raises(ohr.ConfigError, match=r"unknown option 'dataset.limt'; .*'dataset.limit'"):
        ohr.Study(dataset={"limt": 3})
    with pytest.raises(ohr.ConfigError, match="unknown engine 'tesserakt'"):
        ohr.Study(engines="tesserakt").plan()


def test_a_study_of_a_file_is_that_of_its_options(tmp_path):
    path = tmp_path / "study.yaml"
    path.write_text("engines: [gt]\nnoise: formatting\nseed: 3\n")
    study = ohr.Study.from_file(path, seed=4)
    assert study.config == ohr.Study(engines=["gt"], noise="formatting", seed=4).config


class Newest(ohr.Retriever):
    """The last chunks, whatever is asked."""

    name = "newest"

    def index(self, chunks):
        self.chunks = list(chunks)[::-1]

    def search(self, query, k):
        return [
            ohr.Hit(c.ref, c.text, 1.0, rank, (c.start, c.end))
            for rank, c in enumerate(self.chunks[:k])
        ]


def test_a_plugin_of_ones_own_is_named_by_its_class(study):
    root, options = study
    run = ohr.Study(**options, retrievers=["bm25", Newest], stages=["retrieval"]).run(
        root / "own", progress=False
    )
    assert set(run.cells["retriever"]) == {"bm25", "newest"}
    own = run.config.retrievers[1]
    assert (own.name, own.label) == ("tests.ohr.test_front_door.Newest", "newest")
    class_of_bm25 = type(ohr.retriever("bm25"))
    assert ohr.Study(retrievers=class_of_bm25).config == ohr.Study(retrievers="bm25").config
    assert ohr.Study(retrievers=ohr.retriever("bm25", k1=1.2)).config.retrievers[0].params == {
        "k1": 1.2
    }

    class Local(Newest):
        name = "local"

    with pytest.raises(ohr.ConfigError, match="class Local is defined inside a function"):
        ohr.Study(retrievers=Local)


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("salt_and_pepper", {"intensity": 0.5}),
        ("semantic", {"level": "mild"}),
        ("rotation", {"level": "severe"}),
    ],
)
def test_a_distortion_by_name_makes_the_pixels_of_a_study(name, how, tmp_path):
    path = write_pdf(tmp_path / "deed.pdf", 3)
    clean = ohr.page_image(path, REF.page_no, dpi=100)
    noise = ohr.perturbation(name, dpi=100)
    applied = noise(clean, seed=7, ref=REF, **how)
    spec = ohr.Study(noise={"name": name, "params": {"dpi": 100}}).config.noise[0]
    intensity = how.get("intensity", 0.0)
    if "level" in how:
        point = choose_level(spec, how["level"])
        spec, intensity = point.operator, point.intensity
    task = PageTask(REF, path, 100, spec, intensity, 7, {})
    pixels, record = distort(task, clean)
    assert (applied.value == pixels).all()
    assert applied.record == record
    assert (noise.replay(clean, applied.record) == applied.value).all()
    assert noise.move(np.zeros((0, 4)), applied.record).shape == (0, 4)
    assert (noise(clean, intensity=0).value == clean).all()
    assert (noise(clean, seed=8, ref=REF, **how).record) != record


def test_formatting_noise_by_name_is_undone():
    text = "# A deed\n\nThe **seller** and the buyer agree on $x^2$ acres.\n" * 5
    noise = ohr.perturbation("formatting")
    applied = noise(text, level="severe")
    assert applied.value != text
    assert noise.undo(applied.value, applied.record) == text
    assert list(noise.levels) == ["mild", "moderate", "severe"]
    with pytest.raises(ohr.ConfigError, match="'formatting' rewrites text: it moves no boxes"):
        noise.move(np.zeros((0, 4)), applied.record)
    with pytest.raises(ohr.ConfigError, match="'rotation' distorts images: it has no undo"):
        ohr.perturbation("rotation").undo(text, {})
    with pytest.raises(ohr.ConfigError, match=r"give either intensity=0\.5 or level='severe'"):
        noise(text)
    with pytest.raises(ohr.ConfigError, match="unknown level 'hard'; known: mild, moderate"):
        noise(text, level="hard")


def test_an_engine_by_name_reads_arrays_images_and_pdfs(tmp_path):
    pdf = write_pdf(tmp_path / "deed.pdf", 2)
    reads_pdfs = ohr.engine("pdf_text")
    assert reads_pdfs.read(pdf, 1).status is ohr.Status.EMPTY
    with pytest.raises(ohr.ConfigError, match="pdf_text reads PDFs, not page images"):
        reads_pdfs.read(CLEAN)
    reads_images = ohr.engine("tests.faults.engines.PixelEngine")
    image = ohr.page_image(pdf, 1, dpi=72)
    expected = f"The sum of the page is {int(image.sum())}."
    assert reads_images.read(image).value == expected
    assert reads_images.read(str(pdf), 1, dpi=72).value == expected
    with pytest.raises(ohr.ConfigError, match="engine 'gt' reads no pages"):
        ohr.engine("gt")


def test_the_parts_of_a_system_work_by_name():
    text = "The seller pays 12 euros. The buyer pays nothing at all."
    chunks = ohr.chunker("words", size=5).split(REF, text)
    retriever = ohr.retriever("bm25", k1=1.2)
    retriever.index(chunks)
    hits = retriever.search("What does the seller pay?", 1)
    assert hits[0].text.startswith("The seller")
    answer = ohr.reader("extractive").answer("What does the seller pay?", hits)
    assert "12 euros" in answer.value
    assert ohr.load_metric("f1")("12 euros", "12 euros") == 1.0
    assert ohr.load_metric("f1", protocol="reference")("12", "12 euros") < 1
    assert ohr.strip_markup("**12** euros").split() == ["12", "euros"]
    assert "bm25" in ohr.known("retriever")
    with pytest.raises(ohr.ConfigError, match="unknown kind of plug-in 'engines'; did you mean"):
        ohr.known("engines")
    with pytest.raises(ohr.ConfigError, match="retriever 'oracle' is an oracle"):
        ohr.retriever("oracle")


def test_a_dataset_by_name_is_loaded(study):
    _, options = study
    dataset = dict(options["dataset"])
    loaded = ohr.dataset(dataset.pop("kind"), **dataset)
    assert isinstance(loaded, ohr.Dataset)
    assert len(loaded.questions) > 0


def test_modules_of_the_hooks_are_there_without_an_import_of_their_own():
    code = "import ohr; ohr.Reader; ohr.plugins.chat.Message; assert 'Reader' in dir(ohr.plugins)"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.slow
def test_a_run_has_the_analyses_that_commands_print(run):
    assert set(run.errors(stage="generation")["group"]) >= {"all"}
    assert len(run.curves()) > 0
    pd.testing.assert_frame_equal(run.recompute_cells(), run.cells, check_dtype=False)
    for call, message in (
        (lambda: run.errors(stage="ocr"), "unknown stage 'ocr'; known: overall, generation"),
        (lambda: run.noise_cost(), "baseline"),
        (lambda: run.compare(run), "the same run was given twice"),
        (lambda: run.judge(judges=["extractive"]), "is no language model"),
    ):
        with pytest.raises(ohr.OhrError, match=message):
            call()
