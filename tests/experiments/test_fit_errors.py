"""A model of OCR errors, fitted and used from the command line."""

import json

import pandas as pd
import pytest

from experiments.dev_check_errors import main as check_errors
from experiments.dev_fit_errors import main
from experiments.perturb_text import main as perturb_text
from ohr.analysis.ocr_errors import sources
from ohr.analysis.ocr_errors.sources import read_pairs
from ohr.ocr_errors.files import read_model
from ohr.study.results import open_run
from ohr.study.run import run_study
from ohr.types import PageRef
from tests.builders import CliRunner, load_config, qa, write_kb, write_questions

WORDS = (
    "pump cover valve motor engine filter pressure manual service report region revenue tenant "
    "landlord premises contract payment interest quarter segment customer product machine sensor"
).split()


def text(number: int) -> str:
    return " ".join(f"{WORDS[(number * 7 + i * 5) % 24]}{i % 9}" for i in range(120))


def read(number: int) -> str:
    """As an engine read it: a run of words is lost, some characters are others."""
    words = text(number).split()
    first = 10 + 3 * number
    return " ".join([*words[:first], *(w.replace("e", "c") for w in words[first + 8 :])])


@pytest.fixture
def folders(tmp_path):
    kb = tmp_path / "kb"
    names = [f"law/d{i}" for i in range(6)]
    write_kb(kb / "gt", {name: [text(2 * i), text(2 * i + 1)] for i, name in enumerate(names)})
    write_kb(kb / "engine", {name: [read(2 * i), read(2 * i + 1)] for i, name in enumerate(names)})
    questions = [qa(i, name, 0) for i, name in enumerate(names)]
    write_questions(tmp_path / "qas.json", questions)
    return kb


def invoke(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.mark.slow
def test_a_model_is_fitted_checked_and_used(folders, tmp_path):
    out = tmp_path / "out" / "model.json"
    done = invoke(
        folders / "gt", folders / "engine", "--out", out, "--questions", tmp_path / "qas.json"
    )
    assert done.exit_code == 0, done.output
    model = read_model(str(out))
    assert model.provenance.engine == "engine"
    assert model.provenance.pages == 12
    assert model.check.verdicts[0].group == "all"
    table = pd.read_csv(out.parent / "model_check.csv")
    drawn = "drawn pages"
    assert list(table["kind"]) == ["real", "learned", "bunched rubbish", "uniform", drawn]
    page_by_page = table[table["kind"] != drawn]
    assert (page_by_page["edit_distance"] - table["edit_distance"][0]).abs().max() < 0.05
    assert (out.parent / "model_check.png").exists()
    assert "documents left out of the fit, in 3 parts" in done.output
    for line in (
        "moved, not counted as errors",
        "discriminator",
        "fits a group if",
        "ranking of twelve",
    ):
        assert line in done.output

    noisy = tmp_path / "noisy"
    settings = [
        "dataset.kind=ohrbench",
        f"dataset.path={folders}",
        f"dataset.questions={tmp_path / 'qas.json'}",
        f"noise=[{{name: ocr_errors, label: mine, params: {{model: '{out}'}}}}]",
        "intensities=[0.1]",
    ]
    done = CliRunner().invoke(perturb_text, [*settings, "--out", str(noisy)])
    assert done.exit_code == 0, done.output
    manifest = json.loads((noisy / "manifest.json").read_text("utf-8"))
    (entry,) = manifest["knowledge_bases"].values()
    assert entry["changed"] > 0


@pytest.mark.slow
def test_models_are_checked_on_other_pages(folders, tmp_path):
    out = tmp_path / "model.json"
    sources = [str(folders / name) for name in ("gt", "engine")]
    assert invoke(*sources, "--out", out).exit_code == 0
    options = ["--questions", str(tmp_path / "qas.json"), "--out", str(tmp_path / "checked")]
    done = CliRunner().invoke(check_errors, [*sources, "--models", f"tesseract,{out}", *options])
    assert done.exit_code == 0, done.output
    table = pd.read_csv(tmp_path / "checked" / "transfer.csv")
    assert list(table["model"].unique()) == ["tesseract", str(out)]
    real = table[table["kind"] == "real"]
    assert real["lcs_loss"].nunique() == 1, "the real pages are the same for all models"
    assert "model.json was fitted to these data" in done.output
    assert "tesseract was fitted" not in done.output


def test_a_check_without_models_is_refused(folders, tmp_path):
    sources = [str(folders / name) for name in ("gt", "engine")]
    for models, message in ((",", "name at least one model"), ("tess", "unknown model")):
        done = CliRunner().invoke(
            check_errors, [*sources, "--models", models, "--out", str(tmp_path / "o")]
        )
        assert done.exit_code != 0
        assert message in done.output
        assert not (tmp_path / "o").exists()


def check_of(folders, tmp_path, check_pages):
    """The model's check, what the command printed, and the figure's description."""
    done = invoke(
        *(folders / "gt", folders / "engine", "--out", tmp_path / "m.json"),
        *("--questions", tmp_path / "qas.json", "--check-pages", check_pages),
    )
    assert done.exit_code == 0, done.output
    described = (tmp_path / "m_check.txt").read_text("utf-8")
    return read_model(str(tmp_path / "m.json")).check, done.output, described


@pytest.mark.slow
def test_a_check_with_two_documents_has_two_parts(folders, tmp_path):
    check, printed, described = check_of(folders, tmp_path, 4)
    assert "4 pages and 2 questions; documents left out of the fit, in 2 parts" in printed
    assert "documents left out of the fit, in 2 parts" in described
    assert check.verdicts[0].note == "fewer than 10 questions"


@pytest.mark.slow
def test_if_no_document_is_small_enough_the_smallest_is_drawn_and_nothing_tested(folders, tmp_path):
    for number in (0, 1, 2, 3, 5):
        pages = [text(2 * number + page) for page in range(3)]
        write_kb(folders / "gt", {f"law/d{number}": pages})
        write_kb(folders / "engine", {f"law/d{number}": pages})
    write_questions(tmp_path / "qas.json", [qa(i, "law/d4", 0) for i in range(12)])
    check, printed, described = check_of(folders, tmp_path, 1)
    note = "the model was fitted to the only document of the check"
    assert f"2 pages and 12 questions; {note}" in printed
    assert note in described
    assert "left out of the fit" not in printed + described
    assert {(verdict.outcome, verdict.note) for verdict in check.verdicts} == {("not tested", note)}


def finished_run(kb, *settings):
    """A run of the engine's output; without settings it reads every page."""
    out = kb.parent / "run"
    common = [
        "dataset.kind=ohrbench",
        f"dataset.path={kb}",
        f"dataset.questions={kb.parent / 'qas.json'}",
        f"cache={kb.parent / 'cache'}",
        f"engines=[{{name: precomputed, label: engine, params: {{kb: '{kb / 'engine'}'}}}}]",
        "ground_truth=true",
        "stages=[ocr]",
    ]
    run_study(load_config([*common, *settings]), out)
    return out


def refs_of(pairs):
    return {(pair.ref.doc_id, pair.ref.page_no) for pair in pairs.pages}


@pytest.mark.parametrize(
    ("settings", "documents", "pages"),
    [
        ([], range(6), [0, 1]),
        (["dataset.pages=evidence"], range(6), [0]),
        (["dataset.documents=[law/d0,law/d3]"], [0, 3], [0, 1]),
    ],
)
def test_pages_that_a_run_did_not_read_are_left_out(folders, settings, documents, pages):
    pairs = read_pairs([finished_run(folders, *settings)], "", None)
    assert refs_of(pairs) == {(f"law/d{i}", page) for i in documents for page in pages}
    assert all(pair.output != pair.truth for pair in pairs.pages)
    assert (pairs.unread, pairs.left_out) == (12 - len(pairs.pages), 0)


def test_pages_without_ground_truth_are_left_out(folders, monkeypatch):
    run = open_run(finished_run(folders, "dataset.pages=evidence"))
    run.plan.dataset.without_truth = {PageRef("law/d0", 0): "blank", PageRef("law/d1", 1): "blank"}
    monkeypatch.setattr(sources, "open_run", lambda _: run)
    pairs = read_pairs([run.path], "", None)
    assert refs_of(pairs) == {(f"law/d{i}", 0) for i in range(1, 6)}
    assert (pairs.unread, pairs.without_truth) == (6, 1)


@pytest.mark.slow
def test_the_report_counts_pages_that_a_run_did_not_read(folders, tmp_path):
    run = finished_run(folders, "dataset.documents=[law/d0,law/d3]")
    done = invoke(run, "--out", tmp_path / "m.json")
    assert done.exit_code == 0, done.output
    assert "8 pages of the run that its engines did not read are left out" in done.output
    assert read_model(str(tmp_path / "m.json")).provenance.pages == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gt"], "is it the folder of a finished run?"),
        (["gt", "engine", "gt"], "give one finished run, or two folders"),
        (["gt", "none"], "no folder of a precomputed knowledge base"),
    ],
)
def test_other_sources_are_refused_in_one_line(folders, tmp_path, arguments, message):
    done = invoke(*(folders / name for name in arguments), "--out", tmp_path / "m.json")
    assert done.exit_code != 0
    assert message in done.output
    assert "Traceback" not in done.output
